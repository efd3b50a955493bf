import { createHost, McpError } from '@x/core'
import { deadlineMs, revisions, type Subject, type SubjectOutcome } from './subject.js'

/** The client of this project. */
export const coreSubject: Subject = {
  async connect({ url, era, fetch, setTimer }) {
    const host = createHost({ fetch, setTimer })
    const client = await host.connect({ url, protocolVersion: revisions[era] })
    return {
      async call(key) {
        let progress = 0
        const onProgress = () => void progress++
        try {
          const { content } = await client.callTool('run', { key }, { timeoutMs: deadlineMs, onProgress })
          const [block] = content
          return { text: block?.type === 'text' ? block.text : JSON.stringify(content), progress }
        } catch (error) {
          return toOutcome(error)
        }
      },
      close: () => host.close(),
    }
  },
}

function toOutcome(error: unknown): SubjectOutcome {
  if (!McpError.is(error)) return { code: 'no McpError', outcome: undefined, message: String(error) }
  const { code, message, data } = error
  return { code, outcome: data.outcome, message, ...(data.reason !== undefined && { reason: data.reason }) }
}
