import { McpError } from '@x/core'
import { allowedOmissions } from '../omissions.js'
import { blocksOf, type RecordedBlock, type SentParts, sentParts } from './blocks.js'
import type { Answer } from './data.js'
import { type Loss, type ResultForm, resultForms } from './formats.js'
import { openTool, serve } from './server.js'

export interface ResultReport {
  form: string
  blocks: number
  labelled: number
  base64InText: number
  failures: string[]
}

/** What the table allows and nothing needed: it says more than is true. */
const unused = new Set(allowedOmissions)

export const staleOmissions = (): string[] =>
  [...unused].map(({ kind, provider }) => `omissions.ts: no ${kind} is left out for ${provider}`)

/** Every block of every answer, in every form. */
export async function checkResults(answers: Answer[]): Promise<ResultReport[]> {
  const reports = resultForms.map(
    ({ name }): ResultReport => ({ form: name, blocks: 0, labelled: 0, base64InText: 0, failures: [] }),
  )
  const names = [...new Set(answers.map(({ tool }) => tool))]
  const { client, answer, close } = await serve(names.map(openTool))
  for (const each of answers) {
    answer(each.reply)
    const outcome = await client.callTool(each.tool).catch((error: unknown) => {
      if (McpError.is(error)) return error
      throw error
    })
    for (const [index, form] of resultForms.entries()) checkAnswer(each, outcome, form, reports[index]!)
  }
  await close()
  return reports
}

function checkAnswer(
  { server, tool, reply }: Answer,
  outcome: Parameters<ResultForm['tell']>[1],
  form: ResultForm,
  report: ResultReport,
): void {
  const losses: Loss[] = []
  const sent = sentParts(
    form.tell(tool, outcome, (loss) => losses.push(loss)),
    form.message,
  )
  const fail = (what: string) => report.failures.push(`${form.name}: ${server}/${tool}: ${what}`)
  for (const fault of sent.faults) fail(fault)
  if ('error' in reply) {
    if (!McpError.is(outcome) || !sent.text.includes(String(reply.error.message))) fail('its error is not told')
    return
  }
  const blocks = blocksOf(reply.result)
  report.blocks += blocks.length
  report.labelled += losses.length
  for (const { block, reason } of losses) {
    const kind = blocks.find(({ index }) => index === block)?.kind ?? 'unknown'
    const allowed = allowedOmissions.find(
      (one) => one.kind === kind && one.provider === form.provider && (one.form ?? form.name) === form.name,
    )
    if (allowed) unused.delete(allowed)
    else fail(`block ${block}, ${kind}, is left out (${reason}), which is not in the table of omissions`)
  }
  for (const block of blocks) {
    if (isInText(block, sent)) {
      report.base64InText++
      fail(`block ${block.index}, ${block.kind}, is base64 in a text`)
    }
    const isLost = losses.some((loss) => loss.block === block.index)
    if (!isLost && !isTold(block, sent)) fail(`block ${block.index}, ${block.kind}, is not told`)
  }
}

function isTold({ kind, texts, file }: RecordedBlock, { text, files }: SentParts): boolean {
  if (kind === 'unknown' || kind === 'for the user') return false
  if (file) return files.some(({ mimeType, base64 }) => mimeType === file.mimeType && base64 === file.base64)
  return texts.every((each) => text.includes(each))
}

/** Characters of base64 that no text has by chance. */
const tellingLength = 64

const isInText = ({ file }: RecordedBlock, { text }: SentParts): boolean =>
  file !== undefined && file.base64.length > 0 && text.includes(file.base64.slice(0, tellingLength))
