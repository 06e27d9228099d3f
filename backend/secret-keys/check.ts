import { ConfigError } from '../config.ts'
import type { Db } from '../db/schema.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { getOrCreateServerSecret } from './store.ts'

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
