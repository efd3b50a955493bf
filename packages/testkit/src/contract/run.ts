// Runs the contract suite in every cell and prints the matrix. `--host`, `--era` and `--only` (a part of a case's name)
// narrow it down while developing; a run that left something out fails all the same.
import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type CellEras, type CellResult, type ContractRow, runCell } from './cell.js'
import { chromium } from './hosts/chromium.js'
import { inProcess } from './hosts/in-process.js'
import { messagePort } from './hosts/message-port.js'
import { stdio } from './hosts/stdio.js'
import { workerd } from './hosts/workerd.js'
import { casesOf, notApplicable } from './not-applicable.js'
import { direct, pipes } from './paths/direct.js'
import { gateway, passthrough } from './paths/through-gateway.js'

const oneEra: CellEras[] = [
  { client: 'modern', server: 'modern' },
  { client: 'legacy', server: 'legacy' },
]
/** Behind a gateway's own endpoint the server need not speak as the client does. */
const crossed: CellEras[] = [
  { client: 'modern', server: 'legacy' },
  { client: 'legacy', server: 'modern' },
]
const columns = [...oneEra, ...crossed]

const rows: ContractRow[] = [
  { name: 'in process', host: inProcess, path: direct, eras: oneEra },
  { name: 'message port', host: messagePort, path: direct, eras: oneEra },
  { name: 'chromium', host: chromium, path: direct, eras: oneEra },
  { name: 'workerd', host: workerd, path: direct, eras: oneEra },
  { name: 'stdio', host: stdio, path: pipes, eras: oneEra },
  { name: 'gateway', host: inProcess, path: gateway, eras: columns },
  { name: 'passthrough', host: inProcess, path: passthrough, eras: oneEra },
]

const { values: wanted } = parseArgs({
  options: { host: { type: 'string' }, era: { type: 'string' }, only: { type: 'string' } },
})
const wants = (name: string) => wanted.only === undefined || name.includes(wanted.only)

const columnName = ({ client, server }: CellEras) => (client === server ? client : `${client} → ${server}`)
const cellName = (row: ContractRow, eras: CellEras) => `${row.name} · ${columnName(eras)}`
const results = new Map<string, CellResult>()
for (const row of rows) {
  for (const eras of row.eras) {
    if ((wanted.host ?? row.name) !== row.name || (wanted.era ?? eras.client) !== eras.client) continue
    const began = performance.now()
    const result = await runCell(row, eras, wants)
    results.set(cellName(row, eras), result)
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    console.log(`${cellName(row, eras)}: ${result.passed}/${casesOf(row.path.name).length} in ${seconds} s`)
    for (const { name, message } of result.failures) console.log(`  ✗ ${name}\n${message.replace(/^/gm, '      ')}`)
  }
}

console.log('\nNot applicable:')
for (const [path, cases] of Object.entries(notApplicable))
  for (const [name, reason] of Object.entries(cases)) console.log(`  ${path}: ${name}: ${reason}`)

console.log(`\n${''.padEnd(14)}${columns.map((eras) => columnName(eras).padEnd(18)).join('')}`.trimEnd())
const totals = rows.map((row) => {
  const perCell = casesOf(row.path.name).length
  const passed = (eras: CellEras) => results.get(cellName(row, eras))?.passed
  const cells = columns.map((eras) => {
    if (!row.eras.includes(eras)) return ''
    return passed(eras) === undefined ? 'skipped' : `${passed(eras)}/${perCell}`
  })
  console.log(`${row.name.padEnd(14)}${cells.map((cell) => cell.padEnd(18)).join('')}`.trimEnd())
  const all = perCell * row.eras.length
  return { row, passed: row.eras.reduce((sum, eras) => sum + (passed(eras) ?? 0), 0), all }
})

// What did not run counts as failed: a cell nobody looked at proves nothing.
const passed = totals.reduce((sum, row) => sum + row.passed, 0)
const failed = totals.reduce((sum, row) => sum + row.all, 0) - passed
const cache = fileURLToPath(new URL('../../../../.cache/', import.meta.url))
await mkdir(cache, { recursive: true })
await writeFile(`${cache}contract.json`, `${JSON.stringify({ passed, failed })}\n`)
console.log(`\n${totals.map(({ row, passed, all }) => `${row.name} ${passed}/${all}`).join(' · ')}`)
process.exitCode = failed === 0 ? 0 : 1
