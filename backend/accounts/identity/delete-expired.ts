import { dayMs } from '../../platform/core/durations.ts'
import type { Db } from '../../platform/db/schema.ts'

/**
 * Expired credentials are stored for this long, so that the error says that they expired instead of that they're
 * unknown.
 */
const credentialRetentionMs = 7 * dayMs

/** Expired invitations and password resets are stored for this long, so that the link's page can say that it has expired. */
const linkRetentionMs = 30 * dayMs

/** Deletes expired sign-in sessions, invitations, password resets, and credentials. */
export async function deleteExpiredIdentities(db: Db, now: Date): Promise<void> {
  const before = (retentionMs: number) => new Date(now.getTime() - retentionMs)
  await db.deleteFrom('session').where('expires_at', '<', now).execute()
  await db.deleteFrom('invitation').where('expires_at', '<', before(linkRetentionMs)).execute()
  await db.deleteFrom('password_reset').where('expires_at', '<', before(linkRetentionMs)).execute()
  await db.deleteFrom('credential').where('expires_at', '<', before(credentialRetentionMs)).execute()
}
