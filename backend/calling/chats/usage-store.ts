import { sql } from 'kysely'
import type { Db } from '../../platform/db/schema.ts'

/** Adds tokens to a workspace's total for a day, and returns the new total. */
export async function addToUsage(
  db: Db,
  workspaceId: number,
  { day, tokens }: { day: string; tokens: number },
): Promise<number> {
  const row = await db
    .insertInto('model_usage')
    .values({ workspace_id: workspaceId, day, tokens })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'day'])
        .doUpdateSet({ tokens: sql<number>`model_usage.tokens + excluded.tokens` }),
    )
    .returning('tokens')
    .executeTakeFirstOrThrow()
  return row.tokens
}

export async function selectUsage(db: Db, workspaceId: number, day: string): Promise<number> {
  const row = await db
    .selectFrom('model_usage')
    .select('tokens')
    .where('workspace_id', '=', workspaceId)
    .where('day', '=', day)
    .executeTakeFirst()
  return row?.tokens ?? 0
}

export async function deleteUsageBefore(db: Db, day: string): Promise<void> {
  await db.deleteFrom('model_usage').where('day', '<', day).execute()
}
