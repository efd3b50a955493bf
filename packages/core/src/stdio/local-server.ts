import type { ServerConfig } from '../config.js'
import { ConfigError } from '../errors.js'

/** A server on this machine, which is started and spoken to by its standard input and output. */
export interface LocalServer extends Omit<ServerConfig, 'url'> {
  /** The program: an absolute path, or a name on the `PATH` that the server is given. No shell reads it. */
  command: string
  args?: readonly string[]
  /**
   * Environment variables, over the few that every server is given: `HOME`, `LOGNAME`, `PATH`, `SHELL`, `TERM` and `USER`,
   * or what Windows has in their place. Nothing else of this process's environment is passed on.
   */
  env?: Readonly<Record<string, string>>
  /** The working directory. Default: this process's. */
  cwd?: string
  /** What errors, hooks and log events call the server. Default: the command's file name. */
  name?: string
  /**
   * Starts a server anew that has ended by itself: `attempts` times in a row, integer >= 1, the first time after `backoffMs`
   * milliseconds, integer >= 0, and each time after twice as long, up to a minute. One that has run for a minute has all of
   * its attempts again. Default: it is not started anew, and the connection is closed.
   */
  restart?: { attempts: number; backoffMs: number }
}

/** What errors, hooks and log events call it: never its arguments, which may hold a secret. */
export function localName({ name, command }: LocalServer): string {
  return name ?? (String(command).split(/[\\/]/).at(-1) || 'the server')
}

/** @throws {ConfigError} `ERR_MCP_CONFIG`; `data.key` names the wrong key, and no value is in the message. */
export function checkLocalServer(server: LocalServer): void {
  const fail = (key: string, message: string): never => {
    throw new ConfigError(message, { data: { key, server: localName(server) } })
  }
  const { command, args = [], env = {}, cwd, name, restart } = server
  if (!isText(command) || command === '') fail('command', '"command" must be the name or the path of a program')
  if (!Array.isArray(args) || !args.every(isText)) fail('args', '"args" must be a list of strings')
  for (const [key, value] of Object.entries(env))
    if (!isText(value) || !isText(key) || key === '' || key.includes('='))
      fail(`env.${key.slice(0, 100)}`, 'each variable of "env" must have a name and be a string')
  for (const [key, value] of Object.entries({ cwd, name }))
    if (value !== undefined && (!isText(value) || value === ''))
      fail(key, `"${key}" must be a string that is not empty`)
  if (restart && !isInteger(restart.attempts, 1))
    fail('restart.attempts', '"restart.attempts" must be an integer of at least 1')
  if (restart && !isInteger(restart.backoffMs, 0))
    fail('restart.backoffMs', '"restart.backoffMs" must be an integer of at least 0')
}

/** The system takes no text with a NUL in it, and the error that it gives tells the text. */
const isText = (value: unknown) => typeof value === 'string' && !value.includes('\0')

const isInteger = (value: unknown, least: number) => Number.isSafeInteger(value) && (value as number) >= least
