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

it('names only existing parameters in @param tags', () => {
  const issues = sourceFiles.flatMap((file) =>
    findUnknownParams(file, readFileSync(path.join(root, file), 'utf8')),
  )
  expect(issues).toEqual([])
})

it('finds a @param tag whose parameter was renamed', () => {
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

it('describes each exported function with a verb: Returns, Locks, Sends', () => {
  const issues = sourceFiles.flatMap((file) =>
    findNounComments(file, readFileSync(path.join(root, file), 'utf8')),
  )
  expect(issues).toEqual([])
})

it('finds a doc comment of an exported function that starts with no verb', () => {
  const text = `
    /** Returns the rooms. */
    export const listRooms = () => []
    /** The rooms. */
    export const getRooms = () => []
    /** This locks a room. */
    export async function lockRoom() {}
    /** Lock a room for good. */
    export default function () {}
    /** Only functions start with a verb. */
    export const capacity = 4
    /** A function of this file only. */
    function share() {}
    /** @throws if there's no room */
    export function requireRoom() {}
    export const freeRoom = () => {}`
  expect(findNounComments('rooms.ts', text)).toEqual([
    'rooms.ts: The rooms.',
    'rooms.ts: This locks a room.',
    'rooms.ts: Lock a room for good.',
  ])
})

/** Words that end like a verb in the third person, but are none. */
const notVerbs = new Set(['Always', 'As', 'Its', 'Plus', 'This', 'Unless'])

function findNounComments(file: string, text: string): string[] {
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  return statements.filter(isExportedFunction).flatMap((statement) => {
    const comment = ts.getJSDocCommentsAndTags(statement).filter(ts.isJSDoc).at(-1)?.comment
    const [line = ''] = (ts.getTextOfJSDocComment(comment) ?? '').split('\n')
    const [word = ''] = line.split(/\W/)
    const isVerb = /^[A-Z][a-z]+s$/.test(word) && !notVerbs.has(word)
    return line === '' || isVerb ? [] : [`${file}: ${line}`]
  })
}

/** Returns true for `export function` and for `export const` with a function as its value. */
function isExportedFunction(node: ts.Statement): boolean {
  if (!ts.isFunctionDeclaration(node) && !ts.isVariableStatement(node)) return false
  if (!node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return false
  if (ts.isFunctionDeclaration(node)) return true
  return node.declarationList.declarations.some(
    ({ initializer }) =>
      initializer && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer)),
  )
}

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
