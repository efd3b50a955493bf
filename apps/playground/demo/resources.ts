import { CITIES, completeCity, findCity } from './cities.js'
import { InvalidParamsError } from './errors.js'
import { drawPicture } from './media/picture.js'

interface DemoResource {
  uri: string
  name: string
  title: string
  description: string
  mimeType: string
}

export interface TextResource extends DemoResource {
  text(): string
}

export interface BlobResource extends DemoResource {
  bytes(): Buffer
}

export const README: TextResource = {
  uri: 'demo://readme',
  name: 'readme',
  title: 'About this server',
  description: 'What the demo server offers, as Markdown.',
  mimeType: 'text/markdown',
  text: () =>
    [
      '# Demo server',
      '',
      'A real MCP server for trying out clients. It speaks revision 2026-07-28 and, with sessions, the earlier ones.',
      '',
      '- **Tools** return every kind of content, report progress, ask questions, fail, and take their time.',
      '- **Resources** are text, JSON and a picture; `demo://city/{name}` is a template with completions.',
      '- **Prompts** come with and without arguments.',
      '',
    ].join('\n'),
}

export const CITY_LIST: TextResource = {
  uri: 'demo://cities.json',
  name: 'cities',
  title: 'Cities',
  description: 'The cities that this server knows, as JSON.',
  mimeType: 'application/json',
  text: () => JSON.stringify(CITIES, null, 2),
}

export const PICTURE: BlobResource = {
  uri: 'demo://picture.png',
  name: 'picture',
  title: 'Picture',
  description: 'A landscape at sunset, drawn by the server.',
  mimeType: 'image/png',
  bytes: () => drawPicture('sunset', 480),
}

export const RESOURCES: readonly (TextResource | BlobResource)[] = [README, CITY_LIST, PICTURE]

/** The content of a fixed resource, in the wire's shape. */
export function contentOf(resource: TextResource | BlobResource) {
  const { uri, mimeType } = resource
  return 'text' in resource
    ? { uri, mimeType, text: resource.text() }
    : { uri, mimeType, blob: resource.bytes().toString('base64') }
}

/** The one resource template. */
export const CITY_TEMPLATE = {
  uriTemplate: 'demo://city/{name}',
  name: 'city',
  title: 'City',
  description: 'What this server knows about one city. Names complete as you type.',
  mimeType: 'application/json',
  complete: { name: completeCity },
  read(uri: URL, encodedName: string) {
    const city = findCity(decoded(encodedName))
    if (!city) throw new InvalidParamsError(`Resource ${uri.href} not found.`, { uri: uri.href })
    return { uri: uri.href, mimeType: 'application/json', text: JSON.stringify(city, null, 2) }
  },
}

/** Templates are matched against the encoded URI, as in "S%C3%A3o%20Paulo"; a stray % does not decode. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
