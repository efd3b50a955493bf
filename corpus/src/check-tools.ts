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

  for (const tool of tools) {
    const own = sent.find(({ name }) => name === tool.name)
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
    const isAllowed = allowedLosses.some(
      (allowed) =>
        allowed.keyword === keyword && allowed.provider === form.provider && (allowed.strict === undefined || strict),
    )
    if (!isAllowed) fail(where, `"${keyword}" is lost, which is not in the table of losses`)
  }
}
