import { chmod, chown, lstat, mkdir, mkdtemp, realpath } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { StartupError } from '../../core/errors.ts'
import { type Account, isRoot } from './os-account.ts'

/**
 * Makes a folder and what is missing above it. Started as root, they are made so that another user can pass
 * through (but not list) them, whatever the umask; otherwise nobody else can.
 */
export async function createFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined || !isRoot()) return
  for (let current = folder; current.length >= first.length; current = path.dirname(current))
    await chmod(current, 0o711)
}

/** Every account can enter it, unlike a macOS user's own temporary folder. */
export const shortTemporaryFolder = process.platform === 'win32' ? tmpdir() : '/tmp'

/**
 * Makes a folder with a short path that only the account can enter: a socket's path ends at about 100 characters.
 * mkdtemp never takes a folder that somebody else put there.
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
 * The folder of this machine where Outdial keeps what cannot lie in the checkout. Not in /tmp: it is cleaned, and
 * anybody could put their own folder there first.
 *
 * @throws {StartupError} where it is not this user's own, or others may write to it
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

/** @throws {StartupError} where the folder is a link, is not this user's own, or others may write to it */
export async function assertPrivate(folder: string): Promise<void> {
  const stats = await lstat(folder)
  const isOwn = process.getuid === undefined || stats.uid === process.getuid()
  if (stats.isDirectory() && isOwn && (process.platform === 'win32' || (stats.mode & 0o022) === 0)) return
  throw new StartupError(
    `Outdial does not trust ${folder}: it must be a folder of the user who starts Outdial, to which no other user ` +
      `may write. Look who made it, remove it, and start again.`,
  )
}
