import { allowedLosses } from '../losses.js'
import type { SentTool } from '../rules/rule.js'
import type { ToolList } from './data.js'
import { addedFacts, factsOf, lostFacts } from './facts.js'
import { type Finding, type ToolForm, toolForms } from './formats.js'
import { serve } from './server.js'

export interface ToolReport {
  form: string
  tools: number
  rejected: number
  /** Of OpenAI's strict forms: how many are held to their schemas. */
  strict: number
  /** How often each keyword was lost. */
  losses: Map<string, number>
  failures: string[]
}

/** What the table allows and nothing lost: it says more than is true. */
const unused = new Set(allowedLosses)

export const staleLosses = (): string[] =>
  [...unused].map(({ keyword, provider }) => `losses.ts: "${keyword}" is not lost by ${provider}`)

/** Every tool of every list, in every form. */
export async function checkTools(lists: ToolList[]): Promise<ToolReport[]> {
  const reports = toolForms.map(
    ({ name }): ToolReport => ({ form: name, tools: 0, rejected: 0, strict: 0, losses: new Map(), failures: [] }),
  )
  for (const list of lists) {
    const { client, close } = await serve(list.tools, list.capabilities)
    for (const [index, form] of toolForms.entries()) await checkList(list, form, client, reports[index]!)
    await close()
  }
  return reports
}

async function checkList(
  { server, tools }: ToolList,
  form: ToolForm,
  client: Parameters<ToolForm['send']>[0],
  report: ToolReport,
): Promise<void> {
  const fail = (where: string, what: string) => report.failures.push(`${form.name}: ${server}/${where}: ${what}`)
  const findings: Finding[] = []
  const sent = await form.send(client, (finding) => findings.push(finding))
  report.tools += tools.length
  report.rejected += tools.length - sent.length
  report.strict += sent.filter(({ strict }) => strict).length
  for (const { tool, message } of findings.filter(({ code }) => code === 'tool-left-out')) fail(tool, message)
  if (sent.length !== tools.length) fail('*', `${sent.length} of ${tools.length} tools are offered`)
  for (const rule of form.rules.list)
    for (const breach of rule.breaches(sent)) fail(breach, `${rule.title} (${rule.source})`)

  // Under names of their own, in the list's order.
  const offered = tools.filter(
    ({ name }) => !findings.some(({ code, tool }) => code === 'tool-left-out' && tool === name),
  )
  for (const [index, tool] of offered.entries()) {
    const own = sent[index]
    if (!own) continue
    for (const rule of form.rules.tools)
      for (const breach of rule.breaches(own)) fail(`${tool.name}${breach}`, `${rule.title} (${rule.source})`)
    const told = findings.filter((finding) => finding.tool === tool.name && finding.code === 'schema-loss')
    for (const { message, path } of told) {
      const [, keyword = message] = /^"([^"]+)"/.exec(message) ?? []
      lose(keyword, `${tool.name}${path ?? ''}`, own)
    }
    const [before, after] = [factsOf(tool.inputSchema), factsOf(own.schema)]
    for (const { keyword, what } of lostFacts(before, after)) lose(keyword, `${tool.name} ${what}`, own)
    for (const what of addedFacts(before, after, own.strict === true)) fail(tool.name, `${what} is not in the original`)
    if ((own.description ?? '') !== (tool.description ?? '')) lose('description', tool.name, own)
  }

  function lose(keyword: string, where: string, { strict = false }: SentTool): void {
    report.losses.set(keyword, (report.losses.get(keyword) ?? 0) + 1)
    const allowed = allowedLosses.find(
      (one) => one.keyword === keyword && one.provider === form.provider && (one.strict === undefined || strict),
    )
    if (allowed) unused.delete(allowed)
    else fail(where, `"${keyword}" is lost, which is not in the table of losses`)
  }
}
