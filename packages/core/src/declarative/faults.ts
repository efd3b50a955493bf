import { cleanText } from '../clean-text.js'
import { ConfigError, type ErrorDetails, errorClasses, type McpError, toErrorData } from '../errors.js'

/** What is wrong with a file, gathered so that all of it is told at once. */
export interface Faults {
  /**
   * @param line - From 1; absent where the fault is of no line.
   * @param message - What is wrong and what to do; holds names, never values.
   */
  add(line: number | undefined, message: string, details?: ErrorDetails): void
  /** Another error that belongs to a line of the file: its class and details are kept, and itself as the cause. */
  addError(line: number | undefined, error: McpError, prefix: string, details?: ErrorDetails): void
  /**
   * @throws {ConfigError} `ERR_MCP_CONFIG` with every fault in its message and in `data.errors`; with a single one, that
   *   one's class and details.
   */
  check(): void
}

/** How many faults are told in full; a file of a megabyte may have one on every line. */
const maxTold = 50

/** @param file - The file's name, as it is to be told. */
export function createFaults(file: string | undefined): Faults {
  const faults: McpError[] = []
  const place = (line: number | undefined) => {
    if (line === undefined) return file === undefined ? '' : `${file}: `
    return file === undefined ? `line ${line}: ` : `${file}:${line}: `
  }
  const whereabouts = (line: number | undefined) => ({
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
  })
  return {
    add(line, message, details) {
      const named = (['key', 'server', 'tool'] as const).flatMap((name) => {
        const value = details?.[name]
        return value === undefined ? [] : [[name, clip(value)]]
      })
      const data = { ...whereabouts(line), ...details, ...Object.fromEntries(named) }
      faults.push(new ConfigError(place(line) + message, { data }))
    },
    addError(line, error, prefix, details) {
      const data = { ...error.data, ...details, ...whereabouts(line) }
      faults.push(new errorClasses[error.code](place(line) + prefix + error.message, { data, cause: error }))
    },
    check() {
      const [first] = faults
      if (!first) return
      const told = faults.sort((a, b) => (a.data.line ?? 0) - (b.data.line ?? 0)).slice(0, maxTold)
      const more = faults.length - told.length
      const errors = told.map((fault) => toErrorData(fault))
      if (faults.length === 1)
        throw new errorClasses[first.code](first.message, { data: { ...first.data, errors }, cause: first.cause })
      const lines = [
        `${faults.length} faults:`,
        ...told.map(({ message }) => message),
        ...(more > 0 ? [`and ${more} more`] : []),
      ]
      throw new ConfigError(lines.join('\n'), { data: { ...whereabouts(undefined), errors } })
    },
  }
}

/** A key may be as long as the file. */
const maxNameLength = 200

const clip = (name: string) => (name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name)

/** A name of the file's making, quoted, without what people can't see, and no longer than a name is. */
export function quote(name: string): string {
  return JSON.stringify(clip(cleanText(name)))
}

/** A key by its path, quoted. */
export const quotePath = (...path: (string | number)[]): string => quote(path.join('.'))
