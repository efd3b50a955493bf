import type { Faults } from './faults.js'
import { readJson } from './json-text.js'
import type { Located } from './located.js'
import { readYaml } from './yaml-text.js'

/** Characters; far more than anybody writes, and little enough to be parsed in a few seconds. */
const maxLength = 4 * 1024 * 1024

/**
 * Reads a file as what its name says that it is, `.yaml` and `.yml`, `.json` and `.jsonc`; else as JSON where it begins
 * with a bracket, and as YAML where it does not. A byte order mark is skipped.
 *
 * @throws {ConfigError} `ERR_MCP_CONFIG` for what can't be read.
 */
export function readDocument(text: string, file: string | undefined, faults: Faults): Located {
  if (/^\ufeff?\s*$/.test(text)) faults.add(undefined, 'it is empty')
  const marked = text.startsWith('\ufeff')
  const read = isYaml(text, file) ? readYaml : readJson
  if (text.length > maxLength) faults.add(undefined, `it is longer than ${maxLength} characters`)
  faults.check()
  return read(marked ? text.slice(1) : text, faults)
}

function isYaml(text: string, file: string | undefined): boolean {
  const [, extension] = /\.(ya?ml|jsonc?)$/i.exec(file ?? '') ?? []
  if (extension) return /^y/i.test(extension)
  return !/^\ufeff?\s*(?:[[{]|\/[/*])/.test(text)
}
