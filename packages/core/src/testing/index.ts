export type { TestCall, TestQuestion } from './call.js'
export type { FaultTarget, TestFault } from './faults.js'
export type { ListName, TestContent, TestOffer, TestPrompt, TestPromptResult, TestResource, TestTool } from './offer.js'
export type { ReceivedRequest, RequestMatch } from './received.js'
export { RpcError } from './rpc.js'
export {
  createTestServer,
  type TestProtocolVersion,
  type TestServer,
  type TestServerOptions,
} from './test-server.js'
