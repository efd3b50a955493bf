// To be imported first in a worker: Chromium tells a worker's violations to nobody but the worker itself.
addEventListener('securitypolicyviolation', (event) => {
  console.error(`securitypolicyviolation: ${event.effectiveDirective} blocked ${event.blockedURI}`)
})
