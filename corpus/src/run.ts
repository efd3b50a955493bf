// `npm run corpus`: real servers' tools and results through every format. See README.md.
import process from 'node:process'
import { checkResults, staleOmissions } from './check-results.js'
import { checkTools, staleLosses } from './check-tools.js'
import { answers, toolLists } from './data.js'

const formats = 4
const shownFailures = 50

const lists = toolLists()
const tools = await checkTools(lists)
const results = await checkResults(answers())

const times = (losses: Map<string, number>) =>
  [...losses]
    .sort()
    .map(([keyword, count]) => `${keyword} ${count}`)
    .join(', ') || 'nothing'

for (const { form, rejected, strict, losses, failures } of tools) {
  const held = form.endsWith('strict') ? `, ${strict} strict` : ''
  console.log(`${form}: ${rejected} rejected${held}; lost: ${times(losses)}${failed(failures)}`)
}
for (const { form, blocks, labelled, base64InText, failures } of results)
  console.log(`${form}: ${blocks} blocks, ${labelled} labelled, ${base64InText} base64 in text${failed(failures)}`)

const failures = [...[...tools, ...results].flatMap((report) => report.failures), ...staleLosses(), ...staleOmissions()]
for (const failure of failures.slice(0, shownFailures)) console.error(`FAILED ${failure}`)
if (failures.length > shownFailures) console.error(`… and ${failures.length - shownFailures} more`)
if (failures.length > 0) process.exitCode = 1

const sum = <Report>(reports: Report[], count: (report: Report) => number) =>
  reports.reduce((total, report) => total + count(report), 0)
const toolCount = sum(lists, (list) => list.tools.length)
console.log(
  `${toolCount} tools x ${formats} formats, ${sum(tools, ({ rejected }) => rejected)} rejected; ` +
    `${results[0]?.blocks ?? 0} blocks, ${sum(results, ({ labelled }) => labelled)} labelled, ` +
    `${sum(results, ({ base64InText }) => base64InText)} base64 in text`,
)

function failed(failures: string[]): string {
  return failures.length > 0 ? `; ${failures.length} FAILED` : ''
}
