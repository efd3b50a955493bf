import type { TokenStore } from '../config.js'
import { AuthorizationError, type ErrorData, fromErrorData, McpError, toErrorData, withDetails } from '../errors.js'
import type { Finding, Json, JsonObject } from '../protocol.js'
import { type Callback, readCallback } from './callback.js'
import type { ClientInformation } from './client-information.js'
import type { Discovered } from './discovery.js'
import type { Dpop } from './dpop.js'
import { isObject } from './metadata-document.js'
import { ownError } from './own-error.js'
import { plainText } from './server-text.js'
import { exchangeCode, type Tokens } from './tokens.js'
import { checkUrl, type GuardedFetch } from './url-guard.js'
import { randomText, requireCrypto, sha256 } from './web-crypto.js'

/** All that the end of a sign-in needs, kept under its `state`. */
interface BegunFlow extends JsonObject {
  serverUrl: string
  verifier: string
  redirectUrl: string
  scope: string | null
  expiresAt: number
}

/** What is left of a flow: it can't be used again, and whoever comes with the same answer gets the same outcome. */
interface UsedFlow extends JsonObject {
  serverUrl: string
  /** A digest of the answer that it was used with. */
  answer: string
  outcome: 'unknown' | 'signed-in' | JsonObject
  expiresAt: number
}

export interface FlowsOptions {
  store: TokenStore
  /** The server's name. */
  server: string
  serverUrl: string
  configured: string[]
  fetch: GuardedFetch
  now(): number
  crypto?: Crypto | undefined
  report(finding: Finding): void
}

export interface FlowBeginning {
  discovered: Discovered
  client: ClientInformation
  scopes: string[]
  sendResource: boolean
}

/** Sign-ins of one MCP server. Any number may run at the same time. */
export interface Flows {
  /** Begins one: the page to send the person to. */
  begin(flow: FlowBeginning): Promise<string>
  /**
   * Ends one. Whoever comes a second time with the same answer waits for the first, or gets the outcome that it had;
   * the code is sent once.
   *
   * @param keep - Takes the tokens, before anybody learns that they are there.
   * @throws {AuthorizationError} `ERR_MCP_AUTHORIZATION`; `data.step` is `callback` with `data.reason` `state` (nothing
   *   was sent, and no flow was touched), `completed`, `expired`, `issuer`, `code`, or what the authorization server
   *   says, e.g. `access_denied`; or `token`.
   */
  finish(callbackUrl: string, o: { dpop?: Dpop | undefined; keep(tokens: Tokens): Promise<void> }): Promise<void>
}

/** Milliseconds that a person has to sign in. */
export const flowMs = 10 * 60_000
/** Flows that are kept at the same time, of all servers; the oldest goes first. */
const maxFlows = 50
const recordKey = 'x/flows'

/** By store, so that two connections of one host join, too. */
const finishing = new WeakMap<TokenStore, Map<string, Promise<void>>>()

