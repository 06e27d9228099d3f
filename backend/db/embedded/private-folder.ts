import { chmod, chown, mkdir, mkdtemp, realpath, lstat } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { StartError } from '../../start-error.ts'
import { type Account, isRoot } from './os-account.ts'

/**
 * Makes a folder and what is missing above it. Started as root, they are made so that another user can pass
 * through (but not list) them, whatever the umask; otherwise nobody else can.
 */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 })
  if (first === undefined || !isRoot()) return
  for (let made = folder; made.length >= first.length; made = path.dirname(made)) await chmod(made, 0o711)
}

/**
 * Makes a folder with a short path that only the account can enter: a socket's path ends at about 100 characters.
 * mkdtemp never takes a folder that somebody else put there.
 */
export async function makeTemporaryFolder(prefix: string, account: Account): Promise<string> {
  const base = process.platform === 'win32' ? tmpdir() : '/tmp'
  const folder = await mkdtemp(path.join(base, prefix))
  if (account.ids) await chown(folder, account.ids.uid, account.ids.gid)
  return folder
}

/**
 * The folder of this machine where Outdial keeps what cannot lie in the checkout. Not in /tmp: it is cleaned, and
 * anybody could put their own folder there first.
 *
 * @throws {StartError} where it is not this user's own, or others may write to it
 */
export async function privateHome(): Promise<string> {
  const home = isRoot()
    ? process.platform === 'darwin'
      ? '/Library/Application Support/Outdial'
      : '/var/lib/outdial'
    : path.join(process.env.XDG_DATA_HOME ?? path.join(homedir(), '.local/share'), 'outdial')
  await makeFolder(home)
  await assertPrivate(home)
  return realpath(home)
}

/** @throws {StartError} where the folder is a link, is not this user's own, or others may write to it */
export async function assertPrivate(folder: string): Promise<void> {
  const found = await lstat(folder)
  const own = process.getuid === undefined || found.uid === process.getuid()
  if (found.isDirectory() && own && (process.platform === 'win32' || (found.mode & 0o022) === 0)) return
  throw new StartError(
    `Outdial does not trust ${folder}: it must be a folder of the user who starts Outdial, to which no other user ` +
      `may write. Look who made it, remove it, and start again.`,
  )
}
