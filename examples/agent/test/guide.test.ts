import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWeatherServer, type WeatherServer } from '../src/weather-server.js'

const here = fileURLToPath(new URL('..', import.meta.url))
const guide = await readFile(new URL('../../../docs/agent-files.md', import.meta.url), 'utf8')
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text]) => text!)

const token = 'token-of-the-guide'
let weather: WeatherServer
let folder: string

/** Runs a program of the guide beside the files of the guide, with our own servers in the place of those that it names. */
async function run(program: string): Promise<string> {
  const file = path.join(folder, 'program.ts')
  await writeFile(file, `${program}\nexport {}\n`)
  const env = { PATH: process.env.PATH, HOME: folder, WEATHER_TOKEN: token }
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', file], { cwd: folder, env })
  return stdout
}

beforeAll(async () => {
  weather = await startWeatherServer(token)
  await mkdir(path.join(here, '.cache'), { recursive: true })
  // Within this package, so that its dependencies are found.
  folder = await mkdtemp(path.join(here, '.cache/guide-'))
  const [servers] = blocks('json')
  const [agent, actions] = blocks('yaml')
  const ours = (text: string) => text.replaceAll('https://weather.example/mcp', weather.url)
  await writeFile(path.join(folder, 'mcp.json'), ours(servers!))
  await writeFile(path.join(folder, 'agent.yaml'), agent!)
  await writeFile(path.join(folder, 'actions.yaml'), ours(actions!))
  const server =
    "process.env.NOTES_FILE = process.env.NOTES\nimport('tsx/esm/api').then(({ register }) => {\n  register()\n  import('../../src/notes-server.ts')\n})\n"
  await writeFile(path.join(folder, 'notes-server.mjs'), server)
})

afterAll(async () => {
  await weather.close()
  await rm(folder, { recursive: true })
})

test('the guide has a program for each of its chapters', () => {
  expect(blocks('ts')).toHaveLength(4)
})

test('the servers of a file are opened', async () => {
  expect(await run(blocks('ts')[0]!)).toBe("[ 'notes__append_note', 'notes__read_notes', 'weather__get_forecast' ]\n")
})

test('a command line becomes an entry with its variable', async () => {
  expect(JSON.parse(await run(blocks('ts')[1]!))).toEqual({
    mcpServers: {
      notes: { type: 'http', url: 'https://notes.example/mcp', headers: { Authorization: 'Bearer ${TOKEN}' } },
    },
  })
})

test('an agent has its tools', async () => {
  expect(await run(blocks('ts')[2]!)).toBe("Answer briefly. [ 'look_up_weather', 'write_note' ]\n")
})

test('actions use the results of earlier ones', async () => {
  expect(await run(blocks('ts')[3]!)).toContain("noted: 'Noted: Oslo: rain, 7 °C'")
  expect(await readFile(path.join(folder, 'notes.txt'), 'utf8')).toBe('Oslo: rain, 7 °C\n')
})
