import { type Faults, quote } from './faults.js'
import { splitReferences } from './references.js'

/** What variables stand for. Handed in: no environment is read by itself. */
export interface VariableSources {
  /** Values of `${NAME}` and `${env:NAME}`; in Node, `process.env`. Default: none. */
  env?: Readonly<Record<string, string | undefined>>
  /** Answers to the file's `inputs`, by their `id`. Default: each input's own `default`. */
  inputs?: Readonly<Record<string, string>>
}

/** Puts values in the place of a text's variables; a variable without a value is a fault of this line. */
export type Expand = (text: string, line: number) => string

/** @param defaults - The file's inputs, with the default of each. */
export function createExpand(
  { env = {}, inputs = {} }: VariableSources,
  defaults: ReadonlyMap<string, string | undefined>,
  faults: Faults,
): Expand {
  const own = (values: Readonly<Record<string, string | undefined>>, name: string) =>
    Object.hasOwn(values, name) ? values[name] : undefined

  function lookUp(reference: string, line: number): string {
    const [, input] = /^input:(.+)$/s.exec(reference) ?? []
    if (input !== undefined) {
      const value = own(inputs, input) ?? defaults.get(input)
      if (value !== undefined) return value
      const why = defaults.has(input) ? 'has no value: give it in "inputs"' : 'is none of the "inputs" of the file'
      faults.add(line, `the input ${quote(input)} ${why}`, { key: input })
      return ''
    }
    const [, name, fallback] = /^(?:env:)?([A-Za-z_]\w*)(?::-(.*))?$/s.exec(reference) ?? []
    if (name === undefined || fallback?.includes('${')) {
      // Not the reference itself: with a default in it, that may be a secret.
      faults.add(line, 'a variable must be ${NAME}, ${NAME:-default}, ${env:NAME} or ${input:ID}')
      return ''
    }
    const value = own(env, name)
    // As in a shell, an empty one counts as none where there is a default.
    if (value !== undefined && (value !== '' || fallback === undefined)) return value
    if (fallback !== undefined) return fallback
    faults.add(
      line,
      `the variable ${quote(name)} is not set: give it in "env", or a default as \${${name.slice(0, 100)}:-…}`,
      { key: name },
    )
    return ''
  }

  return (text, line) =>
    splitReferences(text)
      .map((piece) => ('text' in piece ? piece.text : lookUp(piece.reference, line)))
      .join('')
}
