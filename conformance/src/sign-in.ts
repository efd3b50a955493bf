import type { ConnectOptions } from '@x/core'

/** How a person signs in in this runtime: the suite's authorization server asks nothing and leads back at once. */
export interface SignIn {
  /** Where the authorization server leads back to. */
  redirectUrl: string
  authorize: NonNullable<ConnectOptions['authorize']>
}
