import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { type RunningGateway, tokens } from './start-gateway.js'

export interface BytesAnswer {
  status: number | undefined
  headers: IncomingHttpHeaders
  body: { error?: { data: { code: string } } }
}

/**
 * POSTs so many bytes, or as many as are taken until the answer comes: fetch would not tell an answer that comes before
 * all is sent.
 */
export async function sendBytes(
  { url }: RunningGateway,
  path: string,
  bytes: number,
  headers: Record<string, string>,
): Promise<BytesAnswer> {
  const sent = request(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens.ada}`, ...headers },
  })
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve)
    sent.on('error', reject)
  })
  const piece = Buffer.alloc(100_000, ' ')
  let written = 0
  const write = () => {
    while (written < bytes) {
      const next = piece.subarray(0, bytes - written)
      written += next.length
      if (!sent.write(next)) return void sent.once('drain', write)
    }
    sent.end()
  }
  write()
  const response = await answered
  let text = ''
  for await (const chunk of response) text += chunk
  sent.destroy()
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(text) as BytesAnswer['body'] }
}

/** The status line of the answer to these very bytes. */
export function sendRaw({ url }: RunningGateway, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
      if (!answer.includes('\r\n')) return
      resolve(answer.split('\r\n', 1)[0]!)
      socket.destroy()
    })
    socket.on('error', reject)
  })
}
