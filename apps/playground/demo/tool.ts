import {
  type CallToolResult,
  type ElicitRequest,
  inputRequired,
  type LoggingLevel,
  type ToolAnnotations,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

/** Earlier revisions allow only an object as structured content. */
export type ToolResult = CallToolResult & { structuredContent?: Record<string, unknown> }

/** The user's answer, as it came from the client: not yet checked. */
export interface Answer {
  action: 'accept' | 'decline' | 'cancel'
  content?: Record<string, unknown> | undefined
}

/** What a tool may use while it runs; each era provides its own. */
export interface ToolContext {
  /** Aborted when the client cancels the call, or when its session ends; in the modern era also when it goes away. */
  signal: AbortSignal
  /** Does nothing where the client did not ask for progress. */
  progress(update: { progress: number; total?: number; message?: string }): Promise<void>
  /** Does nothing where the client wants no such messages. */
  log(level: LoggingLevel, data: unknown): Promise<void>
  /**
   * Asks the user; absent where the client offers no form elicitation. In the modern era a question ends the call and the
   * client calls again with the answer, so a tool does nothing that may not be done twice before its last question.
   *
   * @param key - Names the question, once per tool.
   */
  elicit?: (key: string, question: ElicitRequest) => Promise<Answer>
  extraTool: ExtraTool
}

/** Whether the extra tool is in the list: for the session in the legacy era, for the process in the modern one. */
export interface ExtraTool {
  readonly offered: boolean
  offer(offered: boolean): void
}

/** One tool, the same for both eras. */
export interface DemoTool {
  name: string
  title: string
  description: string
  annotations: ToolAnnotations
  input: z.ZodObject
  output?: z.ZodObject
  run(args: Record<string, unknown>, context: ToolContext): ToolResult | Promise<ToolResult>
}

interface ToolDefinition<Input extends z.ZodObject> extends Omit<DemoTool, 'input' | 'run' | 'annotations'> {
  /** Default: read-only and closed, as most of the tools here are. */
  annotations?: ToolAnnotations
  input: Input
  run(args: z.output<Input>, context: ToolContext): ToolResult | Promise<ToolResult>
}

/** Gives `run` the types of its input schema. */
export function defineTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>): DemoTool {
  return {
    ...definition,
    annotations: definition.annotations ?? { readOnlyHint: true, openWorldHint: false },
    // Both SDKs call a tool with nothing but arguments that its input schema has accepted.
    run: (args, context) => definition.run(args as z.output<Input>, context),
  }
}

/** Asks the user to fill in a form; `undefined` if they declined or dismissed it. */
export async function askForm<Form extends z.ZodObject>(
  elicit: NonNullable<ToolContext['elicit']>,
  key: string,
  message: string,
  form: Form,
): Promise<z.output<Form> | undefined> {
  // Builds nothing else, but is declared to return any request for input.
  const question = inputRequired.elicit({ message, requestedSchema: form }) as ElicitRequest
  const answer = await elicit(key, question)
  if (answer.action !== 'accept') return undefined
  const checked = form.safeParse(answer.content)
  if (!checked.success) throw new Error(`The answer does not fit the form: ${z.prettifyError(checked.error)}`)
  return checked.data
}

interface ElicitationModes {
  form?: unknown
  url?: unknown
}

/** An empty capability stands for forms, as it did before there was another mode. */
export function offersForms(capabilities: { elicitation?: ElicitationModes | undefined } | undefined): boolean {
  const elicitation = capabilities?.elicitation
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}

export function textResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }] }
}

export function errorResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** Structured content, with its JSON as text for clients and models that read only text. */
export function structuredResult(structuredContent: Record<string, unknown>): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent, null, 2) }], structuredContent }
}
