import { describe, expect, test } from 'vitest'
import { emptyDraft, readArguments, withArgs, withMode, withText } from '../../src/store/drafts.js'

describe('arguments while they are typed', () => {
  test('are the same in the form and in the editor', () => {
    const typed = withArgs(emptyDraft, { city: 'Oslo' })
    expect(JSON.parse(typed.text)).toEqual({ city: 'Oslo' })
    const edited = withText(withMode(typed, 'json'), '{"city": "Cairo"}')
    expect(withMode(edited, 'form')).toMatchObject({ mode: 'form', args: { city: 'Cairo' } })
  })

  test('stay the last good ones while the text is no JSON, and the text stays as typed', () => {
    const broken = withText(withArgs(emptyDraft, { city: 'Oslo' }), '{"city":')
    expect(broken.args).toEqual({ city: 'Oslo' })
    expect(broken.text).toBe('{"city":')
    expect(broken.problem).toMatch(/not valid JSON/)
    expect(withText(broken, '{"city":"Rome"}').problem).toBeUndefined()
  })
})

test('no text at all means no arguments', () => {
  expect(readArguments(' \n')).toEqual({ args: {} })
})

test.each(['[]', 'null', '"text"', '1'])('%s is refused: arguments are an object', (text) => {
  expect(readArguments(text).problem).toMatch(/must be a JSON object/)
})
