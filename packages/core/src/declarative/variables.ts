import { quote } from './faults.js'
import { splitReferences } from './references.js'

/** What variables stand for. Handed in: no environment is read by itself. */
export interface VariableSources {
  /** Values of `${NAME}` and `${env:NAME}`; in Node, `process.env`. Default: none. */
  env?: Readonly<Record<string, string | undefined>>
  /** Answers to the file's `inputs`, by their `id`. Default: each input's own `default`. */
  inputs?: Readonly<Record<string, string>>
}

/** Puts values in the place of a text's variables; `wrong` is told of one without a value. */
export type Expand = (text: string, wrong: (what: string) => void) => string

/** @param defaults - The file's inputs, with the default of each. */
export function createExpand(
  { env = {}, inputs = {} }: VariableSources,
  defaults: ReadonlyMap<string, string | undefined>,
): Expand {
  const own = (values: Readonly<Record<string, string | undefined>>, name: string) =>
    Object.hasOwn(values, name) ? values[name] : undefined

  function lookUp(reference: string, wrong: (what: string) => void): string {
    const [, input] = /^input:(.+)$/s.exec(reference) ?? []
    if (input !== undefined) {
      const value = own(inputs, input) ?? defaults.get(input)
      if (value === undefined)
        wrong(
          defaults.has(input)
            ? `needs the input ${quote(input)}: give it in "inputs"`
            : `refers to the input ${quote(input)}, which is none of the file's "inputs"`,
        )
      return value ?? ''
    }
    const [, name, fallback] = /^(?:env:)?([A-Za-z_]\w*)(?::-(.*))?$/s.exec(reference) ?? []
    if (name === undefined || fallback?.includes('${')) {
      // Not the reference itself: with a default in it, that may be a secret.
      wrong('holds a variable that is none of ${NAME}, ${NAME:-default}, ${env:NAME} and ${input:ID}')
      return ''
    }
    const value = own(env, name)
    // As in a shell, an empty one counts as none where there is a default.
    if (value !== undefined && (value !== '' || fallback === undefined)) return value
    if (fallback === undefined) wrong(`needs the variable ${quote(name)}, which is not set: give it in "env"`)
    return fallback ?? ''
  }

  return (text, wrong) =>
    splitReferences(text)
      .map((piece) => ('text' in piece ? piece.text : lookUp(piece.reference, wrong)))
      .join('')
}
