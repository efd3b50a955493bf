// Preloaded into every thread. Under --disallow-code-generation-from-strings code that tries to evaluate and catches the
// refusal, as zod does, would go unnoticed; a page's Content-Security-Policy reports it all the same.
const evaluated = []

function refuse(text) {
  evaluated.push(String(text))
  throw new EvalError('code generation from strings is recorded')
}

globalThis.evaluated = evaluated
globalThis.eval = refuse
globalThis.Function = new Proxy(Function, {
  construct: (_target, args) => refuse(args.at(-1)),
  apply: (_target, _this, args) => refuse(args.at(-1)),
})
