import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { expect, it } from '@jest/globals'
import semver from 'semver'
import * as z from 'zod'
import { useTestFolder } from '../../backend/test/support/folder.ts'
import { commandsRunBy } from '../support/documented-commands.ts'

const root = new URL('../../', import.meta.url)
const readJson = (path: string): unknown => JSON.parse(readFileSync(new URL(path, root), 'utf8'))

const { engines, allowScripts, optionalDependencies } = z
  .object({
    engines: z.object({ node: z.string() }),
    allowScripts: z.record(z.string(), z.boolean()),
    optionalDependencies: z.object({ node: z.string() }),
  })
  .parse(readJson('package.json'))

const LockedPackage = z.object({
  engines: z.object({ node: z.string().optional() }).or(z.array(z.string())).optional(),
  optional: z.boolean().default(false),
  hasInstallScript: z.boolean().default(false),
})
const { packages } = z
  .object({ packages: z.record(z.string(), LockedPackage) })
  .parse(readJson('package-lock.json'))
const locked = Object.entries(packages).map(([path, entry]) => ({
  ...entry,
  name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
}))

it("package.json allows only Node versions that every package supports, so npm ci doesn't warn about them", () => {
  const unsupported = locked.flatMap(({ name, engines: wanted, optional }) => {
    const range = Array.isArray(wanted) ? undefined : wanted?.node
    if (optional || range === undefined || semver.subset(engines.node, range)) return []
    return [`${name} needs Node ${range}`]
  })
  expect(unsupported).toEqual([])
})

it('allowScripts lists exactly the packages that have an install script', () => {
  const withScripts = locked.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name)
  expect([...new Set(withScripts)].sort()).toEqual(Object.keys(allowScripts).sort())
})

it('package.json and .nvmrc have the same major version of Node', () => {
  const bundled = optionalDependencies.node
  expect(semver.satisfies(bundled, engines.node)).toBe(true)
  expect(readFileSync(new URL('.nvmrc', root), 'utf8')).toBe(`${semver.major(bundled)}\n`)
})

const folder = useTestFolder()

// These tests don't install anything. .ci/run does, which takes longer and needs a network.
it.each(['README.md', 'docs/tutorial.md', 'docs/guides/install.md', 'docs/guides/upgrade.md'])(
  'the install commands of %s accept package-lock.json',
  (page) => {
    for (const name of ['', 'backend/', 'contract/', 'reading/'])
      cpSync(new URL(`${name}package.json`, root), `${folder.path}/${name}package.json`)
    cpSync(new URL('package-lock.json', root), `${folder.path}/package-lock.json`)
    const commands = commandsRunBy('test/repository/install.test.ts', page).filter((each) =>
      /^npm ci/.test(each),
    )
    expect(commands).not.toEqual([])

    for (const command of commands) {
      const output = execFileSync('sh', ['-c', `${command} --dry-run --offline --no-audit`], {
        cwd: folder.path,
        encoding: 'utf8',
        stdio: 'pipe',
      })
      expect(output).toMatch(/^added \d+ packages/m)
    }
  },
  60_000,
)
