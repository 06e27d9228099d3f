import type { Db } from '../db/schema.ts'

/** Deletes what nobody can use any more. Rows of `credential` go by `credentials`, all others by `now`. */
export async function deleteExpired(db: Db, before: { now: Date; credentials: Date }): Promise<void> {
  await db.deleteFrom('session').where('expires_at', '<', before.now).execute()
  await db.deleteFrom('oauth_payload').where('expires_at', '<', before.now).execute()
  await db.deleteFrom('idempotent_answer').where('expires_at', '<', before.now).execute()
  await db.deleteFrom('credential').where('expires_at', '<', before.credentials).execute()
}
