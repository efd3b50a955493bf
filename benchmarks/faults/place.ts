import {
  createFaultyFetch,
  type FaultyControl,
  forkFaultyServer,
  type HttpLeniency,
  healthy,
  strictHttp,
} from '@x/testkit/faulty'
import { measureLeniency } from './http-leniency.js'

/** Where a run takes place: one faulty server, and how it is reached. */
export interface Place {
  name: PlaceName
  /** Without a path. */
  url: string
  fetch: typeof fetch
  control: FaultyControl
  /** What the HTTP implementation between lets pass. */
  http: HttpLeniency
  close(): Promise<void>
}

export const placeNames = ['in-process', 'sockets'] as const
export type PlaceName = (typeof placeNames)[number]

export async function openPlace(name: PlaceName): Promise<Place> {
  if (name === 'in-process') {
    return { name, url: 'http://faulty.example', ...createFaultyFetch(), http: strictHttp, close: async () => {} }
  }
  const { url, control, close } = await forkFaultyServer()
  const fetch: typeof globalThis.fetch = (...args) => globalThis.fetch(...args)
  const http = await measureLeniency(url, control)
  await control.begin({ unused: healthy('modern', 'json') })
  return { name, url, fetch, control, http, close }
}
