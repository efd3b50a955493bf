// Core in this process.
import { connect } from '@x/core'
import { runScenario } from '../scenarios.js'
import type { SignIn } from '../sign-in.js'
import { runClientCommand } from './client-command.js'

/** Nobody listens there: the redirect is read, not followed. */
const signIn: SignIn = {
  redirectUrl: 'http://localhost:3000/callback',
  async authorize(request) {
    const { url } = await request
    const callbackUrl = (await fetch(url, { redirect: 'manual' })).headers.get('location')
    if (!callbackUrl) throw new Error('the authorization server did not lead back')
    return { callbackUrl }
  },
}

await runClientCommand((job) => runScenario(job, connect, signIn))
