import type { TokenStore } from '../config.js'
import type { Json, JsonObject } from '../protocol.js'
import type { ClientInformation } from './client-information.js'
import type { Discovered } from './discovery.js'
import { isObject } from './metadata-document.js'

/** What is kept of a grant beside its tokens: who gave it to whom. */
export interface Grant {
  /** The server's name. */
  server: string
  serverUrl: string
  discovered: Discovered
  /** Absent where the app's configuration has it. */
  client?: ClientInformation
}

/** The grants of one store, by the keys of their tokens. */
export interface Grants {
  get(key: string): Promise<Grant | undefined>
  set(key: string, grant: Grant): Promise<void>
  delete(key: string): Promise<void>
  all(): Promise<[key: string, grant: Grant][]>
}

/** One record for all: a store can't say what it holds. */
const recordKey = 'x/grants'
/** Grants that are remembered; of keys that went with their realm nobody says that they are no longer there. */
const maxGrants = 200

export function createGrants(store: TokenStore): Grants {
  const read = async (): Promise<JsonObject> => {
    const record = await store.get(recordKey)
    return isObject(record) ? record : {}
  }
  const change = (changed: (record: JsonObject) => JsonObject) =>
    store.exclusively(recordKey, async () => store.set(recordKey, changed(await read())))
  return {
    get: async (key) => toGrant((await read())[key]),
    set: (key, grant) =>
      change(({ [key]: _, ...others }) =>
        Object.fromEntries([...Object.entries(others), [key, grant as unknown as Json]].slice(-maxGrants)),
      ),
    delete: (key) => change(({ [key]: _, ...others }) => others),
    async all() {
      return Object.entries(await read()).flatMap(([key, value]): [string, Grant][] => {
        const grant = toGrant(value)
        return grant ? [[key, grant]] : []
      })
    },
  }
}

/** A grant as a store gave it back; undefined for anything else, e.g. of another version. */
function toGrant(value: Json | undefined): Grant | undefined {
  if (!isObject(value) || !isObject(value.discovered)) return undefined
  const { server, serverUrl, discovered } = value
  const { issuer, resource, metadata } = discovered
  const isWhole = isObject(metadata) && [server, serverUrl, issuer, resource].every((text) => typeof text === 'string')
  return isWhole ? (value as unknown as Grant) : undefined
}
