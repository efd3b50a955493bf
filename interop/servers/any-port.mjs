// Loaded into a server's process before the server. Whatever port it asks for, it gets a free one on loopback, and says
// which: several of these servers have theirs written in, so that two could not run at a time.
import net from 'node:net'

const { listen } = net.Server.prototype

net.Server.prototype.listen = function listenAnywhere(...args) {
  this.once('listening', () => process.send({ port: this.address().port }))
  const onListening = args.findLast((arg) => typeof arg === 'function')
  return listen.call(this, { port: 0, host: '127.0.0.1' }, ...(onListening ? [onListening] : []))
}

// The runner died: nobody would end this process any more.
process.on('disconnect', () => process.exit())
