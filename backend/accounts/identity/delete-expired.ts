import { dayMs } from '../../platform/core/durations.ts'
import type { Db } from '../../platform/db/schema.ts'

/**
 * How long expired credentials are stored, so that an error can say that a credential has expired instead of that it's
 * unknown.
 */
const credentialRetentionMs = 7 * dayMs

/**
 * How long expired invitations and password resets are stored, so that the page of their link can say that it has expired.
 */
const linkRetentionMs = 30 * dayMs

/** Deletes expired sign-in sessions, invitations, password resets, and credentials. */
export async function deleteExpiredIdentities(db: Db, now: Date): Promise<void> {
  const before = (retentionMs: number) => new Date(now.getTime() - retentionMs)
  await db.deleteFrom('session').where('expires_at', '<', now).execute()
  await db.deleteFrom('invitation').where('expires_at', '<', before(linkRetentionMs)).execute()
  await db.deleteFrom('password_reset').where('expires_at', '<', before(linkRetentionMs)).execute()
  await db.deleteFrom('credential').where('expires_at', '<', before(credentialRetentionMs)).execute()
}
