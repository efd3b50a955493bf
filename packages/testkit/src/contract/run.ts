// Runs the contract suite in every cell and prints the matrix. `--host`, `--era` and `--only` (a part of a case's name)
// narrow it down while developing; a run that left something out fails all the same.
import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Era } from '@x/core'
import { type CellResult, type ContractRow, runCell } from './cell.js'
import { directPath } from './direct-path.js'
import { chromium } from './hosts/chromium.js'
import { inProcess } from './hosts/in-process.js'
import { messagePort } from './hosts/message-port.js'
import { contractCases } from './suite.js'

const rows: ContractRow[] = [
  { name: 'in process', host: inProcess, path: directPath },
  { name: 'message port', host: messagePort, path: directPath },
  { name: 'chromium', host: chromium, path: directPath },
]
const eras: Era[] = ['modern', 'legacy']

const { values: wanted } = parseArgs({
  options: { host: { type: 'string' }, era: { type: 'string' }, only: { type: 'string' } },
})
const wants = (name: string) => wanted.only === undefined || name.includes(wanted.only)

const results = new Map<string, CellResult>()
for (const row of rows) {
  for (const era of eras) {
    if ((wanted.host ?? row.name) !== row.name || (wanted.era ?? era) !== era) continue
    const began = performance.now()
    const result = await runCell(row, era, wants)
    results.set(`${row.name} ${era}`, result)
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    console.log(`${row.name} · ${era}: ${result.passed}/${contractCases.length} in ${seconds} s`)
    for (const { name, message } of result.failures) console.log(`  ✗ ${name}\n${message.replace(/^/gm, '      ')}`)
  }
}

const passedIn = (row: ContractRow, era: Era) => results.get(`${row.name} ${era}`)?.passed ?? 0
const perCell = contractCases.length
console.log(`\n${''.padEnd(14)}${eras.map((era) => era.padEnd(10)).join('')}`)
for (const row of rows) {
  const cells = eras.map((era) => (results.has(`${row.name} ${era}`) ? `${passedIn(row, era)}/${perCell}` : 'skipped'))
  console.log(`${row.name.padEnd(14)}${cells.map((cell) => cell.padEnd(10)).join('')}`)
}

const perRow = perCell * eras.length
const passedOf = (row: ContractRow) => eras.reduce((sum, era) => sum + passedIn(row, era), 0)
const passed = rows.reduce((sum, row) => sum + passedOf(row), 0)
// What did not run counts as failed: a cell nobody looked at proves nothing.
const failed = perRow * rows.length - passed
const cache = fileURLToPath(new URL('../../../../.cache/', import.meta.url))
await mkdir(cache, { recursive: true })
await writeFile(`${cache}contract.json`, `${JSON.stringify({ passed, failed })}\n`)
console.log(`\n${rows.map((row) => `${row.name} ${passedOf(row)}/${perRow}`).join(' · ')}`)
process.exitCode = failed === 0 ? 0 : 1
