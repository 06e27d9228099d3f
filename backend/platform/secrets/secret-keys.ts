import path from 'node:path'
import type { Config } from '../../config.ts'
import type { Deps } from '../../deps.ts'
import { ConfigError } from '../core/errors.ts'
import { minSecretLength, readOrCreateSecret } from '../core/secret-on-disk.ts'
import type { Db } from '../db/schema.ts'
import { checkName, resealValues } from './reseal-values.ts'
import type { SealedPlace } from './secret-box.ts'
import { findServerSecret, insertServerSecretIfNew, replaceServerSecret } from './server-secret-store.ts'

const checkPlace: SealedPlace = ['server_secret.value', checkName]

/**
 * Checks at startup that the keys decrypt this database's secrets. Otherwise, a wrong key would fail only at its first use.
 *
 * @throws {ConfigError}
 */
export async function checkSecretKeys({ db, secretBox }: Pick<Deps, 'db' | 'secretBox'>): Promise<void> {
  const stored = await getOrCreateServerSecret(db, checkName, secretBox.seal('Outdial', checkPlace))
  try {
    secretBox.open(stored, checkPlace)
  } catch (cause) {
    throw new ConfigError(
      "SECRET_KEY can't decrypt the secrets in this database. Set the key that last worked with this database. " +
        'To rotate keys, put the new key before the old one, separated by a comma.',
      { cause },
    )
  }
}

/**
 * Seals stored values again if the first key doesn't open them, so that the other keys are no longer needed. Every process
 * must already use the same first key.
 *
 * @returns how many values changed, and how many can't be opened with any key
 */
export async function reencryptSecrets({
  db,
  secretBox,
  log,
}: Pick<Deps, 'db' | 'secretBox' | 'log'>): Promise<{ changed: number; unopened: number }> {
  const reseal = (sealed: string, place: SealedPlace) => {
    try {
      return secretBox.reseal(sealed, place)
    } catch {
      return undefined
    }
  }
  const result = await resealValues(db, reseal, log)
  // Reseals the value that checks the keys last: from then on, startup accepts the first key alone.
  const check = await findServerSecret(db, checkName)
  if (check !== undefined)
    await replaceServerSecret(db, checkName, { from: check, to: secretBox.reseal(check, checkPlace) })
  return result
}

/**
 * Returns the keys in SECRET_KEY, followed by the key in DATA_DIR, which is created at the first start with the embedded
 * database.
 *
 * @throws {ConfigError} if there's no key, or one is too short
 */
export async function loadSecretKeys(config: Config, dataDir: string | undefined): Promise<string[]> {
  if (config.secretKeys.some((key) => key.length < minSecretLength)) {
    throw new ConfigError(
      `SECRET_KEY must have at least ${minSecretLength} characters. In a list, this applies to each key.`,
    )
  }
  if (dataDir !== undefined)
    return [...config.secretKeys, await readOrCreateSecret(path.join(dataDir, 'secret-key'))]
  if (config.secretKeys.length > 0) return config.secretKeys
  throw new ConfigError(
    "SECRET_KEY is not set. It's required when DATABASE_URL is set. " +
      `Set it to at least ${minSecretLength} random characters, with the same value for every process, and keep it safe. ` +
      "Without it, the secrets in the database can't be decrypted.",
  )
}

/**
 * Stores a value unless the name already has one, and returns the stored value. Processes that call this at the same
 * time get the same value.
 */
export const getOrCreateServerSecret = async (db: Db, name: string, value: string): Promise<string> => {
  await insertServerSecretIfNew(db, name, value)
  const stored = await findServerSecret(db, name)
  if (stored === undefined) throw new Error(`invariant: the server secret ${name} was deleted`)
  return stored
}
