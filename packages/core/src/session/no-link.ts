import { Client } from '@modelcontextprotocol/client'
import { connectionClosed } from '../transport/http-transport.js'
import { type Link, noValidation } from './link.js'
import type { Identity } from './negotiate.js'

/** Stands for the link that there isn't yet, before anybody has signed in. Nothing is known of the server. */
export function createNoLink({ clientInfo }: Identity): Link {
  return {
    client: new Client(clientInfo, { jsonSchemaValidator: noValidation }),
    transport: {
      start: async () => {},
      send: () => Promise.reject(connectionClosed()),
      close: async () => {},
      listenToServer() {},
      heard: () => undefined,
      leave() {},
      onLost() {},
    },
    server: {
      name: '',
      version: '',
      era: 'legacy',
      protocolVersion: '2025-11-25',
      transport: 'streamable-http',
      capabilities: {},
    },
    request: () => Promise.reject(connectionClosed()),
  }
}
