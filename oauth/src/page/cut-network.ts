// Work that is done on the page instead of in the worker fails. Loaded before anything that could keep a reference.
const refuse = () => {
  throw new Error('the network was used on the page')
}

Object.assign(globalThis, { fetch: refuse, XMLHttpRequest: refuse })

export {}
