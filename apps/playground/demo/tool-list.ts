import type { Tool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { InvalidParamsError } from './errors.js'
import type { DemoTool } from './tool.js'
import { elicitation, elicitationSteps } from './tools/asking.js'
import { form } from './tools/form.js'
import { addTool, removeTool, rollDice } from './tools/list-changes.js'
import { audio, embeddedResource, image, mixed, resourceLink } from './tools/media.js'
import { error, largeResult, log, progress, slow } from './tools/running.js'
import { add, echo, greeting } from './tools/text.js'
import { weather } from './tools/weather.js'

const PAGE_SIZE = 8

/** All tools in the order of the list; the last is there only while it is offered. */
export const TOOLS: readonly DemoTool[] = [
  echo,
  greeting,
  add,
  weather,
  image,
  audio,
  mixed,
  embeddedResource,
  resourceLink,
  form,
  progress,
  slow,
  elicitation,
  elicitationSteps,
  largeResult,
  error,
  log,
  addTool,
  removeTool,
  rollDice,
]

const DESCRIBED = new Map(TOOLS.map((tool) => [tool.name, describe(tool)]))

/**
 * One page of `tools/list`. The SDKs' own handlers put every tool on one page, and a client must show that it follows
 * `nextCursor`.
 */
export function toolPage(
  cursor: string | undefined,
  extraToolOffered: boolean,
): { tools: Tool[]; nextCursor?: string } {
  const start = cursor === undefined ? 0 : Number(cursor)
  const listed = [...DESCRIBED.values()].filter(({ name }) => extraToolOffered || name !== rollDice.name)
  if (!Number.isInteger(start) || start < 0 || start >= listed.length) throw new InvalidParamsError('Unknown cursor.')
  const end = start + PAGE_SIZE
  return { tools: listed.slice(start, end), ...(end < listed.length && { nextCursor: String(end) }) }
}

function describe({ name, title, description, annotations, input, output }: DemoTool): Tool {
  return {
    name,
    title,
    description,
    annotations,
    inputSchema: jsonSchemaOf(input, 'input'),
    ...(output && { outputSchema: jsonSchemaOf(output, 'output') }),
  }
}

function jsonSchemaOf(schema: z.ZodObject, io: 'input' | 'output'): Tool['inputSchema'] {
  // A zod object's JSON Schema always has this type; zod's declaration does not say so.
  return { ...z.toJSONSchema(schema, { io }), type: 'object' } as Tool['inputSchema']
}
