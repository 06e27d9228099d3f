import { createHash } from 'node:crypto'
import { chmod, lstat, readdir, realpath, rmdir, stat, symlink } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { ConfigError, errorCode } from '../../core/errors.ts'
import { type Account, canEnter, clusterFolder, findAccount, isRoot } from './os-account.ts'
import { createFolder, findPrivateHome } from './private-folder.ts'

/** The folder that contains the database, its keys, and the demo credentials, and the account that runs PostgreSQL there. */
export interface DataDir {
  path: string
  /** The folder that belongs to PostgreSQL. */
  cluster: string
  account: Account
}

const checkout = fileURLToPath(new URL('../../../..', import.meta.url))

/**
 * Creates DATA_DIR, by default `.outdial` in the checkout. If PostgreSQL's account can't open the checkout, for example
 * a clone in root's home, `.outdial` becomes a link to a folder in /var/lib/outdial. The documented path still works.
 *
 * @throws {ConfigError} if DATA_DIR can't be used
 */
export async function prepareDataDir(
  dataDir: string | undefined,
  log: Pick<Logger, 'warn'>,
): Promise<DataDir> {
  const wanted = path.resolve(dataDir ?? path.join(checkout, '.outdial'))
  const account = findAccount(wanted, log)
  return withDataDirErrors(wanted, async () => {
    if (dataDir === undefined && !canEnter(account, checkout)) await linkToPrivateHome(wanted)
    await createFolder(wanted)
    const folder = await realpath(wanted)
    await requireTrusted(folder, account)
    await allowTraversal(folder)
    if (!canEnter(account, folder)) throw notEnterable(wanted, account)
    return { path: folder, cluster: path.join(folder, clusterFolder), account }
  })
}

async function linkToPrivateHome(link: string): Promise<void> {
  await rmdir(link).catch(() => undefined) // an empty folder can be replaced
  if (await lstat(link).catch(() => undefined)) return
  const name = createHash('sha256').update(link).digest('hex').slice(0, 12)
  const target = path.join(await findPrivateHome(), `data-${name}`)
  await createFolder(target)
  await symlink(target, link)
}

/**
 * Rejects a folder that another user owns or can write to. That user could have put keys there, and would know them.
 * When root starts the database of an ordinary user, the folder may belong to that user.
 */
async function requireTrusted(folder: string, account: Account): Promise<void> {
  if (process.getuid === undefined) return // Windows has no owners and modes like these
  const { uid, mode } = await stat(folder)
  if (![0, process.getuid(), account.ids?.uid].includes(uid)) {
    throw new ConfigError(
      `DATA_DIR ${folder} belongs to another user (UID ${uid}), who could read and change its keys. Set DATA_DIR to a ` +
        `folder that belongs to the user who starts Outdial.`,
    )
  }
  if ((mode & 0o022) !== 0) {
    throw new ConfigError(
      `Other users can write to DATA_DIR ${folder}, so they could replace its keys. If you trust its content, run ` +
        `chmod go-w on the folder. Otherwise, set DATA_DIR to another folder.`,
    )
  }
}

/** Lets other users pass through an empty folder, such as one from root's `mktemp -d`. Doesn't change a folder with files. */
async function allowTraversal(folder: string): Promise<void> {
  const { mode } = await stat(folder)
  if (isRoot() && (mode & 0o011) !== 0o011 && (await readdir(folder)).length === 0)
    await chmod(folder, mode | 0o011)
}

const notEnterable = (folder: string, account: Account) =>
  new ConfigError(
    `The user ${account.name}, who runs PostgreSQL when Outdial is started as root, can't open DATA_DIR ${folder}. ` +
      `Set DATA_DIR to a folder that isn't in a private home folder, for example /var/lib/outdial/data.`,
  )

const errorReasons: Record<string, string> = {
  EACCES: "this user can't write there",
  EPERM: "this user can't write there",
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'part of the path is a file',
  EEXIST: 'it is a file',
  ENOENT: 'part of the path is a broken link',
  ENAMETOOLONG: 'the path is too long',
}

/** Rethrows read and write errors in DATA_DIR as ConfigErrors. */
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
      `DATA_DIR ${folder} can't be used: ${reason} (${code}). Set DATA_DIR to another folder.`,
      {
        cause: error,
      },
    )
  }
}
