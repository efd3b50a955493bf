import path from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

const folder = fileURLToPath(new URL('../..', import.meta.url))

test.each([
  'document.title',
  'window.name',
  'process.platform',
  'Buffer.from([])',
  'require("fs")',
  'localStorage.length',
])('%s does not compile in core', (expression) => {
  expect(compile(`export const value = ${expression}`)).toMatch(/^Cannot find name/)
})

test.each(['fetch("/")', 'crypto.subtle', 'new AbortController().signal', 'self.location.origin'])(
  '%s compiles in core',
  (expression) => {
    expect(compile(`export const value = ${expression}`)).toBe('')
  },
)

/** The errors of a file that lies in core's source folder, under core's own configuration. */
function compile(text: string): string {
  const { config } = ts.readConfigFile(path.join(folder, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, folder)
  const file = path.join(folder, 'src/names-of-other-realms.ts')
  const host = ts.createCompilerHost(options)
  const { getSourceFile, fileExists } = host
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.Latest) : getSourceFile(name, ...rest)
  host.fileExists = (name) => name === file || fileExists(name)
  const program = ts.createProgram([file], options, host)
  return program
    .getSemanticDiagnostics(program.getSourceFile(file))
    .map((diagnostic) => ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'))
    .join('\n')
}
