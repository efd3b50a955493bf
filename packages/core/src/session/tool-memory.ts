import { cleanText } from '../clean-text.js'
import type { Era, Finding, Json, JsonObject, Tool } from '../protocol.js'
import { hiddenTextIn } from '../schema/hidden-text.js'
import { encodeHeaderValue } from '../transport/request-headers.js'

/** What the session must know of each tool that a list has named: its marked arguments, what may run twice, and what it promises. */
export interface ToolMemory {
  /** Keeps what matters of these tools and returns those that may be offered. */
  remember(tools: Tool[], report: (finding: Finding) => void): Tool[]
  /** Forgets all others: these are the server's tools. */
  keepOnly(tools: Tool[]): void
  /** Another handshake may have found another era, or a server that runs tasks. */
  setEra(era: Era, runsTasks: boolean): void
  /** Whether the server makes tasks of calls that ask for it. */
  readonly runsTasks: boolean
  /** Whether a call must run as a task, may, or must not; undefined for a tool that no list has named. */
  taskSupport(tool: string): TaskSupport | undefined
  /** `Mcp-Param-*` of a call, by the marks in the tool's schema. */
  headers(tool: string, args: JsonObject): Record<string, string>
  /** Whether the tool says that it only reads, or that the same call again changes nothing. */
  isRepeatable(tool: string): boolean
  /** What the tool says that its structured content is; undefined too for a tool that no list has named. */
  outputSchema(tool: string): Json | undefined
}

export type TaskSupport = 'required' | 'optional' | 'forbidden'

interface Known {
  marks: Mark[]
  repeatable: boolean
  taskSupport: TaskSupport
  outputSchema: Json | undefined
}

interface Mark {
  path: string[]
  header: string
}

/** RFC 9110 5.6.2: what a header name consists of. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const markable = new Set(['string', 'integer', 'boolean'])
/** Keywords that hold values, not schemas: nothing in them is a mark. */
const valueKeywords = new Set(['const', 'default', 'enum', 'examples'])
/** Schemas nested deeper are not followed: no header comes from there. */
const maxDepth = 64

/**
 * @param era - Marks count in the modern one: earlier revisions know none.
 * @param runsTasks - Whether the server makes tasks of calls that ask for it, as some earlier revisions do.
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters}
 */
export function createToolMemory(era: Era, runsTasks = false): ToolMemory {
  let modern = era === 'modern'
  const known = new Map<string, Known>()
  /** Since the last whole list: what they are is known, so that a call of them says why it can't be. */
  let leftOut = new Set<string>()
  return {
    remember(tools, report) {
      const named = new Set<string>()
      return tools.filter((tool) => {
        if (named.has(tool.name)) {
          // Kept in the list for the tool set to say so; of two tools with one name the first is meant.
          report({ code: 'tool-repeated', message: `The list names "${cleanText(tool.name)}" twice: the first counts` })
          return true
        }
        named.add(tool.name)
        for (const finding of hiddenTextIn(tool)) report(finding)
        const found = modern ? findMarks(tool.inputSchema) : []
        if (typeof found === 'string') {
          known.delete(tool.name)
          report({
            code: 'tool-left-out',
            message: `The tool "${tool.name}" was left out: ${found}`,
          })
          return false
        }
        const { readOnlyHint, idempotentHint } = tool.annotations ?? {}
        const taskSupport = modern ? 'forbidden' : taskSupportOf(tool)
        known.set(tool.name, {
          marks: found,
          repeatable: readOnlyHint === true || idempotentHint === true,
          taskSupport,
          outputSchema: tool.outputSchema,
        })
        if (taskSupport !== 'required' || runsTasks) return true
        leftOut.add(tool.name)
        report({
          code: 'tool-left-out',
          message: `The tool "${tool.name}" was left out: it must run as a task, and the server does not run tasks`,
        })
        return false
      })
    },
    setEra(era, tasks) {
      if (modern !== (era === 'modern')) known.clear()
      modern = era === 'modern'
      runsTasks = tasks
    },
    keepOnly(tools) {
      const names = new Set([...leftOut, ...tools.map(({ name }) => name)])
      leftOut = new Set()
      for (const name of known.keys()) if (!names.has(name)) known.delete(name)
    },
    headers(tool, args) {
      const { marks = [] } = known.get(tool) ?? {}
      return Object.fromEntries(
        marks.flatMap(({ path, header }) => {
          const value = valueAt(args, path)
          return value === undefined ? [] : [[`mcp-param-${header.toLowerCase()}`, encodeHeaderValue(value)]]
        }),
      )
    },
    get runsTasks() {
      return runsTasks
    },
    taskSupport: (tool) => known.get(tool)?.taskSupport,
    isRepeatable: (tool) => known.get(tool)?.repeatable === true,
    outputSchema: (tool) => known.get(tool)?.outputSchema,
  }
}

/** What an earlier revision's tool says; a modern server makes tasks as it likes. */
function taskSupportOf({ execution }: Tool): TaskSupport {
  const { taskSupport } = execution ?? {}
  return taskSupport === 'required' || taskSupport === 'optional' ? taskSupport : 'forbidden'
}

/** The marks of a schema, or why they make its tool invalid. */
function findMarks(schema: unknown): Mark[] | string {
  const marks: Mark[] = []
  const fault = visit(schema, [], true, marks, 0)
  if (fault) return fault
  const names = new Set(marks.map(({ header }) => header.toLowerCase()))
  return names.size < marks.length ? 'two of its parameters have the same "x-mcp-header"' : marks
}

/** @param reachable - Whether only `properties` lie between here and the root. */
function visit(schema: unknown, path: string[], reachable: boolean, marks: Mark[], depth: number): string | undefined {
  if (typeof schema !== 'object' || schema === null || depth > maxDepth) return undefined
  if (Array.isArray(schema)) return firstFault(schema, (item) => visit(item, path, false, marks, depth + 1))
  if (Object.hasOwn(schema, 'x-mcp-header')) {
    const { type, 'x-mcp-header': header } = schema as { type?: unknown; 'x-mcp-header': unknown }
    const where = `"x-mcp-header" of ${path.length > 0 ? `the parameter "${path.join('.')}"` : 'its schema'}`
    if (!reachable || path.length === 0) return `${where} stands where no header can be read from`
    if (typeof header !== 'string' || !token.test(header)) return `${where} is no header name`
    if (!markable.has(type as string)) return `${where} marks what is no string, integer or boolean`
    marks.push({ path, header })
  }
  return firstFault(Object.entries(schema), ([keyword, value]) => {
    if (valueKeywords.has(keyword)) return undefined
    if (keyword !== 'properties' || typeof value !== 'object' || value === null)
      return visit(value, path, false, marks, depth + 1)
    return firstFault(Object.entries(value), ([name, child]) =>
      visit(child, [...path, name], reachable, marks, depth + 1),
    )
  })
}

function firstFault<Item>(items: Item[], check: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = check(item)
    if (fault) return fault
  }
  return undefined
}

function valueAt(args: JsonObject, path: string[]): string | undefined {
  let value: unknown = args
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as { [key: string]: unknown })[name]
  }
  const plain = typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value)
  return plain ? String(value) : undefined
}
