import { spawnSync } from 'node:child_process'
import { realpathSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import type { Logger } from 'pino'
import { StartupError } from '../../core/errors.ts'

/** The user that PostgreSQL runs as. PostgreSQL doesn't run as root. */
export interface Account {
  name: string
  /** Undefined if the account is the user of this process. Then no switch is needed. */
  ids: { uid: number; gid: number } | undefined
}

/** The name of PostgreSQL's folder in DATA_DIR. */
export const clusterFolder = 'postgres'

export const isRoot = (): boolean => process.getuid?.() === 0

/**
 * Returns the account that runs PostgreSQL: the current user, or for root, the ordinary user who owns DATA_DIR and the
 * database in it. If there's no such user, root uses the system account `outdial` and creates it if it's missing.
 *
 * @throws {StartupError} if root can't switch users, as in a container without that permission
 */
export function findAccount(dataDir: string | undefined, log: Pick<Logger, 'warn'>): Account {
  if (!isRoot()) return { name: process.getuid === undefined ? 'you' : userName(), ids: undefined }
  const account = findOwner(dataDir) ?? findServiceAccount(log)
  const { status, error } = spawnSync('/bin/sh', ['-c', ':'], { ...account.ids, cwd: '/' })
  if (status === 0) return account
  throw new StartupError(
    `Outdial was started as root, but can't switch to the user ${account.name} to run PostgreSQL ` +
      `(${error?.message ?? `status ${status}`}). Start Outdial as an ordinary user, or set DATABASE_URL.`,
  )
}

/** Returns true if the account can open the folder. Asks the kernel, because not only file modes decide. */
export const canEnter = (account: Account, folder: string): boolean =>
  spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...account.ids, cwd: '/' }).status === 0

/**
 * Returns the ordinary user who owns DATA_DIR and the database in it. Returns undefined if root owns DATA_DIR, because then
 * the database belongs to the account that root used. Also returns undefined if DATA_DIR is in a folder such as /tmp, where
 * any user could have created DATA_DIR with known keys.
 */
function findOwner(dataDir: string | undefined): Account | undefined {
  if (dataDir === undefined) return undefined
  const owner = statSync(dataDir, { throwIfNoEntry: false })
  const cluster = statSync(path.join(dataDir, clusterFolder), { throwIfNoEntry: false })
  if (owner === undefined || owner.uid === 0 || cluster?.uid !== owner.uid) return undefined
  if (isInSharedFolder(realpathSync(dataDir))) return undefined
  return { name: `with the ID ${owner.uid}`, ids: { uid: owner.uid, gid: owner.gid } }
}

/** Returns true if an ordinary user owns the folder or one of its parents, in a folder where every user can create files. */
function isInSharedFolder(folder: string): boolean {
  const parent = path.dirname(folder)
  if (parent === folder) return false
  const isShared = (statSync(parent).mode & 0o002) !== 0
  return (isShared && statSync(folder).uid !== 0) || isInSharedFolder(parent)
}

const serviceAccount = 'outdial'

/** Returns the account `outdial`. If it can't be created, returns `nobody`, although other services may use that account, too. */
function findServiceAccount(log: Pick<Logger, 'warn'>): Account {
  const existing = lookUpAccount(serviceAccount) ?? createServiceAccount()
  if (existing) return existing
  const fallback = lookUpAccount('nobody')
  if (fallback === undefined) {
    throw new StartupError(
      `Outdial was started as root, but can't create the system account ${serviceAccount} to run PostgreSQL. ` +
        `Create it, start Outdial as an ordinary user, or set DATABASE_URL.`,
    )
  }
  log.warn(
    `can't create the system account ${serviceAccount}, so PostgreSQL runs as nobody, which other services may use, too; ` +
      `create the account, or start Outdial as an ordinary user`,
  )
  return fallback
}

/** Creates the account. Looks it up even if creating it failed, because another process may have created it meanwhile. */
function createServiceAccount(): Account | undefined {
  const options = ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent']
  spawnSync('useradd', [...options, '--shell', '/usr/sbin/nologin', serviceAccount])
  return lookUpAccount(serviceAccount)
}

export function lookUpAccount(name: string): Account | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => {
    const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' })
    return status === 0 ? Number(stdout) : 0
  })
  return uid && gid ? { name, ids: { uid, gid } } : undefined
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `with the ID ${process.getuid?.()}` // a container's --user may have no entry in passwd
  }
}
