import { sql } from 'kysely'
import type { Actor } from '../core/actor.ts'
import type { Db } from '../db/schema.ts'

/** Who may be called: the rules of a workspace. A rule that's null is off. */
export interface CallRules {
  /** ISO 3166-1 alpha-2 codes of the countries that are called. */
  countries: string[] | null
}

/** Returns undefined if no rules have been set. */
export const selectCallRules = (
  db: Db,
  workspaceId: number,
): Promise<(CallRules & { changedAt: Date; changedBy: Actor }) | undefined> =>
  db
    .selectFrom('call_rules')
    .select(['countries', 'changed_at as changedAt', 'changed_by as changedBy'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()

export const upsertCallRules = async (
  db: Db,
  workspaceId: number,
  { countries }: CallRules,
  { at, by }: { at: Date; by: Actor },
): Promise<void> => {
  await sql`
    insert into call_rules (workspace_id, countries, changed_at, changed_by)
    values (${workspaceId}, ${countries}::text[], ${at}, ${JSON.stringify(by)})
    on conflict (workspace_id) do update set
      countries = excluded.countries, changed_at = excluded.changed_at, changed_by = excluded.changed_by`.execute(
    db,
  )
}
