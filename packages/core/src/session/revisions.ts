import { protocolVersions, type ResolvedConfig } from '../config.js'
import { type McpError, ProtocolVersionError } from '../errors.js'
import type { ProtocolVersion, ServerInfo } from '../protocol.js'

export const [modernVersion, ...legacyVersions] = protocolVersions

/** The revision that the configuration pins, if any. */
export function pinnedVersion({ protocolVersion }: ResolvedConfig): ProtocolVersion | undefined {
  return protocolVersion === 'auto' ? undefined : protocolVersion
}

/**
 * The earlier revisions that the answer to `initialize` may name; the first is what `initialize` offers.
 *
 * @param offer - A revision that the server is known to take. Default: the newest.
 */
export function legacyOffers(config: ResolvedConfig, offer: ProtocolVersion = legacyVersions[0]): ProtocolVersion[] {
  const pinned = pinnedVersion(config)
  return pinned ? [pinned] : [offer, ...legacyVersions.filter((version) => version !== offer)]
}

/** The strings of a list that a server may have sent under this name. */
export function versionsOf(value: unknown, key: string): string[] {
  const versions = (value as { [key: string]: unknown } | null | undefined)?.[key]
  return Array.isArray(versions) ? versions.filter((version) => typeof version === 'string') : []
}

/** A server that names its revisions and none of ours would only refuse `initialize` in words less clear. */
export function checkVersions(versions: string[]): void {
  if (versions.length === 0 || protocolVersions.some((version) => versions.includes(version))) return
  throw new ProtocolVersionError(`The server speaks ${shown(versions)}; ${weSpeak}`)
}

/** A refusal of `initialize` by an HTTP status. */
export interface RefusedHandshake {
  status: number
  /** The body, or its beginning. */
  text: string
}

/** What a refusal of `initialize` for its revision's sake says of revisions. */
export interface VersionRefusal {
  /** Those that it names. */
  named: string[]
  /** Whether these are all that the server has. */
  complete: boolean
}

/**
 * Reads a refusal of `initialize`: some servers refuse a revision that they don't know, instead of answering with one of
 * theirs. They name theirs in the error's data, or in words, or only say what is wrong.
 *
 * @returns Undefined where nothing is said of revisions.
 */
export function versionRefusal(error: McpError, refused?: RefusedHandshake): VersionRefusal | undefined {
  const isRpc = error.code === 'ERR_MCP_JSONRPC'
  if (!isRpc && refused?.status !== 400) return undefined
  const supported = versionsOf(error.data.rpcData, 'supported')
  if (supported.length > 0) return { named: supported, complete: true }
  const text = isRpc
    ? `${error.message} ${JSON.stringify(error.data.rpcData) ?? ''}`.slice(0, maxLength)
    : refused!.text
  const named = legacyVersions.filter((version) => text.includes(version))
  const isBlamed = /protocol.?version|unsupported.{0,40}version|version.{0,40}(unsupported|not supported)/i.test(text)
  return named.length > 0 || isBlamed ? { named, complete: false } : undefined
}

/**
 * The revision to offer after this one was refused: the newest that the refusal names; else the one before, and over
 * HTTP+SSE the only one that has it.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation}
 */
export function otherOffer(
  offered: ProtocolVersion,
  transport: ServerInfo['transport'],
  { named, complete }: VersionRefusal = { named: [], complete: false },
): ProtocolVersion | undefined {
  const best = legacyVersions.find((version) => version !== offered && named.includes(version))
  if (best || complete) return best
  const before =
    transport === 'sse' ? legacyVersions.at(-1) : legacyVersions[legacyVersions.indexOf(offered as never) + 1]
  return before === offered ? undefined : before
}

/** A refusal in terms of the configuration, or of what both sides speak; undefined where it says nothing of these. */
export function explainRefusal(
  config: ResolvedConfig,
  { named, complete }: VersionRefusal,
  cause: McpError,
): ProtocolVersionError | undefined {
  const pinned = pinnedVersion(config)
  const others = named.filter((version) => version !== pinned)
  if (pinned && !(complete && named.includes(pinned)))
    return new ProtocolVersionError(
      `The server refuses revision ${pinned}, which "protocolVersion" asks for${others.length > 0 ? `; it speaks ${shown(others)}` : ''}`,
      { cause },
    )
  const inCommon = protocolVersions.some((version) => named.includes(version))
  return complete && !inCommon
    ? new ProtocolVersionError(`The server speaks ${shown(named)}; ${weSpeak}`, { cause })
    : undefined
}

/** An answer to `initialize` that names a revision which is not among the accepted. */
export function answeredOther(version: string, accepted: readonly string[]): ProtocolVersionError {
  const wanted = accepted.length === 1 ? `"protocolVersion" asks for ${accepted[0]}` : weSpeak
  return new ProtocolVersionError(`The server answered initialize with revision ${shown([version])}; ${wanted}`)
}

const weSpeak = `this client speaks ${protocolVersions.join(', ')}: one of the two needs an update`

/** Characters of an error in which revisions are looked for. */
const maxLength = 64 * 1024

/** A server's words, cut where they go on for long. */
const shown = (versions: string[]) => versions.slice(0, 10).join(', ').slice(0, 200)
