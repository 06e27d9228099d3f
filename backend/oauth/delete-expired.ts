import { dayMs } from '../core/durations.ts'
import type { Db } from '../db/schema.ts'
import { deleteUnusedGrants } from './oauth-store.ts'

/** Far longer than a code is valid: a grant without tokens is then one whose code was never exchanged. */
const unusedGrantTtlMs = dayMs

/** Deletes expired state of oidc-provider and grants that have no token. Expired credentials must be deleted first. */
export async function deleteExpiredAuthorizations(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('oauth_payload').where('expires_at', '<', now).execute()
  await deleteUnusedGrants(db, new Date(now.getTime() - unusedGrantTtlMs))
}
