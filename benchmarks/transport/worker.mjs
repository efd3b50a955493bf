// A thread that serves each port that it is sent; by Node alone, since a thread does not inherit what reads TypeScript.
import { parentPort } from 'node:worker_threads'
import { serve } from '@x/web/serve'

parentPort.on('message', (port) => serve({ port }))
