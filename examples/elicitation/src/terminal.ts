import type { Interface } from 'node:readline/promises'
import type { ElicitationRequest, ElicitationResult, Json, JsonObject } from '@x/core'

/** Answers a server's questions from a terminal; one that is closed dismisses them. */
export function createTerminalAnswers(terminal: Interface) {
  const closed = new AbortController()
  terminal.once('close', () => closed.abort())
  const ask = (question: string) => terminal.question(question, { signal: closed.signal })

  async function fillIn({ requestedSchema }: ElicitationRequest): Promise<ElicitationResult> {
    const content: JsonObject = {}
    for (const [key, field] of Object.entries((requestedSchema?.properties ?? {}) as Record<string, JsonObject>)) {
      const usual = field.default === undefined ? '' : ` [${field.default}]`
      const text = (await ask(`  ${field.title ?? key}${usual}: `)).trim()
      if (text === 'no!') return { action: 'decline' }
      // What is left out is filled in with the form's default.
      if (text !== '') content[key] = toValue(text, field.type)
    }
    return { action: 'accept', content }
  }

  async function visit({ url, domain }: ElicitationRequest): Promise<ElicitationResult> {
    // Whole, and never opened by itself: the person has to see where it leads.
    console.log(`  A page of ${domain}: ${url}`)
    const text = await ask('  Open it in a browser and press Enter when you are done: ')
    return { action: text.trim() === 'no!' ? 'decline' : 'accept' }
  }

  return async (question: ElicitationRequest): Promise<ElicitationResult> => {
    console.log(`${question.tool ?? 'A tool'} of ${question.server} asks: ${question.message} ("no!" declines)`)
    try {
      return await (question.mode === 'url' ? visit(question) : fillIn(question))
    } catch (error) {
      if (closed.signal.aborted) return { action: 'cancel' }
      throw error
    }
  }
}

function toValue(text: string, type: Json | undefined): Json {
  if (type === 'boolean') return ['y', 'yes', 'true'].includes(text.toLowerCase())
  return type === 'integer' || type === 'number' ? Number(text) : text
}
