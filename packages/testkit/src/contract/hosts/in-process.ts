import * as core from '@x/core'
import { toTools } from '@x/core/ai-sdk'
import { createRecordingRuntime } from '../recording-runtime.js'
import { type ContractHost, runHere } from './contract-host.js'

/** Core in this process. */
export const inProcess: ContractHost = {
  start: async () =>
    runHere({
      api: { ...core, toTools },
      realm: 'main',
      createHost: () => core.createHost(createRecordingRuntime('main')),
    }),
}
