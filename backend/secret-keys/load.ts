import { link, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Config, ConfigError } from '../config.ts'
import { errorCode } from '../error-code.ts'
import { randomToken } from '../secrets.ts'

const shortest = 32

/**
 * The keys of SECRET_KEY, and that of DATA_DIR, which is made at the first start with the embedded database.
 *
 * @throws {ConfigError} where there is none, or one can be guessed
 */
export async function loadSecretKeys(config: Config, dataDir: string | undefined): Promise<string[]> {
  if (config.secretKeys.some((key) => key.length < shortest)) {
    throw new ConfigError(
      `SECRET_KEY must have at least ${shortest} characters, each key of the list for itself.`,
    )
  }
  if (dataDir !== undefined) return [...config.secretKeys, await readOrMake(path.join(dataDir, 'secret-key'))]
  if (config.secretKeys.length > 0) return config.secretKeys
  throw new ConfigError(
    `SECRET_KEY is not set: with DATABASE_URL, set it to at least ${shortest} random characters, the same for every ` +
      `process, and keep it safe. Without it nobody can read the secrets of the database.`,
  )
}

/** A command and the service may come here at once: a link is made by one of them, and never to half a key. */
async function readOrMake(file: string): Promise<string> {
  const found = await read(file)
  if (found !== undefined) return found
  const made = `${file}.${randomToken(6)}`
  await writeFile(made, randomToken(), { mode: 0o600, flush: true })
  try {
    await link(made, file)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  } finally {
    await rm(made)
  }
  return readFile(file, 'utf8')
}

async function read(file: string): Promise<string | undefined> {
  const key = await readFile(file, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  })
  if (key === undefined || key.trim().length >= shortest) return key?.trim()
  throw new ConfigError(
    `${file} holds no key of at least ${shortest} characters: restore it from your backup.`,
  )
}