export function createFlows(options: FlowsOptions): Flows {
  const { store, server, serverUrl, configured, fetch, now, report } = options
  const running = finishing.get(store) ?? new Map<string, Promise<void>>()
  finishing.set(store, running)

  const fail = (reason: string, message: string, step = 'callback') =>
    new AuthorizationError(message, { data: { server, step, reason } })

  const read = async (): Promise<JsonObject> => {
    const record = await store.get(recordKey)
    return isObject(record) ? record : {}
  }
  /** Changes what is kept, and lets go of what is past. */
  const change = <Result>(run: (flows: JsonObject) => Result) =>
    store.exclusively(recordKey, async () => {
      const flows = await read()
      const result = run(flows)
      const left = Object.entries(flows).filter(([, flow]) => isObject(flow) && now() < Number(flow.expiresAt))
      await store.set(recordKey, Object.fromEntries(left.slice(-maxFlows)))
      return result
    })

  async function begin({ discovered, client, scopes, sendResource }: FlowBeginning): Promise<string> {
    const { metadata, issuer, resource } = discovered
    const crypto = requireCrypto(options.crypto)
    // Absent means that there is none (MCP, authorization code protection): a code that is stolen could then be used.
    if (!metadata.code_challenge_methods_supported?.includes('S256'))
      throw fail(
        'pkce',
        `The authorization server ${plainText(issuer)} does not say that it takes PKCE with S256; its metadata must list it in "code_challenge_methods_supported"`,
        'authorize',
      )
    const page = checkPage(metadata.authorization_endpoint)
    const [state, verifier] = [randomText(crypto), randomText(crypto)]
    const scope = scopes.length > 0 ? scopes.join(' ') : undefined
    const parameters = {
      response_type: 'code',
      client_id: client.clientId,
      redirect_uri: client.redirectUrl,
      state,
      code_challenge: await sha256(crypto, verifier),
      code_challenge_method: 'S256',
      scope,
      resource: sendResource ? resource : undefined,
      // OpenID Connect Core 11: without it, no refresh token.
      prompt: scopes.includes('offline_access') ? 'consent' : undefined,
    }
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) page.searchParams.set(name, value)
    const flow = {
      ...{ serverUrl, verifier, redirectUrl: client.redirectUrl, scope: scope ?? null, sendResource },
      ...{ discovered: discovered as unknown as Json, client: client as unknown as Json, expiresAt: now() + flowMs },
    } satisfies BegunFlow
    await change((flows) => {
      flows[state] = flow
    })
    return checkPage(page.href).href
  }

  function checkPage(url: string | undefined): URL {
    try {
      return checkUrl(url, serverUrl, 'authorization_endpoint', configured)
    } catch (error) {
      throw McpError.is(error) ? withDetails(error, { server, step: 'authorize' }) : error
    }
  }

  /** What is kept under a callback's `state`, if it is this server's. Nothing else of the callback is believed before. */
  function lookUp(flows: JsonObject, { state }: Callback): BegunFlow | UsedFlow {
    const flow = state !== undefined && Object.hasOwn(flows, state) ? flows[state] : undefined
    if (!isObject(flow) || flow.serverUrl !== serverUrl)
      throw fail(
        'state',
        `The callback ${state === undefined ? 'has no "state"' : 'is of no sign-in'} at ${server} that was begun here; it was ignored`,
      )
    if (now() >= Number(flow.expiresAt)) throw fail('expired', `The sign-in at ${server} took too long; begin again`)
    return flow as BegunFlow | UsedFlow
  }

  /** Marks the flow as used, by this answer: from now on nobody else can use it. */
  const claim = (callback: Callback, answer: string) =>
    change((flows) => {
      const flow = lookUp(flows, callback)
      if (isUsed(flow)) return flow
      flows[callback.state!] = { serverUrl, answer, outcome: 'unknown', expiresAt: flow.expiresAt }
      return flow
    })

  async function complete(callback: Callback, answer: string, o: Parameters<Flows['finish']>[1]): Promise<void> {
    const flow = await claim(callback, answer)
    if (isUsed(flow)) return replay(flow, answer)
    const settle = (outcome: UsedFlow['outcome']) =>
      change((flows) => {
        const used = flows[callback.state!]
        if (isObject(used)) used.outcome = outcome
      })
    try {
      await o.keep(await redeem(callback, flow, o.dpop))
    } catch (error) {
      if (McpError.is(error)) withDetails(error, { server })
      await settle(toErrorData(error) as unknown as JsonObject)
      throw error
    }
    await settle('signed-in')
  }

  function replay({ answer: earlier, outcome }: UsedFlow, answer: string): void {
    if (earlier === answer && outcome === 'signed-in') return
    if (earlier === answer && isObject(outcome)) throw fromErrorData(outcome as unknown as ErrorData)
    throw fail('completed', `This sign-in at ${server} is already completed`)
  }

  async function redeem(callback: Callback, flow: BegunFlow, dpop: Dpop | undefined): Promise<Tokens> {
    const { discovered, client, sendResource } = flow as unknown as FlowBeginning
    const { issuer, metadata, resource } = discovered
    checkIssuer(callback, discovered)
    if (callback.error !== undefined) throw refused(callback)
    if (callback.code === undefined) throw fail('code', `The callback of the sign-in at ${server} holds no code`)
    const { verifier: codeVerifier, redirectUrl, scope } = flow
    return exchangeCode(
      { code: callback.code, codeVerifier, redirectUrl, scope: scope ?? undefined },
      {
        ...{ server: { issuer, metadata }, client, resource, sendResource, fetch, now, dpop },
        ...{ crypto: options.crypto, onFinding: report },
      },
    )
  }

  /** RFC 9207 2.4: by simple comparison, and before anything else is believed. */
  function checkIssuer({ iss }: Callback, { issuer, metadata }: Discovered): void {
    if (iss === undefined && !metadata.authorization_response_iss_parameter_supported) return
    if (iss === issuer) return
    const found = iss === undefined ? 'no authorization server' : `"${plainText(iss)}"`
    throw fail(
      'issuer',
      `The callback of the sign-in at ${server} names ${found}, but "${plainText(issuer)}" was asked; it was not used`,
    )
  }

  function refused({ error = '', description }: Callback): AuthorizationError {
    const isCode = /^[\w.-]{1,64}$/.test(error)
    const said = [isCode ? undefined : error, description]
      .filter((part) => part !== undefined)
      .map((part) => plainText(part))
    const reason = isCode ? error : 'refused'
    return fail(reason, `The sign-in at ${server} was refused: ${[reason, ...said].join(': ')}`)
  }

  return {
    begin,
    async finish(callbackUrl, o) {
      const callback = readCallback(callbackUrl)
      if (!callback)
        throw fail('state', `What came back of the sign-in at ${server} is no URL of a callback; it was ignored`)
      const answer = await sha256(requireCrypto(options.crypto), JSON.stringify(callback))
      const id = `${callback.state} ${answer}`
      const joined = running.get(id)
      if (joined)
        return joined.catch((error) => {
          throw ownError(error)
        })
      const completing = complete(callback, answer, o).finally(() => running.delete(id))
      running.set(id, completing)
      return completing
    },
  }
}

const isUsed = (flow: BegunFlow | UsedFlow): flow is UsedFlow => 'outcome' in flow
