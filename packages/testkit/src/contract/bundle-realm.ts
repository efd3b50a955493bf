import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'

/** For what a script is bundled. */
const targets = {
  browser: { format: 'esm' },
  // A thread runs text as CommonJS.
  thread: { format: 'cjs', external: ['node:worker_threads'] },
  workerd: { format: 'esm', conditions: ['workerd', 'worker', 'browser'] },
} satisfies Record<string, BuildOptions>

/** A file of `realms/` with all that it imports, as one script: what the realm does not have fails the bundling. */
export async function bundleRealm(name: string, target: keyof typeof targets): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`realms/${name}.ts`, import.meta.url))],
    bundle: true,
    write: false,
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
    ...targets[target],
  })
  return outputFiles[0]!.text
}
