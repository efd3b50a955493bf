import type { SignIn } from '../sign-in.js'
import { callbackChannel } from './callback-channel.js'

/** A window of its own goes to the authorization server, which leads it back to a page of this origin. */
export const signIn: SignIn = {
  redirectUrl: new URL('/callback', location.href).href,
  async authorize(request) {
    // At once, as an app has to do it within a click.
    const opened = window.open('about:blank')
    if (!opened) throw new Error('the window could not be opened')
    try {
      const { url } = await request
      return { callbackUrl: await cameBack(() => opened.location.replace(url)) }
    } finally {
      opened.close()
    }
  },
}

function cameBack(leave: () => void): Promise<string> {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(callbackChannel)
    channel.onmessage = ({ data }) => {
      channel.close()
      resolve(String(data))
    }
    leave()
  })
}
