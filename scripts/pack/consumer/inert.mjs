// Imports every entry that is named and sees that nothing was touched, opened, or left running.
const before = new Set(Reflect.ownKeys(globalThis))
const effects = []
for (const name of ['fetch', 'setTimeout', 'setInterval', 'queueMicrotask', 'Worker', 'BroadcastChannel']) {
  const original = globalThis[name]
  if (original)
    globalThis[name] = new Proxy(original, {
      apply: (target, self, args) => {
        effects.push(`${name} was called`)
        return Reflect.apply(target, self, args)
      },
      construct: (target, args) => {
        effects.push(`${name} was constructed`)
        return Reflect.construct(target, args)
      },
    })
}
// Module loading itself uses handles and timers of its own, never the globals.
for (const entry of process.argv.slice(2)) await import(entry)
// What loading the files themselves took is given back by the next turn.
await new Promise((resolve) => setImmediate(resolve))
for (const key of Reflect.ownKeys(globalThis)) if (!before.has(key)) effects.push(`the global ${String(key)} was set`)
const running = process
  .getActiveResourcesInfo()
  .filter((kind) => kind !== 'TTYWrap' && kind !== 'Immediate' && !kind.startsWith('Pipe'))
if (running.length > 0) effects.push(`left running: ${running.join(', ')}`)
if (effects.length > 0) throw new Error(effects.join('\n'))
