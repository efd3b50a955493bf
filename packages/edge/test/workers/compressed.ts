import { Hono } from 'hono'
import { compress } from 'hono/compress'
import { createGateway } from '../../src/index.js'
import type { Env } from './gateway.js'

/** A gateway below a path of an app that compresses what it can. */
const app = new Hono<{ Bindings: Env }>()
app.use(compress({ threshold: 0 }))
app.get('/large', (context) => context.text('x'.repeat(10_000)))
app.route(
  '/tools',
  createGateway<Env>(({ OPTIONS: { callers: _, ...options } }) => ({
    ...options,
    authenticate: () => ({ id: 'ada' }),
  })),
)
app.notFound((context) => context.text('the app says: not found', 404))

export default app
