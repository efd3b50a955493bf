import type { AuthorizationRequest, ConnectOptions, Host, McpClient, ServerConfig } from '@x/core'
import { emptySurfaces, type SurfaceName, type Surfaces } from '../canaries/find-leaks.js'
import { toText } from '../canaries/to-text.js'
import type { Answers } from '../form-browser.js'
import type { Control, ControlChange, LogEntry } from '../server/control.js'

/** What a runtime brings. */
export interface Scene {
  host: Host
  redirectUrl: string
  /** Goes to an authorization server in the person's browser, and comes back with where that has led. */
  browse(url: Promise<string>): Promise<string>
  /** The person's answers from now on. */
  answer(answers: Answers): Promise<void>
  server: {
    issuer: string
    resource: string
    read(): Promise<Control>
    change(change: ControlChange): Promise<void>
  }
}

export interface Check {
  what: string
  held: boolean
}

/** What a journey has to say. */
export interface JourneyReport {
  checks: Check[]
  surfaces: Surfaces
  /** Of calls that were made at once. */
  parallel?: { calls: number; refreshes: number }
}

/** A scene in which everything that an app gets to see is written down. */
export interface Stage extends Omit<Scene, 'browse'> {
  readonly report: JourneyReport
  /** What the `authorize` hook was asked so far. */
  readonly requests: AuthorizationRequest[]
  check(what: string, held: boolean): void
  /** Connects with the hook, to the server of the scene. */
  connect(config?: Partial<ServerConfig>, options?: ConnectOptions): Promise<McpClient>
  /** The error that has to come; undefined, and a check that fails, where none does. */
  failure(promise: Promise<unknown>): Promise<Record<string, unknown> | undefined>
  /** The forms that the authorization server has shown so far. */
  forms(): Promise<string[]>
  /** Entries of the log. */
  log(party: LogEntry['party'], what?: string, details?: Record<string, string>): Promise<LogEntry[]>
  /** Waits until the log has something to show: what nobody waits for comes when it comes. */
  until(shown: () => Promise<boolean>): Promise<void>
  record(surface: SurfaceName, value: unknown): void
}

/** Looks at the log, each a request, before something counts as not coming. */
const maxLooks = 2_000

export function createStage({ browse, ...scene }: Scene): Stage {
  const report: JourneyReport = { checks: [], surfaces: emptySurfaces() }
  const requests: AuthorizationRequest[] = []
  const record = (surface: SurfaceName, value: unknown) => {
    report.surfaces[surface].push(typeof value === 'string' ? value : toText(value))
  }

  const authorize: NonNullable<ConnectOptions['authorize']> = async (asked) => {
    const callbackUrl = await browse(
      asked.then((request) => {
        const { url, ...rest } = request
        requests.push(request)
        record('authorization URLs', url)
        record('events', rest)
        return url
      }),
    )
    record('callback URLs', callbackUrl)
    return { callbackUrl }
  }

  return {
    ...scene,
    report,
    requests,
    record,
    check(what, held) {
      report.checks.push({ what, held })
    },
    async connect(config = {}, options = {}) {
      const client = await scene.host.connect(
        { url: scene.server.resource, auth: { type: 'oauth', redirectUrl: scene.redirectUrl }, ...config },
        { signIn: 'when-needed', authorize, onEvent: (event) => record('events', event), ...options },
      )
      client.listen({ lists: true, log: 'debug', wire: 'bodies', authorization: true, state: true }, (event) =>
        record('events', event),
      )
      return client
    },
    async failure(promise) {
      try {
        record('events', await promise)
      } catch (error) {
        record('errors', error)
        return error as Record<string, unknown>
      }
      report.checks.push({ what: 'it fails', held: false })
      return undefined
    },
    async forms() {
      const { log } = await scene.server.read()
      return log.filter(({ what }) => what === 'form').map(({ details }) => details.form!)
    },
    async until(shown) {
      for (let look = 0; look < maxLooks; look += 1) if (await shown()) return
    },
    async log(party, what, details = {}) {
      const { log } = await scene.server.read()
      return log.filter(
        (entry) =>
          entry.party === party &&
          (what === undefined || entry.what === what) &&
          Object.entries(details).every(([name, value]) => entry.details[name] === value),
      )
    },
  }
}

/** The text of a result with one block. */
export async function textOf(result: Promise<{ content: { type: string; text?: unknown }[] }>): Promise<string> {
  const [block] = (await result).content
  return String(block?.text)
}
