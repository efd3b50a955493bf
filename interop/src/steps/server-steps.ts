import { apps } from './apps.js'
import { everythingHttp, everythingSse } from './everything.js'
import { sdkExamples } from './sdk-examples.js'
import type { ServerSteps } from './step.js'

/** By the server's name. */
export const serverSteps: Readonly<Record<string, ServerSteps>> = {
  'everything-http': everythingHttp,
  'everything-sse': everythingSse,
  ...sdkExamples,
  ...apps,
}
