import { createGateway } from '@x/edge'
import { type Env, verifyUser } from './users.js'

export default createGateway<Env>((env) => ({
  publicUrl: env.PUBLIC_URL,
  origins: [env.PAGE_ORIGIN],
  secret: env.SESSION_SECRET,
  servers: {
    weather: { url: 'https://weather.example/mcp' },
    notes: { url: 'https://notes.example/mcp', auth: { type: 'bearer', token: env.NOTES_TOKEN } },
  },
  authenticate: (request) => verifyUser(request, env),
}))
