import { z } from 'zod'
import { defineTool, structuredResult, textResult } from '../tool.js'

const MAX_TEXT_LENGTH = 10_000
const MAX_SUMMAND = 1e12

const GREETINGS = {
  arabic: 'مرحبا يا {name} 👋',
  english: 'Hello, {name}! 👋',
  greek: 'Γεια σου, {name}! 🏛️',
  hindi: 'नमस्ते, {name}! 🙏🏽',
  icelandic: 'Halló, {name}! 🌋',
  japanese: 'こんにちは、{name}さん！🎏',
} as const

const LANGUAGES = Object.keys(GREETINGS) as (keyof typeof GREETINGS)[]

export const echo = defineTool({
  name: 'echo',
  title: 'Echo',
  description: 'Sends your message back, unchanged.',
  input: z.object({ message: z.string().max(MAX_TEXT_LENGTH).meta({ title: 'Message' }) }),
  run: ({ message }) => textResult(message),
})

export const greeting = defineTool({
  name: 'greeting',
  title: 'Greeting',
  description: 'Greets someone in one of six languages: other scripts, text from right to left, and emoji.',
  input: z.object({
    name: z.string().min(1).max(100).default('Ada').meta({ title: 'Name', description: 'Whom to greet.' }),
    language: z.enum(LANGUAGES).default('english').meta({ title: 'Language' }),
  }),
  run: ({ name, language }) => textResult(GREETINGS[language].replace('{name}', () => name)),
})

export const add = defineTool({
  name: 'add',
  title: 'Add two numbers',
  description: 'Adds two numbers and returns the sum as text and as structured content.',
  input: z.object({
    a: z.number().min(-MAX_SUMMAND).max(MAX_SUMMAND).meta({ title: 'First number' }),
    b: z.number().min(-MAX_SUMMAND).max(MAX_SUMMAND).meta({ title: 'Second number' }),
  }),
  output: z.object({ sum: z.number() }),
  run: ({ a, b }) => structuredResult({ sum: a + b }),
})
