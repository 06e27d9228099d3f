import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { ConfigError } from '../config.ts'
import { errorCode } from '../error-code.ts'
import { randomToken } from './secret-box.ts'

/** Characters that a secret has at least, so that nobody guesses it. */
export const minSecretLength = 32

/**
 * The secret that a file of DATA_DIR keeps, made where there is none. A command and the service may come here at once:
 * a link is made by one of them, and never to half a secret.
 *
 * @throws {ConfigError} where the file was emptied
 */
export async function readOrCreateSecret(file: string): Promise<string> {
  const existing = await readSecretFile(file)
  if (existing !== undefined) return existing
  const temporaryFile = `${file}.${randomToken(6)}`
  await writeFile(temporaryFile, randomToken(), { mode: 0o600, flush: true })
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
  if (key === undefined || key.trim().length >= minSecretLength) return key?.trim()
  throw new ConfigError(
    `${file} holds no secret of at least ${minSecretLength} characters: restore it from your backup.`,
  )
}
