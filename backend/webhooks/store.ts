import type { WebhookFilter } from '@outdial/contract'
import type { Selectable } from 'kysely'
import type { Database, Db } from '../db/schema.ts'

export type SubscriptionRow = Selectable<Database['webhook_subscription']>

/** Who a subscription belongs to. Without `clientId`: everything that a member has in a workspace. */
export type SubscriptionOwner =
  { apiKeyId: number } | { workspaceId: number; userId: number; clientId?: string }

/** Removes every subscription of a key, an app's connection or a member; what was to be sent to them ends. */
export async function removeSubscriptionsOf(trx: Db, owner: SubscriptionOwner): Promise<void> {
  const all = trx.selectFrom('webhook_subscription').select('id').orderBy('id').forUpdate()
  const owned =
    'apiKeyId' in owner
      ? all.where('api_key_id', '=', owner.apiKeyId)
      : all
          .where('workspace_id', '=', owner.workspaceId)
          .where('user_id', '=', owner.userId)
          .$if(owner.clientId !== undefined, (query) => query.where('client_id', '=', owner.clientId ?? ''))
  await trx.deleteFrom('webhook_subscription').where('id', 'in', owned).execute()
}
