import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { revisions, type Subject, type SubjectOutcome } from './subject.js'

/** Milliseconds of a call's deadline. The SDK takes no timers, so that these pass. */
const timeout = 250

/** The official SDK with its own transport: what the harness says of another client. */
export const sdkSubject: Subject = {
  async connect({ url, era, fetch }) {
    const mode = era === 'modern' ? { pin: revisions.modern } : ('legacy' as const)
    const client = new Client({ name: 'subject', version: '1' }, { versionNegotiation: { mode } })
    const transport = new StreamableHTTPClientTransport(new URL(url), { fetch })
    await client.connect(transport)
    return {
      async call(key) {
        let progress = 0
        const onprogress = () => void progress++
        try {
          const call = { name: 'run', arguments: { key } }
          const { content } = await client.callTool(call, { timeout, onprogress })
          const [block] = content
          return { text: block?.type === 'text' ? block.text : JSON.stringify(content), progress }
        } catch (error) {
          return toOutcome(error)
        }
      },
      async close() {
        await transport.terminateSession().catch(() => {})
        await client.close()
      },
    }
  },
}

function toOutcome(error: unknown): SubjectOutcome {
  const { name, code, message } = error as { name: string; code?: unknown; message: string }
  return { code: code === undefined ? name : `${name} ${code}`, outcome: undefined, message }
}
