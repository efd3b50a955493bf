import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'

const packages = fileURLToPath(new URL('../../..', import.meta.url))
const sdk = /^@modelcontextprotocol\/(client|sdk)(\/|$)/

/** Private, and there to be compared with. */
const reference = path.join(packages, 'testkit/src/sdk-v1.ts')

// The SDK's own transports do wrong in browsers what ours is for; its auth() refreshes once per parallel call and loses
// rotating tokens.
const banned = ['StreamableHTTPClientTransport', 'SSEClientTransport', 'auth']

test("the SDK's transports and its auth() are imported nowhere", () => {
  const files = sourceFiles()
  expect(files.length).toBeGreaterThan(20)
  expect(files.flatMap(findImports)).toEqual([])
})

function sourceFiles(): string[] {
  return readdirSync(packages)
    .map((name) => path.join(packages, name, 'src'))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => path.join(folder, String(name))))
    .filter((file) => /\.tsx?$/.test(file) && file !== reference)
}

/** What a file takes from the SDK that it must not, or takes in a way that hides what it takes. */
function findImports(file: string): string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest)
  const found: string[] = []
  const report = (what: string) => found.push(`${path.relative(packages, file)}: ${what}`)
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ofSdk(node.moduleSpecifier)) {
      const bindings = node.importClause?.namedBindings
      if (bindings && ts.isNamespaceImport(bindings)) report('import * of the SDK')
      if (bindings && ts.isNamedImports(bindings)) for (const element of bindings.elements) check(element)
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier && ofSdk(node.moduleSpecifier)) {
      if (!node.exportClause || !ts.isNamedExports(node.exportClause)) report('export * of the SDK')
      else for (const element of node.exportClause.elements) check(element)
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      if (node.arguments[0] && ofSdk(node.arguments[0])) report('import() of the SDK')
    }
    ts.forEachChild(node, visit)
  }
  const check = (element: ts.ImportSpecifier | ts.ExportSpecifier): void => {
    const { text } = element.propertyName ?? element.name
    if (banned.includes(text)) report(text)
  }
  visit(source)
  return found
}

function ofSdk(node: ts.Expression): boolean {
  return ts.isStringLiteral(node) && sdk.test(node.text)
}
