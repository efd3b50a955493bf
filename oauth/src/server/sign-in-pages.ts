import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Interaction, InteractionResults, Provider } from 'oidc-provider'
import type { Recorder } from './control.js'
import { person } from './people.js'

/** Where the forms are; the rest of the path names the interaction. */
export const formsPath = '/sign-in/'

/** Shows the forms that a person signs in and consents with, and takes their answers. */
export async function serveForms(
  { provider, note }: { provider: Provider; note: Recorder['note'] },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const interaction = await provider.interactionDetails(request, response)
  const show = (failure?: string) => {
    const { name } = interaction.prompt
    note({
      party: 'authorization-server',
      what: 'form',
      httpMethod: String(request.method),
      status: 200,
      details: { form: name },
    })
    showForm(response, interaction, failure)
  }
  if (request.method !== 'POST') return show()
  const answers = new URLSearchParams(await text(request))
  const finish = (result: InteractionResults) =>
    provider.interactionFinished(request, response, result, { mergeWithLastSubmission: 'consent' in result })
  if (answers.get('answer') === 'deny')
    return finish({ error: 'access_denied', error_description: 'The person said no' })
  if (interaction.prompt.name === 'consent') return finish({ consent: { grantId: await grant(provider, interaction) } })
  if (answers.get('name') !== person.name || answers.get('password') !== person.password)
    return show('Wrong name or password')
  return finish({ login: { accountId: person.name } })
}

async function grant(provider: Provider, { grantId, session, params, prompt }: Interaction): Promise<string> {
  const known = grantId ? await provider.Grant.find(grantId) : undefined
  const given =
    known ?? new provider.Grant({ accountId: String(session?.accountId), clientId: String(params.client_id) })
  const { missingOIDCScope, missingResourceScopes } = prompt.details as {
    missingOIDCScope?: string[]
    missingResourceScopes?: Record<string, string[]>
  }
  if (missingOIDCScope) given.addOIDCScope(missingOIDCScope.join(' '))
  for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {}))
    given.addResourceScope(resource, scopes.join(' '))
  return given.save()
}

function showForm(response: ServerResponse, { prompt, params }: Interaction, failure = ''): void {
  const login = `
    <label>Name <input name="name" autocomplete="username"></label>
    <label>Password <input name="password" type="password" autocomplete="current-password"></label>
    <button name="answer" value="login">Sign in</button>`
  const consent = `
    <p>An app asks for: <output>${toHtml(String(params.scope ?? 'nothing in particular'))}</output></p>
    <button name="answer" value="allow">Allow</button>`
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  response.end(`<!doctype html><html lang="en"><title>Authorization server: ${prompt.name}</title>
    <p role="alert">${failure}</p>
    <form method="post">${prompt.name === 'login' ? login : consent}
    <button name="answer" value="deny">Cancel</button></form></html>`)
}

function toHtml(given: string): string {
  return given.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
