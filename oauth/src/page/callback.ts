// The page that an authorization server leads back to: tells the page that waits for it where it is.
import { callbackChannel } from './callback-channel.js'

new BroadcastChannel(callbackChannel).postMessage(location.href)
