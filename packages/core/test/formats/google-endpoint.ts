import { GoogleGenAI } from '@google/genai'
import { startScriptedServer } from '@x/testkit'
import { createScriptedEndpoint, type Said, type ScriptedEndpoint, type Step } from './scripted-endpoint.js'

export interface GeminiEndpoint extends Pick<ScriptedEndpoint, 'bodies'> {
  gemini: GoogleGenAI
  close(): Promise<void>
}

/** `generateContent` behind Google's SDK, which takes an address and no `fetch`. */
export async function startGeminiEndpoint(...steps: Step[]): Promise<GeminiEndpoint> {
  const { bodies, fetch } = createScriptedEndpoint(steps, reply)
  const { url, close } = await startScriptedServer(fetch)
  return { bodies, gemini: new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: url } }), close }
}

function reply(said: Said): object {
  const parts =
    typeof said === 'string'
      ? [{ text: said }]
      : said.map(([id, name, args = {}]) => ({ functionCall: { id, name, args } }))
  return { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }
}
