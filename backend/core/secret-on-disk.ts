import { randomBytes } from 'node:crypto'
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ConfigError, errorCode } from './errors.ts'

const newSecret = (bytes: number): string => randomBytes(bytes).toString('base64url')

/** In characters. Shorter secrets might be guessed. */
export const minSecretLength = 32

/**
 * Returns the secret in a file of DATA_DIR, and creates the file if it doesn't exist. A command and the service may
 * call this at the same time: only one of them creates the link, and only to a complete file.
 *
 * @throws {ConfigError} if the file was emptied, or another user owns it or can open it
 */
export async function readOrCreateSecret(file: string): Promise<string> {
  const existing = await readSecretFile(file)
  if (existing !== undefined) return existing
  const temporaryFile = `${file}.${newSecret(6)}`
  await writeFile(temporaryFile, newSecret(32), { mode: 0o600, flush: true })
  try {
    await link(temporaryFile, file)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  } finally {
    await rm(temporaryFile)
  }
  return readFile(file, 'utf8')
}

async function readSecretFile(file: string): Promise<string | undefined> {
  const key = await readFile(file, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  })
  if (key === undefined) return undefined
  await requirePrivateFile(file)
  if (key.trim().length >= minSecretLength) return key.trim()
  throw new ConfigError(
    `${file} doesn't contain a secret of at least ${minSecretLength} characters. Restore the file from your backup.`,
  )
}

/** Rejects a file that another user wrote or can read. Its folder may be trusted because that user owns the database. */
async function requirePrivateFile(file: string): Promise<void> {
  if (process.getuid === undefined) return // Windows has no such owners and modes
  const [{ uid, mode }, folder] = await Promise.all([stat(file), stat(path.dirname(file))])
  if (![0, process.getuid(), folder.uid].includes(uid)) {
    throw new ConfigError(
      `${file} belongs to another user (ID ${uid}), who knows the secret in it. Check who created the file, and ` +
        `restore it from your backup as the user who starts Outdial.`,
    )
  }
  if ((mode & 0o077) !== 0) {
    throw new ConfigError(
      `Other users can open ${file}. If nobody else has read or changed the secret in it, run chmod 600 on the file.`,
    )
  }
}
