import { chmod, chown, lstat, mkdir, mkdtemp, realpath } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { StartupError } from '../../core/errors.ts'
import { type Account, isRoot } from './os-account.ts'

/**
 * Creates a folder and its missing parents. If root creates them, other users can pass through but not list them,
 * regardless of the umask. Otherwise, only the user of this process can open them.
 */
export async function createFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined || !isRoot()) return
  for (let current = folder; current.length >= first.length; current = path.dirname(current))
    await chmod(current, 0o711)
}

/** A temporary folder that every account can open, unlike a macOS user's own temporary folder. */
export const shortTemporaryFolder = process.platform === 'win32' ? tmpdir() : '/tmp'

/**
 * Creates a folder that only the account can open. Its path is short, because a socket's path is limited to about 100
 * characters. mkdtemp never uses a folder that another user created.
 */
export async function createTemporaryFolder(
  prefix: string,
  account: Account,
  parent = shortTemporaryFolder,
): Promise<string> {
  const folder = await mkdtemp(path.join(parent, prefix))
  if (account.ids) await chown(folder, account.ids.uid, account.ids.gid)
  return folder
}

/**
 * Finds or creates the folder for files that can't be in the checkout. It isn't in /tmp, which is cleaned up, and where
 * another user could create the folder first.
 *
 * @throws {StartupError} if the folder doesn't belong to the user of this process, or other users can write to it
 */
export async function findPrivateHome(): Promise<string> {
  const home = isRoot()
    ? process.platform === 'darwin'
      ? '/Library/Application Support/Outdial'
      : '/var/lib/outdial'
    : path.join(process.env.XDG_DATA_HOME ?? path.join(homedir(), '.local/share'), 'outdial')
  await createFolder(home)
  await assertPrivate(home)
  return realpath(home)
}

/**
 * Throws a StartupError if the folder is a link, doesn't belong to the user of this process, or other users can write to
 * it.
 */
export async function assertPrivate(folder: string): Promise<void> {
  const stats = await lstat(folder)
  const isOwn = process.getuid === undefined || stats.uid === process.getuid()
  if (stats.isDirectory() && isOwn && (process.platform === 'win32' || (stats.mode & 0o022) === 0)) return
  throw new StartupError(
    `${folder} isn't private. It must be a folder that belongs to the user who starts Outdial and that no other ` +
      `user can write to. Check who created it, remove it, and start Outdial again.`,
  )
}
