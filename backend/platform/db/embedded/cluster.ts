import { execFile } from 'node:child_process'
import { chown, lchown, lstat, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { ConfigError, describeError, errorCode, StartupError } from '../../core/errors.ts'
import type { Binaries } from './binaries.ts'
import type { DataDir } from './data-dir.ts'
import type { Account } from './os-account.ts'
import { postgresEnvironment } from './postmaster.ts'
import { type Login, secureCluster } from './secure-cluster.ts'

const run = promisify(execFile)

/**
 * Creates the database's files if there are none yet, and protects the database with the login's password. Converts files of
 * an earlier version of Outdial. Rejects files that this version of PostgreSQL can't open.
 *
 * @throws {ConfigError | StartupError}
 */
export async function prepareCluster(
  dataDir: DataDir,
  binaries: Binaries,
  options: { login: Login; sync: boolean },
): Promise<void> {
  await removeUnfinished(dataDir)
  if (await stat(dataDir.cluster).catch(() => undefined)) await takeOverCluster(dataDir, binaries)
  else await createCluster(dataDir, binaries, options)
  await secureCluster(dataDir, binaries, options.login)
}

/** Checks that existing files can be opened, and gives them to the account that runs PostgreSQL. */
async function takeOverCluster(dataDir: DataDir, binaries: Binaries): Promise<void> {
  const { ids } = dataDir.account
  const version = await readFile(path.join(dataDir.cluster, 'PG_VERSION'), 'utf8').catch((error: unknown) =>
    errorCode(error) === 'ENOENT' ? undefined : 'unreadable',
  )
  if (version === undefined) {
    throw new ConfigError(
      `DATA_DIR ${dataDir.path} contains a folder "postgres" that isn't a PostgreSQL database. Move it, or set ` +
        `DATA_DIR to another folder.`,
    )
  }
  const { uid } = await stat(dataDir.cluster)
  if (ids === undefined && uid !== (process.getuid?.() ?? uid)) {
    throw new ConfigError(
      `DATA_DIR ${dataDir.path} contains a database of another user (UID ${uid}). Start Outdial as that user or ` +
        `as root, or set DATA_DIR to another folder.`,
    )
  }
  if (version.trim() !== binaries.majorVersion) {
    throw new ConfigError(
      `DATA_DIR ${dataDir.path} contains data of PostgreSQL ${version.trim()}, but this version of Outdial includes ` +
        `PostgreSQL ${binaries.majorVersion}. See docs/guides/upgrade.md, or set DATA_DIR to another folder.`,
    )
  }
  // An earlier version ran PostgreSQL as nobody, and a restored archive can have the IDs of another machine.
  if (ids !== undefined && uid !== ids.uid) await giveTo(ids, dataDir.cluster)
}

/** Creates the files under another name first, so that incomplete files are never taken for a database. */
async function createCluster(
  { path: folder, cluster, account }: DataDir,
  { initdb }: Binaries,
  options: { sync: boolean },
): Promise<void> {
  const unfinished = await mkdtemp(path.join(folder, 'postgres.new-'))
  await changeOwner(unfinished, account)
  const flags = [
    ...['-D', path.join(unfinished, 'data'), '--username=postgres', '--encoding=UTF8', '--no-instructions'],
    // With this locale, case conversion works for every script, and is identical on every machine.
    ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    '--auth=reject', // until `secureCluster` writes the access rules
    ...(options.sync ? [] : ['--no-sync']),
  ]
  await run(initdb, flags, { ...account.ids, cwd: unfinished, env: postgresEnvironment() }).catch(
    (error: unknown) => {
      const output = hasStderr(error) ? error.stderr : ''
      const errorLine = output.split('\n').find((line) => /^initdb: |FATAL/.test(line))
      const reason = errorLine?.replace(/^(initdb: (error: )?|.*FATAL: +)/, '')
      throw new StartupError(
        `The embedded PostgreSQL couldn't be set up in DATA_DIR ${folder}: ${(reason ?? describeError(error).message).replace(/\.$/, '')}. Correct this, then start Outdial again, or set DATA_DIR to another folder.`,
        { cause: error },
      )
    },
  )
  await rename(path.join(unfinished, 'data'), cluster)
  await rm(unfinished, { recursive: true })
}

async function changeOwner(folder: string, account: Account): Promise<void> {
  if (account.ids) await chown(folder, account.ids.uid, account.ids.gid)
}

/**
 * Gives a file, or a folder with its content, to an account. While the content is changed, the folder belongs to root, so
 * that the earlier owner can't replace the content with links.
 */
async function giveTo(ids: { uid: number; gid: number }, item: string): Promise<void> {
  const stats = await lstat(item)
  if (stats.isFile() && stats.nlink > 1) {
    throw new StartupError(
      `${item} has another hard link, so Outdial can't change its owner. Check who created the link, remove it, and ` +
        `start Outdial again.`,
    )
  }
  if (stats.isDirectory()) {
    await lchown(item, 0, 0)
    for (const name of await readdir(item)) await giveTo(ids, path.join(item, name))
  }
  await lchown(item, ids.uid, ids.gid)
}

async function removeUnfinished({ path: folder }: DataDir): Promise<void> {
  const leftovers = (await readdir(folder)).filter((name) => name.startsWith('postgres.new-'))
  for (const name of leftovers) await rm(path.join(folder, name), { recursive: true, force: true })
}

const hasStderr = (error: unknown): error is { stderr: string } =>
  typeof error === 'object' && error !== null && 'stderr' in error && typeof error.stderr === 'string'
