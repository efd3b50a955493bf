/** What every model provider takes as a tool's name. */
const legal = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/
const maxLength = 64
const hashLength = 8

/**
 * A tool's name for models: legal for every provider, and the same whatever else is connected. `<server>__<tool>` where
 * that is legal and can't be read in two ways, else cut and marked with a hash of both names.
 */
export function toolAlias(server: string, tool: string): string {
  const plain = `${server}__${tool}`
  if (legal.test(plain) && !server.includes('__') && !server.endsWith('_')) return plain
  return marked(plain, JSON.stringify([server, tool]))
}

/** The name of a single server's tool without the server's name. */
export function plainAlias(tool: string): string {
  return legal.test(tool) ? tool : marked(tool, tool)
}

function marked(name: string, identity: string): string {
  const clean = name.replace(/[^a-zA-Z0-9_-]/g, '_').replace(/^[^a-zA-Z_]/, '_')
  return `${clean.slice(0, maxLength - hashLength - 1)}_${hash(identity)}`
}

/** FNV-1a over UTF-16 units, twice with different seeds: short, stable, no secret. */
function hash(text: string): string {
  const part = (seed: number) => {
    let value = seed
    for (let index = 0; index < text.length; index++)
      value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0
    return value
      .toString(36)
      .padStart(7, '0')
      .slice(-hashLength / 2)
  }
  return part(0x811c9dc5) + part(0x9747b28c)
}
