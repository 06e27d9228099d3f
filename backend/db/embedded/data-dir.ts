import { createHash } from 'node:crypto'
import { chmod, lstat, readdir, realpath, rmdir, stat, symlink } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { ConfigError, errorCode } from '../../core/errors.ts'
import { type Account, canEnter, findAccount, isRoot } from './os-account.ts'
import { createFolder, findPrivateHome } from './private-folder.ts'

/** Where the database, its keys and the demo's credentials lie, and as whom PostgreSQL runs in there. */
export interface DataDir {
  path: string
  /** The folder that belongs to PostgreSQL. */
  cluster: string
  account: Account
}

const checkout = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Makes DATA_DIR, by default `.outdial` in the checkout. Where nobody cannot enter the checkout (a clone in root's
 * home), `.outdial` becomes a link to a folder of /var/lib/outdial, so that it is found where it is documented.
 *
 * @throws {ConfigError} that names DATA_DIR where it cannot be used
 */
export async function prepareDataDir(dataDir: string | undefined): Promise<DataDir> {
  const wanted = path.resolve(dataDir ?? path.join(checkout, '.outdial'))
  const account = findAccount(path.join(wanted, 'postgres'))
  return withDataDirErrors(wanted, async () => {
    if (dataDir === undefined && !canEnter(account, checkout)) await linkToPrivateHome(wanted)
    await createFolder(wanted)
    const folder = await realpath(wanted)
    await allowTraversal(folder)
    if (!canEnter(account, folder)) throw notEnterable(wanted, account)
    return { path: folder, cluster: path.join(folder, 'postgres'), account }
  })
}

async function linkToPrivateHome(link: string): Promise<void> {
  await rmdir(link).catch(() => undefined) // an empty one is in nobody's way
  if (await lstat(link).catch(() => undefined)) return
  const name = createHash('sha256').update(link).digest('hex').slice(0, 12)
  const target = path.join(await findPrivateHome(), `data-${name}`)
  await createFolder(target)
  await symlink(target, link)
}

/** What `mktemp -d` makes for root is closed to everybody else. One that holds things already stays as it is. */
async function allowTraversal(folder: string): Promise<void> {
  const { mode } = await stat(folder)
  if (isRoot() && (mode & 0o011) !== 0o011 && (await readdir(folder)).length === 0)
    await chmod(folder, mode | 0o011)
}

const notEnterable = (folder: string, account: Account) =>
  new ConfigError(
    `DATA_DIR ${folder} cannot be entered by the user ${account.name}, as whom PostgreSQL runs when Outdial is ` +
      `started as root: set DATA_DIR to a folder outside of private homes, such as /var/lib/outdial/data.`,
  )

const errorReasons: Record<string, string> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'it is a file',
  ENOENT: 'a part of the path is a broken link',
  ENAMETOOLONG: 'the path is too long',
}

/** Tells every failure to read or write in DATA_DIR in one sentence. */
export async function withDataDirErrors<Result>(
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const code = errorCode(error)
    const reason = errorReasons[code]
    if (reason === undefined) throw error
    throw new ConfigError(
      `DATA_DIR ${folder} cannot be used, because ${reason} (${code}): set DATA_DIR to another folder.`,
      {
        cause: error,
      },
    )
  }
}
