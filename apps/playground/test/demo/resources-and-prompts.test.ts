import { describe, expect, it } from 'vitest'
import { connectDemo, ERAS } from './demo-client.js'
import { runDemo } from './running-demo.js'

describe.each(ERAS)('resources and prompts, %s', (era) => {
  it('introduces itself with a title, an icon and instructions', async () => {
    const { url } = await runDemo()
    const { server, instructions } = await connectDemo(era, url)
    expect(server).toMatchObject({ name: 'demo', title: 'Demo server' })
    expect(server?.icons?.[0]?.src).toMatch(/^data:image\/svg\+xml;base64,/)
    expect(instructions).toContain('demo server')
  })

  it('reads text, JSON and a picture', async () => {
    const { url } = await runDemo()
    const client = await connectDemo(era, url)
    const uris = (await client.listResources()).map(({ uri }) => uri)
    expect(uris).toEqual(['demo://readme', 'demo://cities.json', 'demo://picture.png'])
    expect((await client.readResource('demo://readme'))[0]?.text).toContain('# Demo server')
    const [cities] = await client.readResource('demo://cities.json')
    expect(JSON.parse(String(cities?.text))).toContainEqual(
      expect.objectContaining({ name: 'Oslo', country: 'Norway' }),
    )
    const [picture] = await client.readResource('demo://picture.png')
    expect(Buffer.from(String(picture?.blob), 'base64').subarray(1, 4).toString()).toBe('PNG')
  })

  it('reads by a template, also names that the URI must encode', async () => {
    const { url } = await runDemo()
    const client = await connectDemo(era, url)
    expect(await client.listResourceTemplates()).toMatchObject([{ uriTemplate: 'demo://city/{name}' }])
    const [city] = await client.readResource(`demo://city/${encodeURIComponent('São Paulo')}`)
    expect(JSON.parse(String(city?.text))).toMatchObject({ name: 'São Paulo', country: 'Brazil' })
  })

  it.each(['demo://city/Atlantis', 'demo://city/%ZZ', 'demo://nothing'])('has no resource %s', async (uri) => {
    const { url } = await runDemo()
    const client = await connectDemo(era, url)
    await expect(client.readResource(uri)).rejects.toMatchObject({ code: -32602 })
  })

  it('completes a variable of the template', async () => {
    const { url } = await runDemo()
    const client = await connectDemo(era, url)
    const ref = { type: 'ref/resource' as const, uri: 'demo://city/{name}' }
    expect(await client.complete({ ref, argument: { name: 'name', value: 'c' } })).toEqual(['Cairo', 'Cape Town'])
    expect(await client.complete({ ref, argument: { name: 'name', value: 'zu' } })).toEqual(['Zürich'])
  })

  it('offers prompts with and without arguments', async () => {
    const { url } = await runDemo()
    const client = await connectDemo(era, url)
    const prompts = new Map((await client.listPrompts()).map((prompt) => [prompt.name, prompt.arguments ?? []]))
    expect(prompts.get('explain_server')).toEqual([])
    expect(prompts.get('plan_trip')).toMatchObject([
      { name: 'city', required: true },
      { name: 'style', required: true },
      { name: 'wishes', required: false },
    ])
    expect((await client.getPrompt('explain_server')).map(({ content }) => content.type)).toEqual(['text', 'resource'])
    expect((await client.getPrompt('describe_picture')).map(({ content }) => content.type)).toEqual(['text', 'image'])
  })

  it('fills in a prompt, and completes its arguments', async () => {
    const { url } = await runDemo()
    const client = await connectDemo(era, url)
    const ref = { type: 'ref/prompt' as const, name: 'plan_trip' }
    expect(await client.complete({ ref, argument: { name: 'city', value: 'sao' } })).toEqual(['São Paulo'])
    expect(await client.complete({ ref, argument: { name: 'style', value: 'n' } })).toEqual(['nature', 'nightlife'])
    const messages = await client.getPrompt('plan_trip', { city: 'Oslo', style: 'art' })
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(messages[0]?.content).toHaveProperty(
      'text',
      expect.stringContaining('Plan a day in Oslo with a focus on art'),
    )
    await expect(client.getPrompt('plan_trip', { city: 'Oslo' })).rejects.toMatchObject({ code: -32602 })
  })
})
