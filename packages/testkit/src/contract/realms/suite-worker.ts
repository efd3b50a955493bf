// A Worker that runs one case per request, with connections that belong to that request alone.
import './report-faults.js'
import * as core from '@x/core'
import { toTools } from '@x/core/ai-sdk'
import { type ContractTarget, runCase } from '../contract-case.js'
import { workerdRealm } from '../fixtures.js'
import { connectControl } from '../record.js'
import { createRecordingRuntime } from '../recording-runtime.js'
import { findCase } from '../suite.js'

/** What the Worker is asked. */
export interface CaseRequest {
  name: string
  target: ContractTarget
  controlUrl: string
}

/** What it answers: what failed, if something did. */
export interface CaseReply {
  failure?: string
}

export default {
  async fetch(request: Request): Promise<Response> {
    const { name, target, controlUrl } = (await request.json()) as CaseRequest
    const createHost = () => core.createHost(createRecordingRuntime(navigator.userAgent))
    const subject = { api: { ...core, toTools }, realm: workerdRealm, createHost }
    const host = createHost()
    const reply: CaseReply = {}
    try {
      // Of Node there is nothing here, as it would be with `nodejs_compat`.
      if ('process' in globalThis) throw new Error('this Worker has Node’s globals')
      await runCase(findCase(name), target, subject, host, connectControl(controlUrl))
    } catch (error) {
      reply.failure = error instanceof Error ? (error.stack ?? error.message) : String(error)
    } finally {
      await host.close()
    }
    return Response.json(reply)
  },
}
