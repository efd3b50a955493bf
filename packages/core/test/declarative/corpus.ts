import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ErrorData, McpError } from '../../src/errors.js'

const folder = fileURLToPath(new URL('corpus', import.meta.url))

/** What reading a file gives: its result, or what its error says of each fault. */
export type Outcome = { result: unknown } | { errors: Fault[] }

interface Fault {
  code?: string
  message: string
  line?: number
  key?: string
  server?: string
  tool?: string
}

export interface CorpusFile {
  /** The file's name, by which errors call it. */
  name: string
  text: string
  expected: Outcome
}

/** The files of one folder, each with what is to come of it. */
export function corpus(kind: 'servers' | 'agents' | 'actions' | 'commands'): CorpusFile[] {
  return readdirSync(path.join(folder, kind))
    .filter((name) => !name.endsWith('.expected.json'))
    .map((name) => {
      const file = path.join(folder, kind, name)
      const expected = JSON.parse(readFileSync(`${file}.expected.json`, 'utf8')) as Outcome
      return { name, text: readFileSync(file, 'utf8'), expected }
    })
}

/** What comes of reading, in the form of the expectations. */
export async function outcomeOf(read: () => unknown): Promise<Outcome> {
  try {
    return { result: JSON.parse(JSON.stringify(await read())) as unknown }
  } catch (error) {
    if (!McpError.is(error)) throw error
    return { errors: (error.data.errors ?? []).map(toFault) }
  }
}

function toFault({ code, message, data: { line, key, server, tool } = {} }: ErrorData): Fault {
  return {
    ...(code !== 'ERR_MCP_CONFIG' && code && { code }),
    message,
    ...(line !== undefined && { line }),
    ...(key !== undefined && { key }),
    ...(server !== undefined && { server }),
    ...(tool !== undefined && { tool }),
  }
}
