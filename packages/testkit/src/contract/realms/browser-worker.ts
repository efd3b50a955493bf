// A dedicated worker that serves its own scope.
import { serve } from '@x/web/serve'
import { createRecordingRuntime } from '../recording-runtime.js'

serve({ runtime: createRecordingRuntime(globalThis.constructor.name) })
