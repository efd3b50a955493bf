/** The names of a URI template's variables, in order, each once. */
export function variablesOf(template: string): string[] {
  const names = [...template.matchAll(/\{[+#./;?&]?([^{}]+)\}/g)].flatMap(([, list]) =>
    (list as string).split(',').map((part) => part.replace(/(\*|:\d+)$/, '').trim()),
  )
  return [...new Set(names)]
}

// RFC 6570, section 2.2 and appendix A: what each operator puts first, between, and whether it names the values.
const operators: Record<
  string,
  { first: string; between: string; named: boolean; reserved: boolean; ifEmpty: string }
> = {
  '': { first: '', between: ',', named: false, reserved: false, ifEmpty: '' },
  '+': { first: '', between: ',', named: false, reserved: true, ifEmpty: '' },
  '#': { first: '#', between: ',', named: false, reserved: true, ifEmpty: '' },
  '.': { first: '.', between: '.', named: false, reserved: false, ifEmpty: '' },
  '/': { first: '/', between: '/', named: false, reserved: false, ifEmpty: '' },
  ';': { first: ';', between: ';', named: true, reserved: false, ifEmpty: '' },
  '?': { first: '?', between: '&', named: true, reserved: false, ifEmpty: '=' },
  '&': { first: '&', between: '&', named: true, reserved: false, ifEmpty: '=' },
}

/**
 * The URI of a template with its variables filled in; one without a value is left out.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6570#section-3} with texts as the only values.
 */
export function expandTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{([+#./;?&]?)([^{}]+)\}/g, (_all, operator: string, list: string) => {
    const { first, between, named, reserved, ifEmpty } = operators[operator] as (typeof operators)[string]
    const parts = list.split(',').flatMap((part) => {
      const [, name = '', , cut] = /^\s*([^*:]+)(\*|:(\d+))?\s*$/.exec(part) ?? []
      const value = values[name]
      if (value === undefined) return []
      const text = encode(cut ? [...value].slice(0, Number(cut)).join('') : value, reserved)
      if (!named) return [text]
      return [text === '' ? `${name}${ifEmpty}` : `${name}=${text}`]
    })
    return parts.length === 0 ? '' : first + parts.join(between)
  })
}

function encode(text: string, reserved: boolean): string {
  // `encodeURIComponent` leaves !'()* alone, which are reserved; `encodeURI` leaves all reserved characters but [ and ].
  if (!reserved)
    return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  return encodeURI(text)
    .replaceAll('%5B', '[')
    .replaceAll('%5D', ']')
    .replace(/%25([0-9A-Fa-f]{2})/g, '%$1')
}
