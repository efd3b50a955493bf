/** By which the page that an authorization server leads back to reaches the page that waits for it. */
export const callbackChannel = 'callback'
