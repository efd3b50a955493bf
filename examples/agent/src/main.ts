import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { askAgent, runMorning } from './briefing.js'
import { createScriptedModel } from './scripted-model.js'
import { startWeatherServer } from './weather-server.js'

const token = 'a-secret-of-this-machine'
const weather = await startWeatherServer(token)
const folder = await mkdtemp(path.join(tmpdir(), 'notes-'))
const env = {
  NODE: process.execPath,
  HERE: fileURLToPath(new URL('..', import.meta.url)),
  NOTES_FILE: path.join(folder, 'notes.txt'),
  WEATHER_URL: weather.url,
  WEATHER_TOKEN: token,
}
try {
  console.log('The actions have found:', await runMorning(env))
  const model = createScriptedModel(
    [
      { tool: 'look_up_weather', input: { city: 'Lisbon' } },
      { tool: 'write_note', input: { text: 'Lisbon: pack the sun cream' } },
    ],
    'It is sunny in Lisbon; I have made a note.',
  )
  console.log('The agent says:', await askAgent('What is the weather like in Lisbon?', model, env))
  console.log('The notes are:\n%s', await readFile(env.NOTES_FILE, 'utf8'))
} finally {
  await weather.close()
  await rm(folder, { recursive: true })
}
