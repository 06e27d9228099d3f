import type { Db } from '../db/schema.ts'

/** Deletes what nobody can use any more. Credentials and links go by dates of their own, the rest by `now`. */
export async function deleteExpired(
  db: Db,
  before: { now: Date; credentials: Date; links: Date },
): Promise<void> {
  await db.deleteFrom('session').where('expires_at', '<', before.now).execute()
  await db.deleteFrom('oauth_payload').where('expires_at', '<', before.now).execute()
  await db.deleteFrom('idempotent_answer').where('expires_at', '<', before.now).execute()
  await db.deleteFrom('contact_import').where('expires_at', '<', before.now).execute()
  await db.deleteFrom('invitation').where('expires_at', '<', before.links).execute()
  await db.deleteFrom('password_reset').where('expires_at', '<', before.links).execute()
  await db.deleteFrom('credential').where('expires_at', '<', before.credentials).execute()
}
