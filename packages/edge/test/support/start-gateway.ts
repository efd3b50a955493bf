import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import type { WorkerOptions } from '../workers/gateway.js'

export const secret = 'a secret of the tests, long enough to sign'
export const origin = 'https://chat.example'
export const tokens = { ada: 'token-of-ada', bob: 'token-of-bob' } as const

export interface RunningGateway {
  /** Without a slash at its end. */
  url: string
  /** A request with Ada's token, unless the headers say otherwise. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** What the Worker wrote to its console. */
  log: string[]
  stop(): Promise<void>
}

export interface GatewaySetup extends Partial<Omit<WorkerOptions, 'servers'>> {
  servers: WorkerOptions['servers']
  /** The file in `workers`. Default `gateway`. */
  worker?: string
  compatibilityDate?: string
  compatibilityFlags?: string[]
  /** What the binding SERVICE reaches. */
  service?: (request: Request) => Response | Promise<Response>
}

const bundles = new Map<string, Promise<string>>()

/** A Worker's script as one module, as a bundler for Workers makes it. */
export function bundleWorker(name: string): Promise<string> {
  const made = bundles.get(name) ?? bundle(name)
  bundles.set(name, made)
  return made
}

async function bundle(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../workers/${name}.ts`, import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['workerd', 'worker', 'browser'],
    logLevel: 'error',
  })
  return outputFiles[0]!.text
}

/**
 * Runs the gateway in workerd, without `nodejs_compat`, and reaches it by a socket of its own: no proxy in between
 * mends what it sends.
 */
export async function startGateway({
  compatibilityDate = '2026-04-20',
  compatibilityFlags = [],
  worker: name = 'gateway',
  service,
  ...options
}: GatewaySetup): Promise<RunningGateway> {
  const log: string[] = []
  const bindings: { OPTIONS: WorkerOptions } = {
    OPTIONS: {
      publicUrl: 'https://gateway.example',
      secret,
      origins: [origin],
      callers: { [tokens.ada]: 'ada', [tokens.bob]: 'bob' },
      ...options,
    },
  }
  const worker = new Miniflare({
    name: 'gateway',
    modules: true,
    script: await bundleWorker(name),
    compatibilityDate,
    compatibilityFlags,
    bindings: bindings as never,
    ...(service && { serviceBindings: { SERVICE: service as never } }),
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
    cf: false,
    handleRuntimeStdio(stdout: Readable, stderr: Readable) {
      for (const stream of [stdout, stderr]) stream.on('data', (chunk: Buffer) => log.push(String(chunk)))
    },
  })
  await worker.ready
  const url = (await worker.unsafeGetDirectURL('gateway')).href.replace(/\/$/, '')
  return {
    url,
    log,
    fetch: (path, init = {}) =>
      fetch(url + path, {
        ...init,
        headers: { authorization: `Bearer ${tokens.ada}`, ...(init.headers as Record<string, string>) },
      }),
    stop: () => worker.dispose(),
  }
}
