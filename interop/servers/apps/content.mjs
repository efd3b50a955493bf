// What every app here serves, so that one table of steps fits all of them.

/** A picture of one pixel. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** A sound without samples. */
export const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

export const media = [
  { type: 'text', text: 'media' },
  { type: 'image', data: png, mimeType: 'image/png' },
  { type: 'audio', data: wav, mimeType: 'audio/wav' },
  { type: 'resource_link', uri: 'test://greeting', name: 'greeting', mimeType: 'text/plain' },
  { type: 'resource', resource: { uri: 'test://note', mimeType: 'text/plain', text: 'embedded' } },
]

export const text = (value) => ({ content: [{ type: 'text', text: value }] })

export const users = ['ada', 'alan', 'grace']

export const ask = 'What is your name?'
export const signIn = 'https://example.com/sign-in'
export const question = { role: 'user', content: { type: 'text', text: 'Six by nine?' } }
