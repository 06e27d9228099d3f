import { sql } from 'kysely'
import type { Actor } from '../../platform/core/actor.ts'
import { dayMs } from '../../platform/core/durations.ts'
import { type CallRules, callRulesColumn } from '../../platform/db/call-rules.ts'
import type { Db } from '../../platform/db/schema.ts'

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
  rules: CallRules,
  { at, by }: { at: Date; by: Actor },
): Promise<void> => {
  const values = {
    countries: rules.countries,
    hours_by_law: rules.hoursByLaw,
    closed_dates: rules.closedDates,
    max_attempts_per_day: rules.maxAttemptsPerDay,
    max_attempts_per_30_days: rules.maxAttemptsPer30Days,
    max_attempts_per_own_number: rules.maxAttemptsPerOwnNumber,
    max_minutes_per_month: rules.maxMinutesPerMonth,
    consent_required: rules.consentRequired,
    consent_max_age_days: rules.consentMaxAgeDays,
    changed_at: at,
    changed_by: JSON.stringify(by),
  }
  await db
    .insertInto('call_rules')
    .values({ workspace_id: workspaceId, ...values })
    .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet(values))
    .execute()
}

/** The maximum number of rows per statement. */
const deletedAtOnce = 5_000

/** Deletes what is stored about numbers that weren't called in the last 30 days. */
export async function deleteOldNumberUse(db: Db, now: Date): Promise<void> {
  const before = new Date(now.getTime() - 30 * dayMs)
  for (;;) {
    // Skips rows that a dialer has locked, so that the dialer and this function never wait for each other.
    const { numAffectedRows = 0n } = await sql`
      delete from number_use where (workspace_id, number_hash) in (
        select workspace_id, number_hash from number_use
        where coalesce(placed_at[cardinality(placed_at)], '-infinity') < ${before}
        limit ${deletedAtOnce}
        for update skip locked
      )`.execute(db)
    if (numAffectedRows < deletedAtOnce) return
  }
}
