import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import semver from 'semver'
import * as z from 'zod'

const root = path.resolve(import.meta.dirname, '../..')

/** The files of the source package, besides package.json and the lock file. */
const sources = [
  'index.ts',
  'src/**/*.ts',
  'contract/*.ts',
  'reading/*.ts',
  'scripts/build.mjs',
  'tsconfig.json',
]

/** The packages for building and type-checking. The connector imports types from the contract, which imports zod. */
const buildPackages = ['esbuild', 'typescript', '@types/node', 'zod']

const Versions = z.record(z.string(), z.string()).default({})
const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  type: z.string(),
  exports: z.string(),
  engines: Versions,
  dependencies: Versions,
  devDependencies: Versions,
})

async function readManifest(folder: string, file = 'package.json'): Promise<z.output<typeof Manifest>> {
  return Manifest.parse(JSON.parse(await readFile(path.join(folder, file), 'utf8')))
}

/** Writes a package with only the connector's sources to an empty folder. Zapier stores it as the integration's source code. */
export async function writeSourcePackage(folder: string): Promise<void> {
  for (const file of globSync(sources, { cwd: root }))
    await cp(path.join(root, file), path.join(folder, file))
  await cp(path.join(root, '.zapierapprc'), path.join(folder, '.zapierapprc'))
  await cp(path.join(root, 'package-lock.json'), path.join(folder, 'package-lock.json'))
  await writeFile(path.join(folder, '.gitignore'), 'node_modules/\nbuild/\ndist/\n')
  const { devDependencies, ...manifest } = await readManifest(root)
  const contract = JSON.parse(await readFile(path.join(root, 'contract/package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const versions = { ...devDependencies, ...contract.dependencies }
  const connector = {
    ...manifest,
    private: true,
    scripts: { build: 'node scripts/build.mjs', 'check:types': 'tsc --noEmit' },
    devDependencies: Object.fromEntries(buildPackages.map((name) => [name, versions[name]])),
  }
  await writeFile(path.join(folder, 'package.json'), `${JSON.stringify(connector, null, 2)}\n`)
}

/**
 * Checks the types of a source package, builds it in its folder with only the packages that it declares, and returns the
 * bundle. Links these packages from this project's node_modules, because installing them needs a network.
 *
 * @throws if this project has another version of a declared package
 */
export async function buildSourcePackage(folder: string): Promise<string> {
  const { dependencies, devDependencies } = await readManifest(folder)
  for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies })) {
    const target = path.join(root, 'node_modules', name)
    const { version } = JSON.parse(await readFile(path.join(target, 'package.json'), 'utf8')) as {
      version: string
    }
    if (!semver.satisfies(version, range))
      throw new Error(`The source package needs ${name} ${range}, but ${version} is installed.`)
    const link = path.join(folder, 'node_modules', name)
    await mkdir(path.dirname(link), { recursive: true })
    await symlink(target, link)
  }
  for (const program of ['node_modules/typescript/bin/tsc --noEmit', 'scripts/build.mjs'])
    execFileSync(process.execPath, program.split(' '), { cwd: folder, stdio: 'pipe', encoding: 'utf8' })
  return readFile(path.join(folder, 'dist/index.js'), 'utf8')
}
