import { callbackChannel } from './callback-channel.js'

/** A window of its own goes to the authorization server, which leads it back to a page of this origin. */
export async function browse(url: Promise<string>): Promise<string> {
  // At once, as an app has to do it within a click.
  const opened = window.open('about:blank')
  if (!opened) throw new Error('the window could not be opened')
  try {
    const target = await url
    return await new Promise((resolve) => {
      const channel = new BroadcastChannel(callbackChannel)
      channel.onmessage = ({ data }) => {
        channel.close()
        resolve(String(data))
      }
      opened.location.replace(target)
    })
  } finally {
    opened.close()
  }
}
