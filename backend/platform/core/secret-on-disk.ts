import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { link, open, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { ConfigError, errorCode } from './errors.ts'

const newSecret = (bytes: number): string => randomBytes(bytes).toString('base64url')

/** Minimum length of a secret, in characters. Shorter ones might be guessed. */
export const minSecretLength = 32

/**
 * Returns the secret in a file of DATA_DIR, and creates the file if it doesn't exist. A command and the service may call
 * this at the same time. The secret is first written to a temporary file, and only one of them can link such a file to this
 * name.
 *
 * @throws {ConfigError} if the secret is too short, or if another user could have read or created the file
 */
export async function readOrCreateSecret(file: string): Promise<string> {
  const existing = await readSecretFile(file)
  if (existing !== undefined) return existing
  const temporaryFile = `${file}.${newSecret(6)}`
  await writeSecret(temporaryFile, newSecret(32))
  try {
    await link(temporaryFile, file)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  } finally {
    await rm(temporaryFile)
  }
  return readOrCreateSecret(file)
}

/**
 * Writes a new file. If root creates it in an ordinary user's folder, makes that user its owner, who can then start
 * Outdial, too.
 */
async function writeSecret(file: string, secret: string): Promise<void> {
  const { uid, gid } = await stat(path.dirname(file))
  await using handle = await open(file, 'wx', 0o600)
  if (process.getuid?.() === 0) await handle.chown(uid, gid)
  await handle.writeFile(secret)
  await handle.sync()
}

async function readSecretFile(file: string): Promise<string | undefined> {
  const folder = await stat(path.dirname(file))
  // In another user's folder, a link could lead to a file that only the user of this process may read.
  const noLink = folder.uid === process.getuid?.() ? 0 : constants.O_NOFOLLOW
  const handle = await open(file, constants.O_RDONLY | noLink).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined
    throw errorCode(error) === 'ELOOP' ? linkInOtherFolder(file, folder) : error
  })
  if (handle === undefined) return undefined
  await using opened = handle
  requirePrivateFile(file, await opened.stat(), folder)
  const key = await opened.readFile('utf8')
  if (key.trim().length >= minSecretLength) return key.trim()
  throw new ConfigError(
    `${file} doesn't contain a secret of at least ${minSecretLength} characters. Restore the file from your backup.`,
  )
}

/** Rejects a file that another user owns or can open. Trusts root and the folder's owner, who also owns the database. */
function requirePrivateFile(file: string, { uid, mode }: Stats, folder: Stats): void {
  if (process.getuid === undefined) return // Windows has no owners and modes like these
  if (![0, process.getuid(), folder.uid].includes(uid)) {
    throw new ConfigError(
      `${file} belongs to another user (UID ${uid}), who knows the secret in it. Check who created the file, and ` +
        `restore it from your backup as the user who starts Outdial.`,
    )
  }
  if ((mode & 0o077) !== 0) {
    throw new ConfigError(
      `Other users can open ${file}. If no other user has read or changed the secret in it, run chmod 600 on the file.`,
    )
  }
}

const linkInOtherFolder = (file: string, { uid }: Stats) =>
  new ConfigError(
    `${file} is a symbolic link in a folder that belongs to another user (UID ${uid}). Check who created the ` +
      `link, and restore the file from your backup.`,
  )
