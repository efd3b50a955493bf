/** A server that somebody else wrote, and how it is started. */
export interface ServerEntry {
  name: string
  /** What is run, from the folder of the installed servers. */
  script: string
  args?: readonly string[]
  /** The MCP endpoint's path. */
  path: string
  /** `own`: it can be used from a page as it is. `added`: it knows no CORS, so that a page needs a proxy before it. */
  cors: 'own' | 'added'
}

const everything = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'
const framework = 'apps/mcp-framework/serve.mjs'
const example = (name: string) => `node_modules/@modelcontextprotocol/sdk/dist/esm/examples/server/${name}.js`

/** Every server, in the order of the matrix. Versions are in `servers/package.json`. */
export const servers: readonly ServerEntry[] = [
  { name: 'everything-http', script: everything, args: ['streamableHttp'], path: '/mcp', cors: 'own' },
  { name: 'everything-sse', script: everything, args: ['sse'], path: '/sse', cors: 'own' },
  { name: 'sdk-streamable-http', script: example('simpleStreamableHttp'), path: '/mcp', cors: 'added' },
  { name: 'sdk-json-response', script: example('jsonResponseStreamableHttp'), path: '/mcp', cors: 'added' },
  { name: 'sdk-stateless', script: example('simpleStatelessStreamableHttp'), path: '/mcp', cors: 'added' },
  { name: 'sdk-standalone-sse', script: example('standaloneSseWithGetStreamableHttp'), path: '/mcp', cors: 'added' },
  { name: 'sdk-compatible-http', script: example('sseAndStreamableHttpCompatibleServer'), path: '/mcp', cors: 'added' },
  { name: 'sdk-compatible-sse', script: example('sseAndStreamableHttpCompatibleServer'), path: '/sse', cors: 'added' },
  { name: 'sdk-simple-sse', script: example('simpleSseServer'), path: '/mcp', cors: 'added' },
  { name: 'sdk-sse-polling', script: example('ssePollingExample'), path: '/mcp', cors: 'added' },
  { name: 'sdk-hono', script: example('honoWebStandardStreamableHttp'), path: '/mcp', cors: 'own' },
  { name: 'sdk-elicitation-form', script: example('elicitationFormExample'), path: '/mcp', cors: 'added' },
  { name: 'sdk-task-interactive', script: example('simpleTaskInteractive'), path: '/mcp', cors: 'added' },
  { name: 'server-2', script: 'apps/server-2.mjs', path: '/mcp', cors: 'added' },
  { name: 'server-2-stateless', script: 'apps/server-2.mjs', path: '/mcp', cors: 'added' },
  { name: 'fastmcp', script: 'apps/fastmcp.mjs', path: '/mcp', cors: 'own' },
  { name: 'mcp-framework', script: framework, args: ['http-stream'], path: '/mcp', cors: 'added' },
  { name: 'mcp-framework-sse', script: framework, args: ['sse'], path: '/sse', cors: 'own' },
  { name: 'tmcp', script: 'apps/tmcp.mjs', path: '/mcp', cors: 'own' },
]

/** Servers of the same packages that are not run, and why. */
export const leftOut: Readonly<Record<string, string>> = {
  elicitationUrlExample: 'it needs OAuth, which the client does not have yet',
  'progressExample, mcpServerOutputSchema, toolWithSampleServer': 'they speak over stdio only',
}
