import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { connectControl } from '../../src/contract/record.js'

test('the server runs as a process of its own until it is told to end', async () => {
  const script = fileURLToPath(new URL('../../src/contract/serve.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const { url, deadUrl } = JSON.parse(line) as { url: string; deadUrl: string }
    await fetch(`${url}/legacy/mcp`)
    expect(await connectControl(url).log()).toMatchObject([{ kind: 'request', endpoint: 'legacy', httpMethod: 'GET' }])
    await expect(fetch(deadUrl)).rejects.toThrow('fetch failed')
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    await expect(fetch(url)).rejects.toThrow('fetch failed')
  } finally {
    child.kill('SIGKILL')
  }
})
