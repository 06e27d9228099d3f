import type { Db } from '../db/schema.ts'

/** Sealed, and until when the one before it signs beside it. */
export const findWorkspaceSecret = (
  db: Db,
  workspaceId: number,
): Promise<{ sealed: string; previousUntil: Date | null }> =>
  db
    .selectFrom('workspace')
    .select(['webhook_secret as sealed', 'previous_webhook_secret_until as previousUntil'])
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow()

/** The new secret signs from now on, the one before it until `previousUntil`. */
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
