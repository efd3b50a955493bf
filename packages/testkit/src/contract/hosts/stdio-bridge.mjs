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
  let left = ''
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (left + chunk).split(/\r?\n\r?\n/)
    left = events.pop()
    for (const event of events) {
      const data = event.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []))
      if (data.length > 0) yield data.join('')
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
    if (method === 'initialize') sessionId = response.headers.get('mcp-session-id')
    for await (const text of messagesOf(response)) {
      const reply = JSON.parse(text)
      if (method === 'initialize') protocolVersion = reply.result?.protocolVersion
      process.stdout.write(`${text}\n`)
    }
    if (method === 'notifications/initialized') void listen()
  } catch (error) {
    // Nobody is there: neither is this server.
    if (!abort.signal.aborted && !ending.signal.aborted) {
      console.error(String(error.cause ?? error))
      process.exit(1)
    }
  } finally {
    running.delete(id)
  }
}

function modernHeaders(method, { name, uri }) {
  const subject = name ?? (method === 'resources/read' ? uri : undefined)
  const isPlain = subject !== undefined && /^[\x21-\x7e]+$/.test(subject)
  return {
    'mcp-method': method,
    ...(subject !== undefined && {
      'mcp-name': isPlain ? subject : `=?base64?${Buffer.from(subject).toString('base64')}?=`,
    }),
  }
}

/** What a server of an earlier revision says by itself. */
async function listen() {
  try {
    for await (const text of messagesOf(await send({ method: 'GET' }))) process.stdout.write(`${text}\n`)
  } catch {}
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
