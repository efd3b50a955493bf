/** What every model provider takes as a tool's name. */
const legal = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/
const maxLength = 64
/** How a marked name ends. A name that ends so by itself is marked as well, or it could be taken for another's. */
const mark = /_[0-9][0-9a-z]{7}$/
const markLength = 9

/**
 * A tool's name for models: legal for every provider, and the same whatever else is connected. `<server>__<tool>` where
 * that is legal and can't be read in two ways, else cut and marked with a hash of both names.
 */
export function toolAlias(server: string, tool: string): string {
  const plain = `${server}__${tool}`
  return isUsable(plain) && !server.includes('__') && !server.endsWith('_')
    ? plain
    : marked(plain, JSON.stringify([server, tool]))
}

/** The name of a single server's tool without the server's name. */
export function plainAlias(tool: string): string {
  return isUsable(tool) ? tool : marked(tool, tool)
}

const isUsable = (name: string) => legal.test(name) && !mark.test(name)

function marked(name: string, identity: string): string {
  const clean = name.replace(/[^a-zA-Z0-9_-]/g, '_').replace(/^[^a-zA-Z_]/, '_')
  return `${clean.slice(0, maxLength - markLength)}_${hash(identity)}`
}

/** Eight characters, the first a digit. Short and stable; no secret, and no proof against forgery. */
function hash(text: string): string {
  const part = (seed: number, space: number) => (fnv1a(text, seed) % space).toString(36).padStart(4, '0')
  return part(0x811c9dc5, 10 * 36 ** 3) + part(0x9747b28c, 36 ** 4)
}

/** 32 bits over UTF-16 units. */
function fnv1a(text: string, seed: number): number {
  let value = seed
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0
  return value
}
