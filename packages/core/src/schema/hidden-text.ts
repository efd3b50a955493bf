import { cleanText, hiddenIn } from '../clean-text.js'
import type { Finding, Tool } from '../protocol.js'

/** Findings of one tool: who hides more than this is known by them. */
const maxFindings = 20

/**
 * Where a tool's definition holds text that a model would see and a person would not: in its name, its title, its
 * description, or anywhere in its schemas, names of arguments included.
 *
 * @returns Findings of code `hidden-text`; `path` is a JSON Pointer into the tool, itself without what is hidden. At most 20.
 */
export function hiddenTextIn(tool: Tool): Finding[] {
  const findings: Finding[] = []
  const look = (text: string, path: string) => {
    const kinds = hiddenIn(text)
    if (kinds.length === 0) return
    const message = `The tool "${cleanText(tool.name)}" hides ${kinds.join(' and ')} from people: ${path}`
    findings.push({ code: 'hidden-text', message, path })
  }
  const { name, title, description, inputSchema, outputSchema, annotations } = tool
  // A list of what is still to be seen, no recursion: a server may nest as deep as it likes.
  const rest: [path: string, value: unknown][] = [
    ['/outputSchema', outputSchema],
    ['/inputSchema', inputSchema],
    ['/annotations/title', annotations?.title],
    ['/description', description],
    ['/title', title],
    ['/name', name],
  ]
  while (rest.length > 0 && findings.length < maxFindings) {
    const [path, value] = rest.pop()!
    if (typeof value === 'string') look(value, path)
    else if (typeof value === 'object' && value !== null)
      for (const [key, item] of Object.entries(value)) {
        const below = `${path}/${pointerToken(cleanText(key))}`
        if (!Array.isArray(value)) look(key, below)
        rest.push([below, item])
      }
  }
  return findings.slice(0, maxFindings)
}

const pointerToken = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')
