import { person } from './server/people.js'

/** What a person does with the forms. */
export interface Answers {
  /** Default `allow`. */
  consent?: 'allow' | 'deny'
  /** Passwords that are tried first, and are wrong. */
  wrongPasswords?: string[]
}

/** What a person saw and where it ended. */
export interface Visit {
  /** The first URL of the redirect URL's: it is not asked for. */
  callbackUrl: string
  /** Titles of the pages with forms, in order. */
  forms: string[]
}

/** Nobody is led round for longer. */
const maxSteps = 20

/** A browser for a person without a screen: keeps cookies, follows redirects, and fills forms in. */
export function createFormBrowser() {
  const cookies = new Map<string, string>()

  async function open(url: string, body?: URLSearchParams): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie, accept: 'text/html' },
      ...(body && { method: 'POST', body }),
    })
    for (const line of response.headers.getSetCookie()) keep(line)
    return response
  }

  function keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value === '') cookies.delete(name)
    else cookies.set(name, value)
  }

  return {
    /** Goes where an app sends the person, until it leads back to the app. */
    async visit(
      url: string,
      redirectUrl: string,
      { consent = 'allow', wrongPasswords = [] }: Answers = {},
    ): Promise<Visit> {
      const passwords = [...wrongPasswords, person.password]
      const forms: string[] = []
      let response = await open(url)
      let here = url
      for (let step = 0; step < maxSteps; step += 1) {
        const location = response.headers.get('location')
        if (location) {
          here = new URL(location, here).href
          if (here.startsWith(redirectUrl)) return { callbackUrl: here, forms }
          response = await open(here)
          continue
        }
        const page = await response.text()
        const title = /<title>.*: (\w+)<\/title>/.exec(page)?.[1]
        if (!title) throw new Error(`no form and no redirect at ${new URL(here).pathname}: ${page.slice(0, 300)}`)
        forms.push(title)
        response = await open(here, fillIn(title, consent, passwords))
      }
      throw new Error(`led round: ${forms.join(', ')}`)
    },
  }
}

function fillIn(title: string, consent: 'allow' | 'deny', passwords: string[]): URLSearchParams {
  if (title === 'consent') return new URLSearchParams({ answer: consent })
  return new URLSearchParams({ name: person.name, password: passwords.shift() ?? '', answer: 'login' })
}
