/** The reports of `reports.md`: `{ id, title }`, in its order. */
export function readReports(markdown) {
  return [...markdown.matchAll(/^### ([A-Z]{2}-\d+) (.+)$/gm)].map(([, id, title]) => ({ id, title }))
}

/** Matches whatever looks like one of their ids: also one that is none, mistyped. */
export function idPattern(reports) {
  const areas = new Set(reports.map(({ id }) => id.split('-')[0]))
  return `\\b(?:${[...areas].join('|')})-\\d+\\b`
}

/**
 * Each report with the tests that carry its id, and what they come to: `covered`, `open` (none has run), `failing`.
 *
 * @param tests - `{ name, outcome }`, where the outcome is `passed`, `failed`, or another word for not run.
 * @returns The reports, and the tests that name one that there is not.
 */
export function coverage(reports, tests) {
  const pattern = new RegExp(idPattern(reports), 'g')
  const byId = new Map(reports.map((report) => [report.id, { ...report, tests: [] }]))
  const strangers = []
  for (const test of tests) {
    for (const id of new Set(test.name.match(pattern))) {
      const report = byId.get(id)
      if (report) report.tests.push(test)
      else strangers.push(test)
    }
  }
  return { reports: [...byId.values()].map((report) => ({ ...report, status: statusOf(report.tests) })), strangers }
}

function statusOf(tests) {
  if (tests.some(({ outcome }) => outcome === 'failed')) return 'failing'
  return tests.some(({ outcome }) => outcome === 'passed') ? 'covered' : 'open'
}

/** The coverage as lines; the last one counts. */
export function toLines({ reports, strangers }) {
  const count = (status) => reports.filter((report) => report.status === status).length
  return [
    ...reports.flatMap(({ id, title, status, tests }) => [
      `${id.padEnd(7)}${status.padEnd(8)} ${title}`,
      ...tests.map(({ name, outcome }) => `       ${outcome.padEnd(8)} ${shortened(name, id, title)}`),
    ]),
    ...strangers.map(({ name }) => `There is no such report: ${name}`),
    `${reports.length} reports: ${count('covered')} covered, ${count('open')} open, ${count('failing')} failing`,
  ]
}

/** A test's name without what the line above it says. */
function shortened(name, id, title) {
  return name.startsWith(`${id} ${title} `) ? name.slice(`${id} ${title} `.length) : name
}
