import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import ts from 'typescript'
import { expect, test } from 'vitest'

const core = fileURLToPath(new URL('../..', import.meta.url))
const guide = await readFile(new URL('../../../../docs/testing.md', import.meta.url), 'utf8')
const [app = '', ...tests] = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text]) => text ?? '')

test('the tests of the guide pass, each of them', async () => {
  await mkdir(path.join(core, '.cache'), { recursive: true })
  // Within the package, so that its entries are found under their names.
  const folder = await mkdtemp(path.join(core, '.cache/guide-'))
  try {
    await writeFile(path.join(folder, 'forecast.ts'), app)
    const files = await Promise.all(
      tests.map(async (text, index) => {
        const file = path.join(folder, `guide-${index}.test.ts`)
        await writeFile(file, text)
        return file
      }),
    )
    expect(mistakesIn(files)).toEqual([])
    // What this runner says of itself would make that one a part of it.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const args = ['--import', 'tsx', '--test', '--test-reporter=tap', ...files]
    const ran = promisify(execFile)(process.execPath, args, { cwd: folder, env })
    // A failure too is told by what it has written.
    const { stdout } = await ran.catch((failure: { stdout: string }) => failure)
    expect(stdout).toMatch(/^# pass 6\n# fail 0$/m)
  } finally {
    await rm(folder, { recursive: true })
  }
})

/** What the compiler has against them. */
function mistakesIn(files: string[]): string[] {
  const program = ts.createProgram(files, {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.esnext.disposable.d.ts'],
    types: ['node'],
    typeRoots: [path.join(core, 'node_modules/@types')],
  })
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}
