import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Failure } from './failure.mjs'

/** The workspace's folder. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/** The script behind a tool's command, to be run by this Node: the same on every system, without a shell. */
export function tool(packageName, command = packageName, folder = root) {
  const manifest = path.join(folder, 'node_modules', packageName, 'package.json')
  if (!existsSync(manifest))
    throw new Failure(`${packageName} is not installed in ${folder}: delete node_modules/.x-install and try again.`)
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'))
  return path.join(path.dirname(manifest), typeof bin === 'string' ? bin : bin[command])
}

/**
 * Runs a program to its end.
 *
 * @param options.show - `all` lets its output through as it comes; `none` only collects it.
 * @param options.onLine - Called with each line of output that is collected.
 * @returns Its exit code, and what it wrote where that was collected.
 */
export function run(file, args, { cwd = root, env = {}, show = 'all', collect = show === 'none', onLine } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', collect ? 'pipe' : 'inherit', collect ? 'pipe' : 'inherit'],
    })
    let output = ''
    for (const stream of collect ? [child.stdout, child.stderr] : []) {
      let rest = ''
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
        if (show === 'all') process.stdout.write(text)
        const lines = (rest + text).split('\n')
        rest = lines.pop()
        for (const line of lines) onLine?.(line)
      })
    }
    let interrupted = false
    const forward = (signal) => {
      interrupted = true
      child.kill(signal)
    }
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, forward)
    const settle = () => {
      for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, forward)
    }
    child.on('error', (error) => {
      settle()
      reject(error)
    })
    child.on('close', (code) => {
      settle()
      // Someone pressed Ctrl-C: what was to follow is not wanted either.
      if (interrupted) process.exit(130)
      resolve({ code: code ?? 1, output })
    })
  })
}

/** Runs a script by this Node. */
export const runNode = (script, args = [], options = {}) => run(process.execPath, [script, ...args], options)
