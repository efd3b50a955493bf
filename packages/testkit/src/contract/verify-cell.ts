import type { ContractTarget } from './contract-case.js'
import { equal, ok } from './expect.js'
import { workerdRealm } from './fixtures.js'
import type { ContractControl, LogEntry } from './log.js'

/** Methods by which a client finds out the era: sent before it is known, or to settle it. */
const handshake = ['server/discover', 'initialize', 'notifications/initialized']

/** Fails where the server saw anything but the target's eras, the subject's realm and the target's path. */
export async function verifyCell(target: ContractTarget, realm: string, control: ContractControl): Promise<void> {
  const { path, serverEra } = target
  const requests = (await control.log()).filter(({ kind }) => kind === 'request')
  ok(requests.length > 0, 'the server saw no request')
  for (const request of requests) {
    const what = `of ${request.httpMethod} ${request.method ?? ''}`
    equal(request.endpoint, serverEra, `endpoint ${what}`)
    if (!handshake.includes(request.method ?? '')) equal(request.era, serverEra, `era ${what}`)
    if (serverEra === 'modern') equal(request.sessionId, undefined, `session ${what}`)
    if (path === 'gateway' || path === 'passthrough') verifyGateway(request, target, realm, what)
    else equal([request.realm, request.caller], [realm, undefined], `realm and gateway ${what}`)
  }
  const initialized = requests.some(({ method }) => method === 'initialize')
  equal(initialized, serverEra === 'legacy', 'whether the server saw initialize')
}

/** What a gateway sends: from where it runs, with credentials of its own, and with nothing that is the caller's. */
function verifyGateway(request: LogEntry, { path, era }: ContractTarget, realm: string, what: string): void {
  const { caller, sessionId } = request
  equal(request.realm, workerdRealm, `the gateway’s realm ${what}`)
  equal(request.credential, 'api-key', `credential ${what}`)
  equal([request.headerNote, request.timersMs], [undefined, undefined], `the caller’s headers ${what}`)
  equal(caller?.realm, realm, `the caller’s realm ${what}`)
  // The gateway's own endpoint answers the caller's handshake itself.
  if (path === 'gateway' || !handshake.includes(request.method ?? ''))
    equal(caller?.era, era, `the caller’s era ${what}`)
  if (path === 'gateway') equal(caller?.sessionId, undefined, `the caller’s session ${what}`)
  else if (sessionId !== undefined) ok(caller?.sessionId !== sessionId, `the server’s own session id was given out`)
}
