// The contract's server as a local one: what comes by standard input goes to one of its endpoints, and what that says to
// standard output. Arguments: the endpoint's URL, its era, and the realm that it is to be told.
import { createInterface } from 'node:readline'

const [, , url, era, realm] = process.argv
const isModern = era === 'modern'
/** What can still be given up, by the id of its request. */
const running = new Map()
const ending = new AbortController()
let sessionId
let protocolVersion = isModern ? '2026-07-28' : undefined

async function send(init, signal = ending.signal) {
  const headers = {
    accept: 'application/json, text/event-stream',
    'x-contract-realm': realm,
    ...(protocolVersion && { 'mcp-protocol-version': protocolVersion }),
    ...(sessionId && { 'mcp-session-id': sessionId }),
    ...init.headers,
  }
  return fetch(url, { ...init, headers, signal })
}

async function* messagesOf(response) {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const text = await response.text()
    if (text) yield text
    return
  }
  // Of a line that is not whole yet, piece by piece: one may be long.
  let pieces = []
  let data = []
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const [first, ...more] = chunk.split('\n')
    pieces.push(first)
    for (const begun of more) {
      const line = pieces.join('').trimEnd()
      pieces = [begun]
      if (line.startsWith('data:')) data.push(line.slice('data:'.length).trim())
      if (line !== '' || data.length === 0) continue
      yield data.join('')
      data = []
    }
  }
}

async function forward(message) {
  const { id, method, params = {} } = message
  const abort = new AbortController()
  if (method !== undefined && id !== undefined) running.set(id, abort)
  try {
    const response = await send(
      {
        method: 'POST',
        body: JSON.stringify(message),
        headers: { 'content-type': 'application/json', ...(isModern && modernHeaders(method, params)) },
      },
      AbortSignal.any([abort.signal, ending.signal]),
    )
    if (sessionId && (response.status === 404 || response.status === 400)) return end('the session is lost')
    if (method === 'initialize') sessionId = response.headers.get('mcp-session-id')
    for await (const text of messagesOf(response)) {
      const reply = JSON.parse(text)
      if (method === 'initialize') protocolVersion = reply.result?.protocolVersion
      process.stdout.write(`${text}\n`)
    }
    if (method === 'notifications/initialized') void listen()
  } catch (error) {
    if (!abort.signal.aborted) end(error.cause ?? error)
  } finally {
    running.delete(id)
  }
}

function modernHeaders(method, { name, uri, taskId }) {
  const subject = name ?? taskId ?? (method === 'resources/read' ? uri : undefined)
  const isPlain = subject !== undefined && /^[\x21-\x7e]+$/.test(subject)
  return {
    'mcp-method': method,
    ...(subject !== undefined && {
      'mcp-name': isPlain ? subject : `=?base64?${Buffer.from(subject).toString('base64')}?=`,
    }),
  }
}

/** A process ends with its session, and with what it would hear of it by. */
function end(why) {
  if (ending.signal.aborted) return
  console.error(String(why))
  process.exit(1)
}

/** What a server of an earlier revision says by itself. */
async function listen() {
  try {
    for await (const text of messagesOf(await send({ method: 'GET' }))) process.stdout.write(`${text}\n`)
    end('the stream has ended')
  } catch (error) {
    end(error)
  }
}

let before = Promise.resolve()
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const message = JSON.parse(line)
    if (message.method === 'notifications/cancelled') {
      const id = message.params.requestId
      // Since 2026-07-28 HTTP has no such message.
      const told = isModern ? Promise.resolve() : forward(message)
      void told.then(() => running.get(id)?.abort())
    } else if (message.id === undefined) before = before.then(() => forward(message))
    else void before.then(() => forward(message))
  })
  .on('close', async () => {
    if (sessionId) await send({ method: 'DELETE' }).catch(() => {})
    ending.abort()
  })
