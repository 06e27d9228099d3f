import { execFileSync, spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { StartupError } from '../../core/errors.ts'

/** The user that PostgreSQL runs as. PostgreSQL doesn't run as root. */
export interface Account {
  name: string
  /** Undefined if it's the user of this process, so that no switch is needed. */
  ids: { uid: number; gid: number } | undefined
}

export const isRoot = (): boolean => process.getuid?.() === 0

/**
 * Returns the account that runs PostgreSQL: the current user or, for root, the owner of `cluster`. Uses the account
 * `nobody` if `cluster` doesn't exist or root owns it.
 *
 * @throws {StartupError} if root can't switch users, as in a container without that permission
 */
export function findAccount(cluster?: string): Account {
  if (!isRoot()) return { name: process.getuid === undefined ? 'you' : userName(), ids: undefined }
  const owner = cluster === undefined ? undefined : statSync(cluster, { throwIfNoEntry: false })
  const account = owner && owner.uid !== 0 ? accountWithIds(owner.uid, owner.gid) : findUnprivilegedAccount()
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

const accountWithIds = (uid: number, gid: number): Account => ({
  name: `with the ID ${uid}`,
  ids: { uid, gid },
})

/** Looks up the user and group IDs of the `nobody` account. They're 65534 on most systems, but not all. */
function findUnprivilegedAccount(): Account {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { name: 'nobody', ids: { uid: id('-u'), gid: id('-g') } }
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `with the ID ${process.getuid?.()}` // a container's --user may have no entry in passwd
  }
}
