// A faulty server in a process of its own, driven by messages of its parent.
import { startFaultyServer } from './faulty-server.js'

const { url, control } = await startFaultyServer()
process.on('message', async ({ call, name, args }: { call: number; name: keyof typeof control; args: [never] }) => {
  process.send!({ call, value: await control[name](...args) })
})
process.on('disconnect', () => process.exit())
process.send!({ url })
