import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from '@jest/globals'
import { useTestFolder } from '../../backend/test/support/folder.ts'
import { root } from '../support/docs.ts'

const configFile = path.join(root, '.dependency-cruiser.cjs')
const require = createRequire(import.meta.url)
const { forbidden } = require(configFile) as { forbidden: { name: string }[] }
const { groups, foldersOf, pathOf } = require(path.join(root, 'scripts/backend-folders.cjs')) as {
  groups: string[][]
  foldersOf: Record<string, string[]>
  pathOf: (name: string) => string
}

/** For each rule, a file and another file that it must not import. */
const forbiddenImports: Record<string, readonly [from: string, to: string]> = {
  'every-folder-has-a-layer': ['backend/extras/a.ts', 'contract/b.ts'],
  'commands-import-no-pages': ['backend/admin/a.ts', 'backend/dashboard/b.ts'],
  'only-telephony-knows-its-providers': ['backend/api/a.ts', 'backend/calling/telephony/simulated/b.ts'],
  'campaigns-know-no-markup': ['backend/queue/campaigns/a.ts', 'backend/platform/views/b.ts'],
  'only-servers-use-http': ['backend/queue/contacts/a.ts', 'backend/platform/http/b.ts'],
  'plumbing-knows-no-domain': ['backend/platform/views/a.ts', 'backend/queue/calls/b.ts'],
  'calls-reach-webhooks-through-the-outbox': ['backend/queue/calls/a.ts', 'backend/webhooks/sender.ts'],
  'only-main-and-tests-assemble': ['backend/api/a.ts', 'backend/start.ts'],
  'sentences-of-the-api-are-in-the-catalog': [
    'backend/queue/calls/a.ts',
    'backend/platform/core/form-errors.ts',
  ],
  'connector-imports-no-backend-and-no-zod': ['src/a.ts', 'backend/platform/core/b.ts'],
  'connector-imports-only-types-of-the-contract': ['src/a.ts', 'contract/b.ts'],
  'contract-imports-only-zod': ['contract/a.ts', 'reading/b.ts'],
  'reading-imports-nothing': ['reading/a.ts', 'contract/b.ts'],
  'support-imports-nothing-of-the-project': ['support/a.ts', 'backend/platform/core/b.ts'],
  'support-is-not-part-of-the-product': ['backend/platform/core/a.ts', 'support/b.ts'],
  'tests-are-imported-by-tests': ['backend/platform/core/a.ts', 'backend/test/support/b.ts'],
  'examples-import-only-the-contract': ['examples/a.ts', 'backend/platform/core/b.ts'],
}

const folder = useTestFolder()
/** The violations that the command found: for each, the rule's name and the importing file. */
const found = new Set<string>()

/** For a rule about the order of groups or folders, or about a folder's stores, returns an import that it rejects. */
function findForbiddenImport(rule: string): readonly [from: string, to: string] | undefined {
  const [, importer, kind] = /^(.+)-imports-only-lower-(groups|folders)$/.exec(rule) ?? []
  const [, owner] = /^stores-of-(.+)-belong-to-it$/.exec(rule) ?? []
  if (owner !== undefined)
    return [
      `${owner === 'core' ? 'backend/platform/db' : pathOf('core')}/a.ts`,
      `${pathOf(owner)}/b-store.ts`,
    ]
  if (importer === undefined) return undefined
  const isGroup = kind === 'groups' && foldersOf[importer] !== undefined
  const inner = isGroup ? `backend/${importer}/${foldersOf[importer]?.[0] ?? ''}` : pathOf(importer)
  // No folder may import `admin`. `admin` itself may not import `service`, which is on the same line.
  return [`${inner}/a.ts`, importer === 'admin' ? 'backend/service/demo/b.ts' : 'backend/admin/b.ts']
}

const exampleOf = (rule: string) => forbiddenImports[rule] ?? findForbiddenImport(rule)

beforeAll(async () => {
  const write = async (file: string, text: string) => {
    const target = path.join(folder.path, file)
    await mkdir(path.dirname(target), { recursive: true })
    await writeFile(target, text, { flag: 'a' })
  }
  await write('tsconfig.json', '{}')
  await write('backend/platform/core/circle-1.ts', "import './circle-2.ts'\n")
  await write('backend/platform/core/circle-2.ts', "import './circle-1.ts'\n")
  await write('backend/platform/core/unresolved.ts', "import './missing.ts'\n")
  for (const { name } of forbidden) {
    const example = exampleOf(name)
    if (example === undefined) continue
    const [from, to] = example
    const specifier = path.relative(path.dirname(from), to)
    await write(from, `import '${specifier.startsWith('.') ? specifier : `./${specifier}`}'\n`)
    await write(to, '')
  }
  const cruiser = path.join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs')
  const arguments_ = [cruiser, '--config', configFile, '--output-type', 'json', '.']
  const options = { cwd: folder.path, maxBuffer: 64 * 1024 * 1024 }
  // The command exits with an error, because it finds violations. Its output is in the error.
  const { stdout } = await promisify(execFile)(process.execPath, arguments_, options).catch(
    (error: unknown) => error as { stdout: string },
  )
  const { summary } = JSON.parse(stdout) as {
    summary: { violations: { rule: { name: string }; from: string }[] }
  }
  for (const { rule, from } of summary.violations) found.add(`${rule.name}: ${from}`)
})

it.each(forbidden.map(({ name }) => name))('the rule %s rejects a forbidden import', (rule) => {
  const circle = rule === 'no-circles' ? 'backend/platform/core/circle-1.ts' : undefined
  const unresolved = rule === 'resolvable' ? 'backend/platform/core/unresolved.ts' : undefined
  const from = circle ?? unresolved ?? exampleOf(rule)?.[0]
  expect([...found]).toContain(`${rule}: ${from}`)
})

it('scripts/backend-folders.cjs lists the groups of backend/ in at most nine lines', () => {
  expect(groups.length).toBeLessThanOrEqual(9)
})

it.each(groups.flat())('backend/%s has a README of at most ten lines that names its folders', (group) => {
  const readme = readFileSync(path.join(root, 'backend', group, 'README.md'), 'utf8')
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(10)
  expect(foldersOf[group]?.filter((name) => !readme.includes(`\`${name}\``)) ?? []).toEqual([])
})
