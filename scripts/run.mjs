// `node scripts/run.mjs TASK`: what the package scripts call. This file holds only syntax that old versions of Node can
// read, so that they get to the check; everything else is imported after it.
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `Node ${process.versions.node} is too old: this project needs Node 20.19 or later (https://nodejs.org).`,
  )
  process.exitCode = 1
} else {
  import('./tasks.mjs').then(({ runTask }) => runTask(process.argv[2], process.argv.slice(3)))
}
