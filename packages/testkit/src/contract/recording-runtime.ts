import type { Runtime } from '@x/core'
import { realmHeader, timersHeader } from './fixtures.js'

/**
 * A runtime that tells the server, with each request, in which realm it is and for which timers it was asked since the
 * request before.
 */
export function createRecordingRuntime(realm: string): Pick<Runtime, 'fetch' | 'setTimer'> {
  let timersMs: number[] = []
  return {
    fetch(input, init) {
      const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined))
      headers.set(realmHeader, realm)
      if (timersMs.length > 0) headers.set(timersHeader, timersMs.join(','))
      timersMs = []
      return fetch(input, { ...init, headers })
    },
    setTimer(ms, run) {
      timersMs.push(ms)
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
  }
}
