import { z } from 'zod'
import { drawPicture, SCENES } from '../media/picture.js'
import { synthesizeTone } from '../media/tone.js'
import { PICTURE, README } from '../resources.js'
import { defineTool } from '../tool.js'

const scene = z.enum(SCENES).default('sunset').meta({ title: 'Scene' })

export const image = defineTool({
  name: 'image',
  title: 'Picture',
  description: 'Draws a landscape and returns it as a PNG image.',
  input: z.object({
    scene,
    widthPx: z.int().min(16).max(640).default(320).meta({ title: 'Width', description: 'In pixels.' }),
  }),
  run: ({ scene, widthPx }) => ({ content: [imageBlock(drawPicture(scene, widthPx))] }),
})

export const audio = defineTool({
  name: 'audio',
  title: 'Tone',
  description: 'Plays a bell-like tone: a short WAV sound.',
  input: z.object({
    frequencyHz: z.number().min(55).max(3520).default(440).meta({ title: 'Pitch', description: 'In hertz; 440 is A.' }),
    durationMs: z.int().min(50).max(5000).default(1200).meta({ title: 'Duration', description: 'In milliseconds.' }),
  }),
  run: ({ frequencyHz, durationMs }) => ({ content: [audioBlock(synthesizeTone(frequencyHz, durationMs))] }),
})

export const embeddedResource = defineTool({
  name: 'embedded_resource',
  title: 'Embedded resource',
  description: 'Returns the content of a resource inside the result: Markdown as text, or a picture as binary data.',
  input: z.object({ kind: z.enum(['text', 'blob']).default('text').meta({ title: 'Kind' }) }),
  run: ({ kind }) => ({ content: [kind === 'text' ? embeddedText() : embeddedPicture()] }),
})

export const resourceLink = defineTool({
  name: 'resource_link',
  title: 'Resource links',
  description: 'Returns links to two resources of this server, to be read on demand.',
  input: z.object({}),
  run: () => ({ content: [linkTo(README), linkTo(PICTURE)] }),
})

export const mixed = defineTool({
  name: 'mixed',
  title: 'One of everything',
  description: 'Returns every kind of content in one result: text, picture, sound, a link, and embedded resources.',
  input: z.object({ scene }),
  run: ({ scene }) => ({
    content: [
      {
        type: 'text',
        text: 'A picture, a sound, a link and two embedded resources follow.',
        annotations: { audience: ['user', 'assistant'], priority: 1 },
      },
      imageBlock(drawPicture(scene, 240)),
      audioBlock(synthesizeTone(660, 600)),
      linkTo(PICTURE),
      embeddedText(),
      embeddedPicture(),
    ],
  }),
})

function imageBlock(png: Buffer) {
  return { type: 'image' as const, mimeType: 'image/png', data: png.toString('base64') }
}

function audioBlock(wav: Buffer) {
  return { type: 'audio' as const, mimeType: 'audio/wav', data: wav.toString('base64') }
}

function embeddedText() {
  return { type: 'resource' as const, resource: { uri: README.uri, mimeType: README.mimeType, text: README.text() } }
}

function embeddedPicture() {
  const blob = PICTURE.bytes().toString('base64')
  return { type: 'resource' as const, resource: { uri: PICTURE.uri, mimeType: PICTURE.mimeType, blob } }
}

function linkTo({ uri, name, title, description, mimeType }: typeof README | typeof PICTURE) {
  return { type: 'resource_link' as const, uri, name, title, description, mimeType }
}
