import type { Credentials } from '../journeys/journey.js'
import type { Check, JourneyReport } from '../journeys/stage.js'
import type { Control } from '../server/control.js'
import { type Canary, findLeaks, type SurfaceName } from './find-leaks.js'

/** Looks for every secret of a journey in everything that it left. */
export function searchJourney(
  { surfaces }: JourneyReport,
  { secrets, urls }: Control,
  { issuer, redirectUrl, credentials }: { issuer: string; redirectUrl: string; credentials: Credentials },
): Check[] {
  const { clientSecret, privateKeyJwk } = credentials
  const canaries: Canary[] = [
    ...secrets,
    { kind: 'client_secret', value: clientSecret },
    { kind: 'key', value: privateKeyJwk.d! },
  ]
  const sorted = { ...surfaces, URLs: [] as string[] }
  const place = (url: string): SurfaceName => {
    if (url.startsWith(`${issuer}/auth`)) return 'authorization URLs'
    return url.startsWith(redirectUrl) ? 'callback URLs' : 'URLs'
  }
  for (const url of [...surfaces.URLs, ...urls]) sorted[place(url)] = [...sorted[place(url)], url]
  // A page that is to send a person somewhere has to know where: that URL, whole, and nothing of it elsewhere.
  sorted['messages to the page'] = sorted['messages to the page'].map((text) =>
    surfaces['authorization URLs'].reduce((left, url) => left.replaceAll(url, ''), text),
  )
  const leaks = findLeaks(canaries, sorted)
  // What is searched must be what there was: the state is where it has to be.
  const states = secrets.filter(({ kind }) => kind === 'state')
  const isThere = states.every(({ value }) => sorted['callback URLs'].some((url) => url.includes(value)))
  return [
    {
      what: `no secret is where it does not belong${leaks.length > 0 ? `: ${leaks.join(', ')}` : ''}`,
      held: leaks.length === 0,
    },
    { what: 'the search finds what is there', held: isThere && sorted.events.length > 0 },
  ]
}
