import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from '@jest/globals'
import { parse } from 'yaml'
import * as z from 'zod'

const root = path.resolve(import.meta.dirname, '../..')
const read = (name: string) => readFileSync(path.join(root, name), 'utf8')

const Workflow = z.object({
  on: z.object({ pull_request: z.unknown(), push: z.object({ branches: z.tuple([z.literal('main')]) }) }),
  permissions: z.object({ contents: z.literal('read') }),
  jobs: z.record(
    z.string(),
    z.object({
      'timeout-minutes': z.number().max(30),
      steps: z.array(z.object({ uses: z.string() }).or(z.object({ run: z.string() }))),
    }),
  ),
})

it('the workflow runs .ci/run and builds the image for pull requests and on main, with only read access', () => {
  const { jobs } = Workflow.parse(parse(read('.github/workflows/check.yml')))
  const commands = Object.values(jobs).flatMap(({ steps }) =>
    steps.map((step) => ('run' in step ? step.run : step.uses)),
  )
  expect(commands).toContain('.ci/run')
  expect(commands.join('\n')).toMatch(/docker build .*docker compose up --build --detach --wait.*\/readyz/s)
  expect(statSync(path.join(root, '.ci/run')).mode & 0o100).toBe(0o100)
})

const Field = z.discriminatedUnion('type', [
  z.object({ type: z.literal('markdown'), attributes: z.strictObject({ value: z.string() }) }),
  z.object({
    type: z.literal('dropdown'),
    id: z.string(),
    attributes: z.object({ label: z.string(), options: z.array(z.string()).min(1) }),
  }),
  z.object({
    type: z.enum(['input', 'textarea']),
    id: z.string(),
    attributes: z.object({ label: z.string() }),
  }),
])
const IssueForm = z.object({ name: z.string(), description: z.string(), body: z.array(Field).min(1) })

it.each(readdirSync(path.join(root, '.github/ISSUE_TEMPLATE')).filter((name) => name !== 'config.yml'))(
  'GitHub can show the issue form %s',
  (name) => {
    const { body } = IssueForm.parse(parse(read(`.github/ISSUE_TEMPLATE/${name}`)))
    const ids = body.flatMap((field) => ('id' in field ? [field.id] : []))
    expect(new Set(ids).size).toBe(ids.length)
  },
)

it('renovate.json has rules only for packages that the project uses', () => {
  const { packageRules } = z
    .object({ packageRules: z.array(z.object({ matchPackageNames: z.array(z.string()).optional() })) })
    .parse(JSON.parse(read('renovate.json')))
  const lock = read('package-lock.json')
  const names = packageRules.flatMap(({ matchPackageNames = [] }) => matchPackageNames)
  const unknown = names.filter((name) => {
    const start = name.endsWith('*') ? name.slice(0, -1) : `${name}"`
    return !lock.includes(`"node_modules/${start}`) && !read('compose.yaml').includes(`image: ${name}:`)
  })
  expect(unknown).toEqual([])
})

it('package-lock.json and the files that `npm run generate` writes are marked as generated in .gitattributes', () => {
  const marked = read('.gitattributes')
    .split('\n')
    .flatMap((line) => /^(\S+) linguist-generated$/.exec(line)?.[1] ?? [])
  // generate.ts imports the names of four generated files from other scripts.
  const sources = ['generate.ts', 'generated-text.ts', 'errors-page.ts', 'evidence-page.ts', 'schema-text.ts']
    .map((name) => read(`scripts/${name}`))
    .join('')
  const written = [...sources.matchAll(/(?:new URL|writeDocument)\('([^']+\.(?:ts|json|md|sql))'/g)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'package.json')
  expect(written).toHaveLength(6)
  expect(marked).toEqual(expect.arrayContaining([...written, 'package-lock.json']))
})
