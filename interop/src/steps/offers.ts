import type {
  CallToolResult,
  CompletionReference,
  GetPromptResult,
  JsonObject,
  ReadResourceResult,
  ServerInfo,
} from '@x/core'
import { expectEqual, expectNames, expectRejection, expectText } from './expect.js'
import type { Step } from './step.js'

/** What the server says of itself, and how it was reached. */
export function says(expected: Partial<ServerInfo>): Step {
  return {
    name: 'says who it is',
    async run({ client }) {
      const info = client.state.server as unknown as Record<string, unknown> | undefined
      const seen = Object.fromEntries(Object.keys(expected).map((key) => [key, info?.[key]]))
      expectEqual(seen, expected, 'the server')
    },
  }
}

interface Offers {
  tools?: string[]
  /** URIs. */
  resources?: string[]
  /** URI templates. */
  templates?: string[]
  prompts?: string[]
}

/** All four lists, of which a server may lack any: that gives an empty one. */
export function offers({ tools = [], resources = [], templates = [], prompts = [] }: Offers): Step[] {
  return [
    {
      name: 'lists tools',
      async run({ client }) {
        const list = await client.listTools()
        expectNames(
          list.map(({ name }) => name),
          tools,
          'tools',
        )
        for (const { name, inputSchema } of list) expectEqual(inputSchema.type, 'object', `the type of ${name}'s input`)
      },
    },
    {
      name: 'lists resources',
      async run({ client }) {
        expectNames(
          (await client.listResources()).map(({ uri }) => uri),
          resources,
          'resources',
        )
      },
    },
    {
      name: 'lists resource templates',
      async run({ client }) {
        const list = await client.listResourceTemplates()
        expectNames(
          list.map(({ uriTemplate }) => uriTemplate),
          templates,
          'resource templates',
        )
      },
    },
    {
      name: 'lists prompts',
      async run({ client }) {
        expectNames(
          (await client.listPrompts()).map(({ name }) => name),
          prompts,
          'prompts',
        )
      },
    },
  ]
}

type Check<Result> = string | RegExp | ((result: Result) => void)

/** A call and its result: its text, or what a function finds good. */
export function calls(tool: string, args: JsonObject, expected: Check<CallToolResult>): Step {
  return {
    name: `calls ${tool}`,
    async run({ client }) {
      const result = await client.callTool(tool, args)
      expectEqual(result.findings, [], 'findings')
      if (typeof expected === 'function') expected(result)
      else expectText(result, expected)
    },
  }
}

/** Ten calls at the same time, each with a result of its own. */
export function callsAtOnce(tool: string, argsOf: (n: number) => JsonObject, expected: (n: number) => string): Step {
  return {
    name: `calls ${tool} ten times at once`,
    async run({ client }) {
      const numbers = Array.from({ length: 10 }, (_, n) => n)
      const results = await Promise.all(numbers.map((n) => client.callTool(tool, argsOf(n))))
      for (const n of numbers) expectText(results[n]!, expected(n))
    },
  }
}

/** A call that the tool, or the server, refuses: with a result that says so, or with a JSON-RPC error. */
export function refuses(what: string, tool: string, args: JsonObject, expected: RegExp): Step {
  return {
    name: `refuses ${what}`,
    async run({ client }) {
      const outcome = await client.callTool(tool, args).catch((error: unknown) => error as Error & { code?: string })
      if (!(outcome instanceof Error)) {
        expectEqual(outcome.isError, true, 'isError')
        expectText({ ...outcome, isError: false }, expected)
      } else {
        expectEqual(outcome.code, 'ERR_MCP_JSONRPC', 'the code')
        if (!expected.test(outcome.message)) throw outcome
      }
    },
  }
}

export function reads(uri: string, check: (contents: ReadResourceResult['contents']) => void): Step {
  return { name: `reads ${uri}`, run: async ({ client }) => check((await client.readResource(uri)).contents) }
}

export function gets(
  prompt: string,
  args: Record<string, string> | undefined,
  check: (messages: GetPromptResult['messages']) => void,
): Step {
  return {
    name: `gets prompt ${prompt}`,
    run: async ({ client }) => check((await client.getPrompt(prompt, args)).messages),
  }
}

export function completes(
  name: string,
  ref: CompletionReference,
  argument: { name: string; value: string },
  values: string[],
  context?: { arguments: Record<string, string> },
): Step {
  return {
    name,
    async run({ client }) {
      expectEqual((await client.complete(ref, argument, context)).values, values, 'values')
    },
  }
}

/** The whole of a call is cut off by the caller; the next one works. */
export function aborts(tool: string, args: JsonObject, then: Step): Step {
  return {
    name: `aborts ${tool}`,
    async run(scene) {
      const controller = new AbortController()
      const call = scene.client.callTool(tool, args, {
        signal: controller.signal,
        // It runs on the server by now: an abort that comes earlier sends nothing.
        onProgress: () => controller.abort(new Error('enough')),
      })
      expectEqual((await expectRejection(call, 'the aborted call')).message, 'enough', 'the reason')
      await then.run(scene)
    },
  }
}
