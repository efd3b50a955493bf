import type { CallToolResult, McpClient, McpError } from '@x/core'
import * as aiSdk from '@x/core/ai-sdk'
import * as anthropic from '@x/core/anthropic'
import * as google from '@x/core/google'
import * as openai from '@x/core/openai'
import { aiSdk as aiSdkRules } from '../rules/ai-sdk.js'
import { anthropic as anthropicRules } from '../rules/anthropic.js'
import { google as googleRules } from '../rules/google.js'
import { openai as openaiRules } from '../rules/openai.js'
import type { RuleSet, SentTool } from '../rules/rule.js'
import type { MessageForm } from './message-forms.js'
import * as forms from './message-forms.js'

export type Provider = 'ai-sdk' | 'openai' | 'anthropic' | 'google'

/** Told of what a tool lost, or that it was left out. */
export interface Finding {
  code: string
  message: string
  tool: string
  path?: string
}
type OnFinding = (finding: Finding) => void

/** One way to offer tools to a provider. */
export interface ToolForm {
  name: string
  provider: Provider
  rules: RuleSet
  send(client: McpClient, onFinding: OnFinding): Promise<SentTool[]>
}

// A list is held against the rules whole, whoever its tools are for.
const appTools = true

const ofFunctions = (tools: { name: string; description?: string; parameters: unknown; strict: boolean }[]) =>
  tools.map(({ parameters, ...tool }): SentTool => ({ ...tool, schema: parameters }))

const chat = (name: string, strict: boolean): ToolForm => ({
  name,
  provider: 'openai',
  rules: openaiRules,
  send: async (client, onFinding) =>
    ofFunctions((await openai.toTools(client, { strict, onFinding, appTools })).map((tool) => tool.function)),
})
const responses = (name: string, strict: boolean): ToolForm => ({
  name,
  provider: 'openai',
  rules: openaiRules,
  send: async (client, onFinding) =>
    ofFunctions(await openai.toTools(client, { api: 'responses', strict, onFinding, appTools })),
})

export const toolForms: ToolForm[] = [
  {
    name: 'ai-sdk',
    provider: 'ai-sdk',
    rules: aiSdkRules,
    send: async (client, onFinding) =>
      Object.entries(await aiSdk.toTools(client, { onFinding, appTools })).map(
        ([name, { description, inputSchema }]) => ({
          name,
          description,
          schema: inputSchema['~standard'].jsonSchema.input(),
        }),
      ),
  },
  chat('openai chat', false),
  chat('openai chat, strict', true),
  responses('openai responses', false),
  responses('openai responses, strict', true),
  {
    name: 'anthropic',
    provider: 'anthropic',
    rules: anthropicRules,
    send: async (client, onFinding) =>
      (await anthropic.toTools(client, { onFinding, appTools })).map(({ input_schema, ...tool }) => ({
        ...tool,
        schema: input_schema,
      })),
  },
  {
    name: 'google',
    provider: 'google',
    rules: googleRules,
    send: async (client, onFinding) =>
      (await google.toTools(client, { onFinding, appTools })).flatMap(({ functionDeclarations }) =>
        functionDeclarations.map(({ parametersJsonSchema, ...tool }) => ({ ...tool, schema: parametersJsonSchema })),
      ),
  },
]

export interface Loss {
  block: number
  reason: string
}

/** One way to tell a provider's model of a call's outcome. */
export interface ResultForm {
  name: string
  provider: Provider
  message: MessageForm
  tell(tool: string, outcome: CallToolResult | McpError, onLoss: (loss: Loss) => void): unknown
}

const call = (name: string) => ({ id: 'call_1', name })

export const resultForms: ResultForm[] = [
  {
    name: 'ai-sdk 7',
    provider: 'ai-sdk',
    message: forms.aiSdk7,
    tell: (tool, outcome, onLoss) => aiSdk.toToolResult(call(tool), outcome, { onLoss }),
  },
  {
    name: 'ai-sdk 6',
    provider: 'ai-sdk',
    message: forms.aiSdk6,
    tell: (tool, outcome, onLoss) => aiSdk.toToolResult(call(tool), outcome, { onLoss, version: 6 }),
  },
  {
    name: 'openai chat',
    provider: 'openai',
    message: forms.openaiChat,
    tell: (tool, outcome, onLoss) => openai.toToolResult(call(tool), outcome, { onLoss }),
  },
  {
    name: 'openai responses',
    provider: 'openai',
    message: forms.openaiResponses,
    tell: (tool, outcome, onLoss) => openai.toToolResult(call(tool), outcome, { onLoss, api: 'responses' }),
  },
  {
    name: 'anthropic',
    provider: 'anthropic',
    message: forms.anthropic,
    tell: (tool, outcome, onLoss) => anthropic.toToolResult(call(tool), outcome, { onLoss }),
  },
  {
    name: 'google',
    provider: 'google',
    message: forms.google,
    tell: (tool, outcome, onLoss) => google.toToolResult(call(tool), outcome, { onLoss }),
  },
]
