import { Client, type Transport } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { protocolVersions } from '../config.js'
import { ConfigError, InvalidResponseError } from '../errors.js'
import type { Finding, Json, JsonObject, Skill, SkillFile } from '../protocol.js'
import { version } from '../version.js'
import { noTimeoutMs, noValidation } from './link.js'
import { readPages } from './lists.js'
import { finalResult } from './payload.js'

/** One request to the server and its raw result, with this session's deadline, replay and recovery. */
export type Ask = (method: string, params: JsonObject) => Promise<JsonObject>

export interface SkillsOptions {
  capabilities: JsonObject
  ask: Ask
  report(finding: Finding): void
}

const extension = 'io.modelcontextprotocol/skills'
const listMethod = 'skills/list'
const methodNotFound = -32601

/**
 * Every skill that a server offers, as its entries say; nothing else is fetched. An entry that breaks the rules is left
 * out and reported.
 */
export async function listSkills(options: SkillsOptions): Promise<Skill[]> {
  if (!offersSkills(options)) return []
  const entries = await readEntries(options)
  const { skills, invalid } = await withClient({ ...options, ask: async () => ({ skills: entries }) }, (client) =>
    client.list({}, { timeout: noTimeoutMs }),
  )
  for (const { index, uri, reason } of invalid) {
    const name = JSON.stringify(uri ?? `#${index}`).slice(0, 200)
    options.report({
      code: 'skill-left-out',
      message: `The skill ${name} was left out: ${reason.slice(0, 300)}`,
      path: `/skills/${index}`,
    })
  }
  return skills as Skill[]
}

/** One file of a skill, checked against the skill's entry. */
export async function readSkill(skill: Skill, ref: string | undefined, options: SkillsOptions): Promise<SkillFile> {
  if (!offersSkills(options)) throw wrongSkill('the server has no skills')
  try {
    return (await withClient(options, (client) =>
      client.read(skill as never, ref, { timeout: noTimeoutMs }),
    )) as SkillFile
  } catch (error) {
    if (error instanceof TypeError) throw wrongSkill(error.message)
    throw isVerificationError(error) ? untrue(error) : error
  }
}

const offersSkills = ({ capabilities }: SkillsOptions) =>
  Object.hasOwn((capabilities.extensions ?? {}) as JsonObject, extension)

async function readEntries({ ask, report }: SkillsOptions): Promise<Json[]> {
  try {
    return await readPages(async (cursor) => {
      const { skills, nextCursor } = await ask(listMethod, cursor === undefined ? {} : { cursor })
      if (Array.isArray(skills)) return { items: skills, nextCursor }
      throw new InvalidResponseError(`The server's answer to ${listMethod} holds no list "skills"`, {
        data: { reason: 'shape' },
      })
    }, report)
  } catch (error) {
    if ((error as { code?: unknown }).code === methodNotFound) return []
    throw error
  }
}

/**
 * Runs something with the SDK's checks of skills. They belong to a client of the SDK's that has an engine of its own; this
 * one lives for one question, so that it remembers nothing, and what it sends goes by this session.
 */
async function withClient<Result>(
  { capabilities, ask }: SkillsOptions,
  use: (client: SkillsClient) => Promise<Result>,
): Promise<Result> {
  const client = new Client({ name: '@x/core', version }, { jsonSchemaValidator: noValidation })
  const discover = {
    supportedVersions: [protocolVersions[0]],
    capabilities: { extensions: { [extension]: (capabilities.extensions as JsonObject)[extension] } },
    ttlMs: 0,
    cacheScope: 'private',
  }
  await client.connect(throughSession(ask), { prior: { kind: 'modern', discover } as never })
  try {
    return await use(new SkillsClient(client, { skipInvalid: true }))
  } finally {
    await client.close()
  }
}

/** A transport whose other end is this session's server; what every modern result must have is put in. */
function throughSession(ask: Ask): Transport {
  const transport: Transport = {
    async start() {},
    async send(message) {
      if (!('method' in message) || !('id' in message)) return
      const { _meta: _, ...params } = (message.params ?? {}) as JsonObject
      const result = finalResult(await ask(message.method, params))
      transport.onmessage?.({
        jsonrpc: '2.0',
        id: message.id,
        result: { ...result, resultType: 'complete', ttlMs: 0, cacheScope: 'private' },
      })
    },
    async close() {
      transport.onclose?.()
    },
  }
  return transport
}

/** Told apart by its fields: classes differ between copies of a package. */
const isVerificationError = (error: unknown): error is { reason: string; message: string } => {
  const { name, reason } = (error ?? {}) as { name?: unknown; reason?: unknown }
  return name === 'SkillVerificationError' && typeof reason === 'string'
}

const untrue = ({ reason, message }: { reason: string; message: string }) =>
  new InvalidResponseError(`The skill is not what its entry says and must not be used: ${message.slice(0, 300)}`, {
    data: { reason },
  })

const wrongSkill = (why: string) =>
  new ConfigError(`"skill" must be one of listSkills() of this server: ${why.slice(0, 300)}`, {
    data: { key: 'skill' },
  })
