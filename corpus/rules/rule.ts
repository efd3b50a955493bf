/** A tool as it is sent to a provider. */
export interface SentTool {
  name: string
  description?: string
  /** Its parameters, as JSON says them. */
  schema: unknown
  /** OpenAI's alone: whether the model is held to it. */
  strict?: boolean
}

/** What a provider refuses, as its documentation or its own error says. */
export interface Rule {
  title: string
  /** Where the provider says so, or where its refusal is on record. */
  source: string
  /** Each place that breaks it, as a JSON Pointer into what is sent, or in words. */
  breaches(tool: SentTool): string[]
}

/** Of a list as a whole, beside its tools. */
export interface ListRule {
  title: string
  source: string
  breaches(tools: SentTool[]): string[]
}

export interface RuleSet {
  tools: Rule[]
  list: ListRule[]
}
