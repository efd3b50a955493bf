// Work that is done on the page instead of in the worker fails. Loaded before anything that could keep a reference.
function refuse(name: string): () => never {
  return () => {
    throw new Error(`${name} was used on the page`)
  }
}

Object.assign(globalThis, { fetch: refuse('fetch'), XMLHttpRequest: refuse('XMLHttpRequest') })
