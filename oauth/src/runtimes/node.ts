import { createHost, type Json, type KeyValueStore } from '@x/core'
import { toText } from '../canaries/to-text.js'
import { type Answers, createFormBrowser } from '../form-browser.js'
import { createStage } from '../journeys/stage.js'
import type { Runtime } from './runtime.js'

const consoleMethods = ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const

/** Core in this process. */
export function createNodeRuntime(): Runtime {
  // Nobody listens there: the browser without a screen stops before.
  const redirectUrl = 'http://127.0.0.1:9/callback'
  return {
    redirectUrl,
    async run(journey, server, credentials) {
      const memory = new Map<string, Json>()
      const host = createHost({ memory: storeOver(memory) })
      const browser = createFormBrowser()
      let answers: Answers = {}
      const stage = createStage({
        host,
        redirectUrl,
        server,
        async browse(url) {
          return (await browser.visit(await url, redirectUrl, answers)).callbackUrl
        },
        async answer(given) {
          answers = given
        },
      })
      const stopListening = listenToConsole((line) => stage.record('console', line))
      try {
        await journey.run(stage, credentials)
      } finally {
        await host.close()
        stopListening()
        stage.record('storage', memory)
      }
      return stage.report
    },
    async close() {},
  }
}

function storeOver(values: Map<string, Json>): KeyValueStore {
  return {
    get: async (key) => values.get(key),
    async set(key, value) {
      values.set(key, value)
    },
    async delete(key) {
      values.delete(key)
    },
  }
}

function listenToConsole(listener: (line: string) => void): () => void {
  const originals = consoleMethods.map((name) => [name, console[name]] as const)
  for (const [name, original] of originals)
    console[name] = (...values: unknown[]) => {
      listener(toText(values))
      original(...values)
    }
  return () => {
    for (const [name, original] of originals) console[name] = original
  }
}
