import { sql } from 'kysely'
import type { Actor } from '../core/actor.ts'
import { type CallRules, callRulesColumn } from '../db/call-rules.ts'
import type { Db } from '../db/schema.ts'

/** Returns undefined if no rules have been set. */
export const selectCallRules = (
  db: Db,
  workspaceId: number,
): Promise<{ rules: CallRules; changedAt: Date; changedBy: Actor } | undefined> =>
  db
    .selectFrom('call_rules')
    .select([callRulesColumn.as('rules'), 'changed_at as changedAt', 'changed_by as changedBy'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()

export const upsertCallRules = async (
  db: Db,
  workspaceId: number,
  { countries, hoursByLaw, closedDates }: CallRules,
  { at, by }: { at: Date; by: Actor },
): Promise<void> => {
  await sql`
    insert into call_rules (workspace_id, countries, hours_by_law, closed_dates, changed_at, changed_by)
    values (${workspaceId}, ${countries}::text[], ${hoursByLaw}, ${closedDates}::text[], ${at}, ${JSON.stringify(by)})
    on conflict (workspace_id) do update set
      countries = excluded.countries, hours_by_law = excluded.hours_by_law, closed_dates = excluded.closed_dates,
      changed_at = excluded.changed_at, changed_by = excluded.changed_by`.execute(db)
}
