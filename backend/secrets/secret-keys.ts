import { link, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from '../config.ts'
import { ConfigError, errorCode } from '../core/errors.ts'
import type { Db } from '../db/schema.ts'
import type { SecretBox } from './secret-box.ts'
import { findServerSecret, insertServerSecretIfNew } from './server-secret-store.ts'
import { randomToken } from './tokens.ts'

/** Characters that a secret has at least, so that nobody guesses it. */
export const minSecretLength = 32

/**
 * The secret that a file of DATA_DIR keeps, made where there is none. A command and the service may come here
 * at once: a link is made by one of them, and never to half a secret.
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

/**
 * Tells at the start, and not at some webhook in the night, that the keys are not those of this database.
 *
 * @throws {ConfigError}
 */
export async function checkSecretKeys(db: Db, secretBox: SecretBox): Promise<void> {
  const stored = await getOrCreateServerSecret(db, 'secret-key-check', secretBox.seal('Outdial'))
  try {
    secretBox.open(stored)
  } catch (cause) {
    throw new ConfigError(
      'SECRET_KEY does not open the secrets of this database: set the key with which it was first started. To change ' +
        'keys, put the new one before it, with a comma between them.',
      { cause },
    )
  }
}

/**
 * The keys of SECRET_KEY, and that of DATA_DIR, which is made at the first start with the embedded database.
 *
 * @throws {ConfigError} where there is none, or one can be guessed
 */
export async function loadSecretKeys(config: Config, dataDir: string | undefined): Promise<string[]> {
  if (config.secretKeys.some((key) => key.length < minSecretLength)) {
    throw new ConfigError(
      `SECRET_KEY must have at least ${minSecretLength} characters, each key of the list for itself.`,
    )
  }
  if (dataDir !== undefined)
    return [...config.secretKeys, await readOrCreateSecret(path.join(dataDir, 'secret-key'))]
  if (config.secretKeys.length > 0) return config.secretKeys
  throw new ConfigError(
    `SECRET_KEY is not set: with DATABASE_URL, set it to at least ${minSecretLength} random characters, the same for every ` +
      `process, and keep it safe. Without it nobody can read the secrets of the database.`,
  )
}

/**
 * Stores the value unless there is one of this name, and returns the stored one: of several processes one is
 * first.
 */
export const getOrCreateServerSecret = async (db: Db, name: string, value: string): Promise<string> => {
  await insertServerSecretIfNew(db, name, value)
  return findServerSecret(db, name)
}
