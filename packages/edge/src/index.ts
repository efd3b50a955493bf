export * from '@x/core'
export { createGateway } from './gateway.js'
export type { Caller, GatewayCall, GatewayEvent, GatewayOptions, Upstream } from './options.js'
export type { GatewayErrorCode } from './refusal.js'
