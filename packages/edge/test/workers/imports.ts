// Every entry at module scope, and a gateway made there: nothing of it may start anything.

import * as aiSdk from '../../src/ai-sdk.js'
import * as anthropic from '../../src/anthropic.js'
import * as google from '../../src/google.js'
import * as edge from '../../src/index.js'
import * as openai from '../../src/openai.js'

const gateway = edge.createGateway({
  publicUrl: 'https://gateway.example',
  servers: { notes: { url: 'https://notes.example/mcp' } },
  authenticate: () => undefined,
  origins: ['https://chat.example'],
  secret: 'a secret of the tests, long enough to sign',
})

export default {
  async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname !== '/') return gateway.fetch(request)
    // What `nodejs_compat` would bring.
    const { process, Buffer } = globalThis as { process?: unknown; Buffer?: unknown }
    return Response.json({
      names: [edge, aiSdk, anthropic, google, openai].flatMap((entry) => Object.keys(entry)),
      node: [typeof process, typeof Buffer],
    })
  },
}
