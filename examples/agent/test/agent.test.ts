import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askAgent, runMorning } from '../src/briefing.js'
import { createScriptedModel } from '../src/scripted-model.js'
import { startWeatherServer, type WeatherServer } from '../src/weather-server.js'

const token = 'token-of-the-test'
let weather: WeatherServer
let folder: string
let env: Record<string, string>

beforeAll(async () => {
  weather = await startWeatherServer(token)
  folder = await mkdtemp(path.join(tmpdir(), 'notes-'))
  env = {
    NODE: process.execPath,
    HERE: fileURLToPath(new URL('..', import.meta.url)),
    NOTES_FILE: path.join(folder, 'notes.txt'),
    WEATHER_URL: weather.url,
    WEATHER_TOKEN: token,
  }
})

afterAll(async () => {
  await weather.close()
  await rm(folder, { recursive: true })
})

test('an action is given the result of the one before, across servers', async () => {
  expect(await runMorning(env)).toEqual({
    forecast: '{"summary":"rain","degrees":7}',
    noted: 'Noted: Oslo: rain, 7 °C',
  })
  expect(await readFile(env.NOTES_FILE!, 'utf8')).toBe('Oslo: rain, 7 °C\n')
})

test('a model has one tool of each server, under the names of the file', async () => {
  const model = createScriptedModel(
    [
      { tool: 'look_up_weather', input: { city: 'Lisbon' } },
      { tool: 'write_note', input: { text: 'Lisbon: sun' } },
    ],
    'Done.',
  )
  expect(await askAgent('How is Lisbon?', model, env)).toBe('Done.')
  const [first, , last] = model.doGenerateCalls
  expect(first!.tools?.map(({ name }) => name)).toEqual(['look_up_weather', 'write_note'])
  const told = last!.prompt.flatMap((message) => (message.role === 'tool' ? message.content : []))
  expect(told.map((part) => part.type === 'tool-result' && part.output)).toEqual([
    { type: 'text', value: '{"summary":"sun","degrees":24}' },
    { type: 'text', value: 'Noted: Lisbon: sun' },
  ])
  expect(await readFile(env.NOTES_FILE!, 'utf8')).toMatch(/Lisbon: sun\n$/)
})

test('a secret that is missing is told by the file, the line and the name of its variable', async () => {
  const { WEATHER_TOKEN: _, ...rest } = env
  await expect(runMorning(rest)).rejects.toMatchObject({
    code: 'ERR_MCP_CONFIG',
    message: expect.stringMatching(/^mcp\.json:12: .*"WEATHER_TOKEN"/),
  })
})

test('a server that refuses the secret is named with the tool that is missing, and nothing is noted', async () => {
  const before = await readFile(env.NOTES_FILE!, 'utf8').catch(() => '')
  await expect(runMorning({ ...env, WEATHER_TOKEN: 'another' })).rejects.toMatchObject({
    data: { file: 'agent.yaml', server: 'https://weather.example/mcp', tool: 'get_forecast' },
  })
  expect(await readFile(env.NOTES_FILE!, 'utf8').catch(() => '')).toBe(before)
})
