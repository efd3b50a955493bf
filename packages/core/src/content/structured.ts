import { cleanText } from '../clean-text.js'
import { InvalidResponseError } from '../errors.js'
import type { CallToolResult } from '../protocol.js'
import { toolError } from './model-output.js'

/**
 * What schemas of zod, Valibot, ArkType and others have in common: the part of the Standard Schema that is used here.
 *
 * @see {@link https://standardschema.dev}
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    /** Of the types alone; never there. */
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }

export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** Issues whose paths are named. */
const maxPaths = 5
const maxPathCharacters = 100

/**
 * A result's structured content, as the app's own schema says that it is: checked, and of the schema's type.
 *
 * ```ts
 * const { temperature } = await structured(await client.callTool('weather', { city }), z.object({ temperature: z.number() }))
 * ```
 *
 * The tool's `outputSchema` needs none of this: what does not fit that is among the result's `findings`.
 *
 * @param schema - A schema of any library that follows the Standard Schema, version 1; it may take its time.
 * @param options - The tool's and the server's name, for the errors.
 * @returns What the schema makes of it: defaults filled in, values transformed.
 * @throws {ToolError} `ERR_MCP_TOOL` for a result with `isError`.
 * @throws {InvalidResponseError} `ERR_MCP_INVALID_RESPONSE` with `data.reason` `no-structured-content` where there is none;
 *   `structured-content` where it does not match: the message names the places, as JSON Pointers, and `cause` holds the
 *   schema's `issues`.
 */
export async function structured<Output>(
  result: CallToolResult,
  schema: StandardSchema<Output>,
  options: { tool?: string; server?: string } = {},
): Promise<Output> {
  if (result.isError) throw toolError(result, options)
  const { structuredContent } = result
  const { tool, server } = options
  const what = tool === undefined ? 'The result' : `The result of "${tool}"`
  const invalid = (message: string, reason: string, cause?: unknown) =>
    new InvalidResponseError(`${what} ${message}`, {
      data: { outcome: 'ran', reason, ...(tool !== undefined && { tool }), ...(server !== undefined && { server }) },
      ...(cause !== undefined && { cause }),
    })
  if (structuredContent === undefined) throw invalid('holds no structuredContent', 'no-structured-content')
  const checked = await schema['~standard'].validate(structuredContent)
  if (!checked.issues) return checked.value
  throw invalid(
    `has structuredContent that does not match the schema, at ${places(checked.issues)}`,
    'structured-content',
    { issues: checked.issues },
  )
}

function places(issues: readonly StandardIssue[]): string {
  const pointers = [...new Set(issues.map(pointerOf))]
  const more = pointers.length - maxPaths
  return `${pointers.slice(0, maxPaths).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function pointerOf({ path = [] }: StandardIssue): string {
  const names = path.map((part) => String(typeof part === 'object' ? part.key : part))
  const pointer = names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  return cleanText(pointer.length > maxPathCharacters ? `${pointer.slice(0, maxPathCharacters)}…` : pointer || '/')
}
