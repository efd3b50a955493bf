import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { cruise, type ICruiseResult, type IModule } from 'dependency-cruiser'
import { beforeAll, describe, expect, test } from 'vitest'
import { rules } from './dependency-rules.js'

const workspace = fileURLToPath(new URL('../../../..', import.meta.url))
const sources = ['packages/core/src', 'packages/web/src', 'packages/edge/src', 'apps/playground/src']

let result: ICruiseResult

beforeAll(async () => {
  const { output } = await cruise(sources, {
    baseDir: workspace,
    validate: true,
    ruleSet: { forbidden: rules.map((rule) => ({ severity: 'error', ...rule })) },
    // Types are knowledge too.
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', '/dist/'] },
  })
  result = output as ICruiseResult
}, 60_000)

describe('who may know whom', () => {
  test('every source folder is read', () => {
    for (const folder of sources) expect(modulesBelow(folder).length, folder).toBeGreaterThan(3)
  })

  test.each(rules.map((rule) => rule.name!))('%s', (name) => {
    const broken = result.summary.violations.filter((violation) => violation.rule.name === name)
    expect(broken.map(({ from, to }) => `${from} -> ${to}`)).toEqual([])
  })

  test('window code and worker code of web share only the host protocol', () => {
    const folder = 'packages/web/src'
    const worker = reachedFrom(['worker.ts', 'serve.ts'].map((name) => path.posix.join(folder, name)))
    const windowEntries = modulesBelow(folder).filter((module) =>
      /\/(index|host|ai-sdk|openai|anthropic|google)\.ts$/.test(module.source),
    )
    const window = reachedFrom(windowEntries.map((module) => module.source))
    expect(worker.size).toBeGreaterThan(1)
    expect(window.size).toBeGreaterThan(1)
    const shared = [...worker].filter((file) => window.has(file) && file.startsWith(folder))
    expect(shared).toEqual([`${folder}/host-protocol.ts`])
  })
})

function modulesBelow(folder: string): IModule[] {
  return result.modules.filter((module) => module.source.startsWith(`${folder}/`))
}

function reachedFrom(start: string[]): Set<string> {
  const reached = new Set<string>()
  const waiting = [...start]
  for (let source = waiting.pop(); source; source = waiting.pop()) {
    if (reached.has(source)) continue
    reached.add(source)
    const module = result.modules.find((candidate) => candidate.source === source)
    if (module) waiting.push(...module.dependencies.map((dependency) => dependency.resolved))
  }
  return reached
}
