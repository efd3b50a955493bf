import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'

const packages = fileURLToPath(new URL('../../..', import.meta.url))

test('the bundled worker imports nothing', () => {
  const { modules, computed } = importsOf(path.join(packages, 'web/dist/worker-bundled.js'))
  expect(modules).toEqual([])
  expect(computed).toEqual([])
})

// What a bundler could not resolve it leaves as an import, and says nothing.
describe.each(['core', 'web'])('the files of %s', (name) => {
  const folder = path.join(packages, name)
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest
  const files = readdirSync(path.join(folder, 'dist')).filter((file) => file.endsWith('.js'))

  test.each(files)('%s imports only files beside it, dependencies, and modules of Node', (file) => {
    const { modules, computed } = importsOf(path.join(folder, 'dist', file))
    const unknown = modules.filter((module) => !files.includes(module.replace(/^\.\//, '')) && !isDependency(module))
    expect(unknown).toEqual([])
    expect(computed).toEqual([])
  })

  // Which entries may reach Node's own modules is another guard's to say.
  function isDependency(module: string): boolean {
    if (module.startsWith('node:')) return isBuiltin(module)
    return Object.keys(manifest.dependencies).some((known) => module === known || module.startsWith(`${known}/`))
  }
})

interface Manifest {
  dependencies: Record<string, string>
}

interface Imports {
  /** Imported by name, statically or not. */
  modules: string[]
  /** Imported by an expression, which nobody can resolve beforehand. */
  computed: string[]
}

function importsOf(file: string): Imports {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest)
  const imports: Imports = { modules: [], computed: [] }
  const add = (node: ts.Node) => {
    if (ts.isStringLiteralLike(node)) imports.modules.push(node.text)
    else imports.computed.push(source.text.slice(node.pos, node.end))
  }
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier)
      add(node.moduleSpecifier)
    if (ts.isCallExpression(node) && isImporter(node.expression)) for (const argument of node.arguments) add(argument)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return imports
}

function isImporter(called: ts.Expression): boolean {
  if (called.kind === ts.SyntaxKind.ImportKeyword) return true
  return ts.isIdentifier(called) && (called.text === 'require' || called.text === 'importScripts')
}
