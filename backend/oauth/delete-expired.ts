import { dayMs } from '../core/durations.ts'
import type { Deps } from '../deps.ts'
import { deleteUnusedGrants } from './grants.ts'

/** Far longer than a code is valid: a grant without tokens is then one whose code was never exchanged. */
const unusedGrantTtlMs = dayMs

/** Deletes expired state of oidc-provider and grants that have no token. Expired credentials must be deleted first. */
export async function deleteExpiredAuthorizations(deps: Pick<Deps, 'db'>, now: Date): Promise<void> {
  await deps.db.deleteFrom('oauth_payload').where('expires_at', '<', now).execute()
  await deleteUnusedGrants(deps, new Date(now.getTime() - unusedGrantTtlMs))
}
