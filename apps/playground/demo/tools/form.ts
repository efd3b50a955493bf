import { z } from 'zod'
import { defineTool, structuredResult } from '../tool.js'

const address = z
  .object({
    street: z.string().min(1).max(200).meta({ title: 'Street' }),
    postcode: z
      .string()
      .regex(/^[A-Za-z0-9 -]{3,10}$/)
      .meta({ title: 'Postcode' }),
    country: z.enum(['CH', 'DE', 'IS', 'JP', 'PT']).default('CH').meta({ title: 'Country' }),
  })
  .meta({ title: 'Address' })

const payment = z
  .discriminatedUnion('method', [
    z
      .object({
        method: z.literal('card'),
        lastDigits: z
          .string()
          .regex(/^\d{4}$/)
          .meta({ title: 'Last four digits' }),
      })
      .meta({ title: 'Card' }),
    z
      .object({ method: z.literal('invoice'), email: z.email().meta({ title: 'Send the invoice to' }) })
      .meta({ title: 'Invoice' }),
  ])
  .meta({ title: 'Payment' })

const item = z.object({
  article: z.enum(['tea', 'coffee', 'cocoa']).meta({ title: 'Article' }),
  quantity: z.int().min(1).max(99).default(1).meta({ title: 'Quantity' }),
})

/** Every field a different challenge to whoever draws a form from a JSON Schema. */
const order = z.object({
  name: z.string().min(1).max(100).meta({ title: 'Name' }),
  email: z.email().optional().meta({ title: 'Email', description: 'Optional.' }),
  website: z.url().max(500).optional().meta({ title: 'Website', description: 'Optional.' }),
  delivery: z.iso.date().meta({ title: 'Delivery day' }),
  callAt: z.iso
    .datetime({ offset: true })
    .optional()
    .meta({ title: 'Call at', description: 'Date and time; optional.' }),
  gift: z.boolean().default(false).meta({ title: 'Wrap as a gift' }),
  note: z.string().max(1000).nullable().default(null).meta({ title: 'Note', description: 'Text, or nothing (null).' }),
  rating: z
    .number()
    .min(0)
    .max(5)
    .multipleOf(0.5)
    .optional()
    .meta({ title: 'Rating', description: '0 to 5, by halves.' }),
  items: z.array(item).min(1).max(20).meta({ title: 'Items' }),
  tags: z
    .array(z.enum(['urgent', 'fragile', 'organic']))
    .max(3)
    // zod has no word for it: checked here, and told to clients below.
    .refine((tags) => new Set(tags).size === tags.length, 'No tag twice')
    .default([])
    .meta({ title: 'Tags', uniqueItems: true }),
  address,
  payment,
  extras: z
    .record(z.string().max(50), z.string().max(200))
    .default({})
    .meta({ title: 'Extras', description: 'Free keys.' }),
})

export const form = defineTool({
  name: 'form',
  title: 'Order form',
  description:
    'Shows what a form must handle: nested objects, lists, choices, formats, defaults, optional and nullable fields, alternatives. Returns the order as the server understood it.',
  input: order,
  output: z.object({ order, pieces: z.int() }),
  run: (args) =>
    structuredResult({ order: args, pieces: args.items.reduce((pieces, { quantity }) => pieces + quantity, 0) }),
})
