import type { Db } from '../db/schema.ts'

/** Who a subscription belongs to. Without `clientId`: everything that a member has in a workspace. */
export type SubscriptionOwner =
  { apiKeyId: number } | { workspaceId: number; userId: number; clientId?: string }

/** Removes every subscription of a key, an app's connection or a member; what was to be sent to them ends. How many. */
export async function removeSubscriptions(tx: Db, owner: SubscriptionOwner): Promise<number> {
  // In order, as the outbox locks them: otherwise the two could wait for each other.
  const locked = tx.selectFrom('webhook_subscription').select('id').orderBy('id').forUpdate()
  const owned =
    'apiKeyId' in owner
      ? locked.where('api_key_id', '=', owner.apiKeyId)
      : locked
          .where('workspace_id', '=', owner.workspaceId)
          .where('user_id', '=', owner.userId)
          .$if(owner.clientId !== undefined, (query) => query.where('client_id', '=', owner.clientId ?? null))
  const { numDeletedRows } = await tx
    .deleteFrom('webhook_subscription')
    .where('id', 'in', owned)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
