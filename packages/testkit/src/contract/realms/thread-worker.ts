// A thread that serves each port that it is sent.
import { isMainThread, type MessagePort, parentPort } from 'node:worker_threads'
import { serve } from '@x/web/serve'
import { createRecordingRuntime } from '../recording-runtime.js'

const runtime = createRecordingRuntime(isMainThread ? 'main' : 'worker_threads')
parentPort?.on('message', (port: MessagePort) => {
  serve({ runtime, port: port as never })
})
parentPort?.postMessage('ready')
