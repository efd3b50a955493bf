// `oidc-provider` parses URLs with a function that Node has since 22. Loaded before it.
if (!('parse' in URL))
  Object.assign(URL, { parse: (url: string, base?: string) => (URL.canParse(url, base) ? new URL(url, base) : null) })

export {}
