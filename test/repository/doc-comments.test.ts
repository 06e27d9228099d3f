import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import ts from 'typescript'

const root = path.join(import.meta.dirname, '../..')

const sourceFiles = ['backend', 'contract', 'reading', 'scripts', 'src', 'support', 'test'].flatMap(
  (folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.startsWith('node_modules'))
      .map((file) => path.join(folder, file)),
)

it('every @param tag names a parameter that exists', () => {
  const issues = sourceFiles.flatMap((file) =>
    findUnknownParams(file, readFileSync(path.join(root, file), 'utf8')),
  )
  expect(issues).toEqual([])
})

it('the check of @param tags finds a tag whose parameter was renamed', () => {
  const text = `
    /** @param room old name */
    export const lease = (capacity: number) => capacity
    /** @param options.room a property can have any name */
    function share(options: { capacity: number }) {}
    /** @param options.limit a property of a parameter without a name */
    function count({ limit }: { limit: number }) {}
    interface Worker {
      /** @param graceMs old name */
      stop(timeoutMs?: number): void
    }`
  expect(findUnknownParams('worker.ts', text)).toEqual(['worker.ts: room', 'worker.ts: graceMs'])
})

function findUnknownParams(file: string, text: string): string[] {
  if (!text.includes('@param')) return []
  const issues: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) {
      const names = new Set(node.parameters.flatMap(({ name }) => bindingNames(name)))
      const tags = ts.getJSDocTags(node).filter(ts.isJSDocParameterTag)
      const unknown = tags.map((tag) => tag.name.getText()).filter((name) => !isParam(name, names))
      issues.push(...unknown.map((name) => `${file}: ${name}`))
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  return issues
}

/** Returns true if a tag names a parameter. `options.limit` can also name a destructured parameter `limit`. */
function isParam(tagName: string, names: ReadonlySet<string>): boolean {
  const [first = '', second] = tagName.split('.')
  return names.has(first) || (second !== undefined && names.has(second))
}

/** Returns the name of a parameter, or the names that it's destructured into. */
const bindingNames = (name: ts.BindingName): string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((element) => (ts.isBindingElement(element) ? bindingNames(element.name) : []))
