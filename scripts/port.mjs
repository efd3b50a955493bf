import { once } from 'node:events'
import { createServer } from 'node:net'
import { Failure } from './failure.mjs'

export const host = '127.0.0.1'
const usualPort = 4242

/** The port that `PORT` asks for, or the usual one; 0 is any free one. */
export function wantedPort(text = process.env.PORT) {
  if (!text) return usualPort
  const port = Number(text)
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new Failure(`PORT must be a number from 0 to 65535, but it is "${text}".`)
  return port
}

/** Finds out before the long part whether the port can be had. */
export async function checkPort() {
  const port = wantedPort()
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (error) {
    throw portFailure(error, port)
  }
  server.close()
  await once(server, 'close')
}

function portFailure(error, port) {
  if (error.code === 'EADDRINUSE')
    return new Failure(
      `Port ${port} is taken: end what uses it, or choose another one with PORT=${port + 1} npm start.`,
    )
  if (error.code === 'EACCES')
    return new Failure(`Port ${port} may not be used here: choose one above 1023 with PORT=…`)
  return error
}
