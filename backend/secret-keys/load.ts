import path from 'node:path'
import { type Config, ConfigError } from '../config.ts'
import { readOrCreateSecret, minSecretLength } from '../secrets/secret-keys.ts'

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
