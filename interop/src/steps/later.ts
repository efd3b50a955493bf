import type { ConnectOptions, McpClient, RequestOptions, Unsubscribe } from '@x/core'

type Refresh = RequestOptions & { refresh?: boolean }

/** With what is not offered yet, by the names of the public API. A step that needs it fails until it is. */
export interface Client extends McpClient {
  listTools(options?: Refresh): ReturnType<McpClient['listTools']>
  subscribeResource?(uri: string, listener: () => void): Promise<Unsubscribe>
}

/** The hooks by which a server asks. */
export type Dialogues = Required<Pick<ConnectOptions, 'elicit' | 'sample' | 'roots'>>
