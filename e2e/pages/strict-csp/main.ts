import { createHost } from '@x/web'
import { showCall } from '../show-call.js'

const worker = () => new Worker(new URL('./mcp-worker.ts', import.meta.url), { type: 'module' })
await showCall(createHost({ worker }))
