import type { Db } from '../platform/db/schema.ts'

/** Returns a workspace's sealed secret, and the time until which its previous secret also signs. */
export const findWorkspaceSecret = (
  db: Db,
  workspaceId: number,
): Promise<{ sealed: string; previousUntil: Date | null }> =>
  db
    .selectFrom('workspace')
    .select(['webhook_secret as sealed', 'previous_webhook_secret_until as previousUntil'])
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow()

/** Replaces a workspace's secret. The previous one also signs until `previousUntil`. */
export async function replaceWorkspaceSecret(
  db: Db,
  workspaceId: number,
  change: { sealedSecret: string; previousUntil: Date },
): Promise<void> {
  await db
    .updateTable('workspace')
    .set((column) => ({
      previous_webhook_secret: column.ref('webhook_secret'),
      previous_webhook_secret_until: change.previousUntil,
      webhook_secret: change.sealedSecret,
    }))
    .where('id', '=', workspaceId)
    .execute()
}

/**
 * Replaces a subscription's secret. The previous one also signs until `previousUntil`. Returns false if there's no such
 * subscription.
 */
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
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
