// The suite imports `globSync` from `fs`, which Node has since 22; only a command that is not used here calls it.
const fs = `
  export * from 'node:fs'
  export { default } from 'node:fs'
  export const globSync = () => { throw new Error('fs.globSync needs Node 22') }
`

/** A loader hook of Node. */
export async function resolve(specifier, context, next) {
  if (specifier === 'fs' && context.parentURL?.includes('/@modelcontextprotocol/conformance/'))
    return { url: `data:text/javascript,${encodeURIComponent(fs)}`, shortCircuit: true }
  return next(specifier, context)
}
