import { CompiledQuery, sql } from 'kysely'
import { doNotCallSettings } from '../db/do-not-call-settings.ts'
import { roles } from '../db/roles.ts'
import type { Db } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { getOrCreateServerSecret } from '../secrets/secret-keys.ts'
import { randomToken } from '../secrets/tokens.ts'

const keyName = 'do_not_call_key'

/**
 * Loads this installation's key for the hashes of the do-not-call list. At the first start, creates the key and converts
 * the entries of earlier versions. The key and the converted entries are committed together, so the key exists exactly
 * if no entry is left to convert.
 */
export const loadDoNotCallKey = ({ db, secretBox }: Pick<Deps, 'db' | 'secretBox'>): Promise<Buffer> =>
  db.transaction().execute(async (tx) => {
    const place = ['server_secret.value', keyName] as const
    await sql`select pg_advisory_xact_lock(hashtextextended(${keyName}, 0))`.execute(tx)
    const created = secretBox.seal(randomToken(), place)
    const stored = await getOrCreateServerSecret(tx, keyName, created)
    const key = Buffer.from(secretBox.open(stored, place), 'base64url')
    if (stored === created) await convertEntries(tx, key)
    return key
  })

/** Replaces each hash of an earlier version by its HMAC, which doesn't need the phone number. */
async function convertEntries(tx: Db, key: Buffer): Promise<void> {
  // The policies hide no entry from this role. Hidden ones would stay as they are.
  await sql`set local role ${sql.id(roles.service)}`.execute(tx)
  // Waits for a process of an earlier version that's adding an entry. After the migration, it can't add more.
  await sql`lock table do_not_call, do_not_call_removal in share row exclusive mode`.execute(tx)
  const { text, values } = doNotCallSettings(key)
  await tx.executeQuery(CompiledQuery.raw(text, values))
  await sql`update do_not_call set number_hash = do_not_call_hmac(number_hash)`.execute(tx)
  await sql`update do_not_call_removal set number_hash = do_not_call_hmac(number_hash)`.execute(tx)
}
