import { describe, expect, test } from 'vitest'
import { type Finding, toolForms } from '../src/formats.js'
import { serve } from '../src/server.js'
import { badSchemas } from './bad-schemas.js'
import { breachesOf } from './breaches.js'

const good = Array.from({ length: 99 }, (_, index) => ({
  name: `good_${index}`,
  description: 'Does good.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
}))

describe.each(badSchemas)('a list of 100 tools, one with $what', ({ schema, providers, path }) => {
  test.each(toolForms)('for $name: 99 are usable, and the bad one is named', async (form) => {
    const bad = { name: 'bad', description: 'Is bad.', inputSchema: schema }
    const { client, close } = await serve([...good.slice(0, 50), bad, ...good.slice(50)])
    const findings: Finding[] = []
    const sent = await form.send(client, (finding) => findings.push(finding))
    await close()
    const isRefused = !providers || providers.includes(form.provider)
    expect(sent.map(({ name }) => name)).toEqual([
      ...good.slice(0, 50).map(({ name }) => name),
      ...(isRefused ? [] : ['bad']),
      ...good.slice(50).map(({ name }) => name),
    ])
    const left = findings.filter(({ code }) => code === 'tool-left-out')
    expect(left.map((finding) => [finding.tool, finding.path ?? ''])).toEqual(isRefused ? [['bad', path]] : [])
    expect(breachesOf(form, sent)).toEqual([])
  })
})
