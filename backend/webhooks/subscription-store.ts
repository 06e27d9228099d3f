import type { WebhookFilter } from '@outdial/contract'
import type { Selectable } from 'kysely'
import type { Database, Db } from '../db/schema.ts'
import type { Caller } from '../core/caller.ts'

export type SubscriptionRow = Selectable<Database['webhook_subscription']>

/** Who a subscription belongs to. Without `clientId`: everything that a member has in a workspace. */
export type SubscriptionOwner =
  { apiKeyId: number } | { workspaceId: number; userId: number; clientId?: string }

/**
 * Holds the connection behind a caller until the transaction ends, so that whoever ends it meanwhile waits, and
 * then also finds what the caller has made. False where it has already ended.
 */
export async function lockConnection(tx: Db, caller: Caller): Promise<boolean> {
  if (caller.clientId === null) {
    const key = await tx
      .selectFrom('api_key')
      .select('id')
      .where('id', '=', caller.apiKeyId)
      .where('revoked_at', 'is', null)
      .forShare() // revoking is an update, which a key share would let pass
      .executeTakeFirst()
    return key !== undefined
  }
  const grant = await tx
    .selectFrom('oauth_grant')
    .select('id_hash')
    .where('workspace_id', '=', caller.workspaceId)
    .where('user_id', '=', caller.userId)
    .where('client_id', '=', caller.clientId)
    .limit(1)
    .forKeyShare()
    .executeTakeFirst()
  return grant !== undefined
}

/** Adds a subscription, or finds the standing one and enables it again; the unique indexes decide. */
export async function upsertSubscription(
  db: Db,
  workspaceId: number,
  row: { caller: Caller; targetUrl: string; filter: WebhookFilter; sealedSecret: string; at: Date },
): Promise<SubscriptionRow> {
  const { caller, targetUrl, filter, sealedSecret, at } = row
  const enabled = { disabled_at: null, failing_since: null }
  return db
    .insertInto('webhook_subscription')
    .values({
      workspace_id: workspaceId,
      user_id: caller.userId,
      api_key_id: caller.apiKeyId,
      client_id: caller.clientId,
      target_url: targetUrl,
      event: 'call.completed',
      filter: JSON.stringify(filter),
      secret: sealedSecret,
      created_at: at,
    })
    .onConflict((conflict) =>
      caller.clientId === null
        ? conflict
            .columns(['api_key_id', 'target_url', 'event', 'filter'])
            .where('api_key_id', 'is not', null)
            .doUpdateSet(enabled)
        : conflict
            .columns(['user_id', 'client_id', 'workspace_id', 'target_url', 'event', 'filter'])
            .where('client_id', 'is not', null)
            .doUpdateSet(enabled),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

export const findSubscription = (db: Db, workspaceId: number, id: number) =>
  db
    .selectFrom('webhook_subscription')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Enabled, and failing no longer. False where the workspace has none of this id. */
export async function clearSubscriptionFailure(db: Db, workspaceId: number, id: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhook_subscription')
    .set({ disabled_at: null, failing_since: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Removes a subscription with its deliveries. False where the workspace has none of this id. */
export async function deleteSubscription(db: Db, workspaceId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('webhook_subscription')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

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

/** The new secret signs from now on, the one before it until `previousUntil`. False where there is no such one. */
export async function replaceSubscriptionSecret(
  db: Db,
  workspaceId: number,
  change: { id: number; sealedSecret: string; previousUntil: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhook_subscription')
    .set((column) => ({
      previous_secret: column.ref('secret'),
      previous_secret_until: change.previousUntil,
      secret: change.sealedSecret,
    }))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', change.id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function hasCampaign(db: Db, workspaceId: number, id: number): Promise<boolean> {
  const query = db
    .selectFrom('campaign')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
  return (await query.executeTakeFirst()) !== undefined
}

export async function hasAgent(db: Db, workspaceId: number, id: number): Promise<boolean> {
  const query = db
    .selectFrom('agent')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
  return (await query.executeTakeFirst()) !== undefined
}
