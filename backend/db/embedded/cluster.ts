import { execFile } from 'node:child_process'
import { chown, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { ConfigError, describeError, errorCode, StartupError } from '../../core/errors.ts'
import type { Binaries } from './binaries.ts'
import type { DataDir } from './data-dir.ts'
import type { Account } from './os-account.ts'
import { postgresEnvironment } from './postmaster.ts'

const run = promisify(execFile)

/**
 * Creates the database's files if there are none yet. Rejects files that this PostgreSQL can't open.
 *
 * @param options.password only on Windows, where the server listens on the loopback address
 * @throws {ConfigError | StartupError}
 */
export async function prepareCluster(
  dataDir: DataDir,
  binaries: Binaries,
  options: { password: string | undefined; sync: boolean },
): Promise<void> {
  await removeUnfinished(dataDir)
  const stats = await stat(dataDir.cluster).catch(() => undefined)
  if (stats === undefined) return createCluster(dataDir, binaries, options)

  const version = await readFile(path.join(dataDir.cluster, 'PG_VERSION'), 'utf8').catch((error: unknown) =>
    errorCode(error) === 'ENOENT' ? undefined : 'unreadable',
  )
  if (version === undefined) {
    throw new ConfigError(
      `DATA_DIR ${dataDir.path} contains a folder "postgres" that isn't a PostgreSQL database. Move it, or set ` +
        `DATA_DIR to another folder.`,
    )
  }
  if (stats.uid !== (dataDir.account.ids?.uid ?? process.getuid?.() ?? stats.uid)) {
    throw new ConfigError(
      `DATA_DIR ${dataDir.path} contains a database of another user (ID ${stats.uid}). Start Outdial as that user or ` +
        `as root, or set DATA_DIR to another folder.`,
    )
  }
  if (version.trim() !== binaries.majorVersion) {
    throw new ConfigError(
      `DATA_DIR ${dataDir.path} contains data of PostgreSQL ${version.trim()}, but this version of Outdial includes ` +
        `PostgreSQL ${binaries.majorVersion}. See "Upgrades" in docs/operating.md, or set DATA_DIR to another folder.`,
    )
  }
}

/** Creates the files under another name first, so that incomplete files never pass for a database. */
async function createCluster(
  { path: folder, cluster, account }: DataDir,
  { initdb }: Binaries,
  options: { password: string | undefined; sync: boolean },
): Promise<void> {
  const unfinished = await mkdtemp(path.join(folder, 'postgres.new-'))
  await changeOwner(unfinished, account)
  const login =
    options.password === undefined ? ['--auth=trust'] : await passwordLogin(unfinished, options.password)
  const flags = [
    ...['-D', path.join(unfinished, 'data'), '--username=postgres', '--encoding=UTF8', '--no-instructions'],
    // Upper and lower case of every script, the same on every machine.
    ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...login,
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

async function passwordLogin(folder: string, password: string): Promise<string[]> {
  const file = path.join(folder, 'password')
  await writeFile(file, password, { mode: 0o600 })
  return ['--auth=scram-sha-256', `--pwfile=${file}`]
}

async function removeUnfinished({ path: folder }: DataDir): Promise<void> {
  const leftovers = (await readdir(folder)).filter((name) => name.startsWith('postgres.new-'))
  for (const name of leftovers) await rm(path.join(folder, name), { recursive: true, force: true })
}

const hasStderr = (error: unknown): error is { stderr: string } =>
  typeof error === 'object' && error !== null && 'stderr' in error && typeof error.stderr === 'string'
