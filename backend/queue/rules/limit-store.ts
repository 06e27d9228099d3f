import { sql } from 'kysely'
import type { LimitingRule } from '../../platform/db/call-rules.ts'
import { hidden, prepared } from '../../platform/db/connect.ts'
import type { Db } from '../../platform/db/schema.ts'

/** The value of `limit_use.phone_number_id` in a workspace's own row. */
const ofWorkspace = 0

/**
 * Locks a workspace's own row of `limit_use`. Creates the row if it doesn't exist. A change to the limits waits for claims that
 * have already locked the row. While the change has the lock, claims place no calls of campaigns in this workspace that have
 * limits.
 */
export async function lockLimitUse(db: Db, workspaceId: number): Promise<void> {
  await sql`
    insert into limit_use (workspace_id, phone_number_id, period, used) values (${workspaceId}, ${ofWorkspace}, '-infinity', 0)
    on conflict do nothing`.execute(db)
  await lockLimitUses(db, [workspaceId])
}

/** Locks workspaces' own rows of `limit_use`, in the order of the workspaces' IDs. */
export async function lockLimitUses(db: Db, workspaceIds: readonly number[]): Promise<void> {
  await sql`${prepared}
    select workspace_id from limit_use
    where workspace_id = any(${hidden(workspaceIds, 'bigint[]')}) and phone_number_id = ${sql.lit(ofWorkspace)}
    order by workspace_id
    for no key update`.execute(db)
}

/**
 * Locks workspaces' own rows of `limit_use`, except rows that another transaction has locked. Returns the IDs of the workspaces
 * whose rows it has locked.
 */
export async function tryLockLimitUses(db: Db, workspaceIds: readonly number[]): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`${prepared}
    select workspace_id as id from limit_use
    where workspace_id = any(${hidden(workspaceIds, 'bigint[]')}) and phone_number_id = ${sql.lit(ofWorkspace)}
    order by workspace_id
    for no key update skip locked`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** The calls and minutes that a workspace's limits still allow for a phone number. Null means unlimited. */
export interface Remaining {
  phoneNumberId: number
  workspaceId: number
  timeZone: string
  /** The number of call attempts that are left for this phone number today. */
  attempts: number | null
  /** The number of seconds of conversation that are left this month. Calls in progress aren't subtracted. */
  seconds: number | null
  /** The number of the workspace's calls in progress. */
  live: number
}

/**
 * Returns what limits still allow for the numbers whose workspaces have limits. If the workspaces' rows of `limit_use` aren't
 * locked, less can be left a moment later.
 *
 * @param now decides the day and the month, in the workspace's time zone
 */
export async function findRemaining(
  db: Db,
  phoneNumberIds: readonly number[],
  now: Date,
): Promise<Remaining[]> {
  const { rows } = await sql<Remaining>`${prepared}
    select phone_number.id as "phoneNumberId", phone_number.workspace_id as "workspaceId",
      workspace.time_zone as "timeZone",
      call_rules.max_attempts_per_own_number - case when number.period = today.day then number.used else 0 end as attempts,
      call_rules.max_minutes_per_month * 60 - case when total.period = today.month then total.used else 0 end as seconds,
      (
        select count(*)::int from call_attempt
        where call_attempt.workspace_id = phone_number.workspace_id and ended_at is null and not test
      ) as live
    from phone_number
    join workspace on workspace.id = phone_number.workspace_id
    join call_rules on call_rules.workspace_id = phone_number.workspace_id
    cross join lateral (
      select local.day, date_trunc('month', local.day)::date as month
      from (select (${now}::timestamptz at time zone workspace.time_zone)::date as day) as local
    ) as today
    left join limit_use as number
      on number.workspace_id = phone_number.workspace_id and number.phone_number_id = phone_number.id
    left join limit_use as total
      on total.workspace_id = phone_number.workspace_id and total.phone_number_id = ${sql.lit(ofWorkspace)}
    where phone_number.id = any(${hidden(phoneNumberIds, 'bigint[]')})
      and (call_rules.max_attempts_per_own_number is not null or call_rules.max_minutes_per_month is not null)
    order by phone_number.id`.execute(db)
  return rows
}

/**
 * Adds call attempts to the use of numbers, on the day in the workspace's time zone. A negative count takes back attempts that
 * weren't placed.
 */
export async function addAttempts(
  db: Db,
  numbers: readonly { workspaceId: number; phoneNumberId: number; attempts: number }[],
  at: Date,
): Promise<void> {
  if (numbers.length === 0) return
  await sql`${prepared}
    insert into limit_use (workspace_id, phone_number_id, period, used)
    select workspace.id, number.id, (${at}::timestamptz at time zone workspace.time_zone)::date, greatest(0, number.attempts)
    from unnest(
      ${hidden(
        numbers.map(({ workspaceId }) => workspaceId),
        'bigint[]',
      )},
      ${hidden(
        numbers.map(({ phoneNumberId }) => phoneNumberId),
        'bigint[]',
      )},
      ${hidden(
        numbers.map(({ attempts }) => attempts),
        'int[]',
      )}
    ) as number (workspace_id, id, attempts)
    join workspace on workspace.id = number.workspace_id
    order by workspace.id, number.id
    on conflict (workspace_id, phone_number_id) do update
    -- At midnight, another process's clock can be ahead, so the stored day can be later. Attempts then count for that day.
    set period = greatest(limit_use.period, excluded.period),
      used = case when limit_use.period < excluded.period then 0 else limit_use.used end + excluded.used`.execute(
    db,
  )
}

/** Takes back a call attempt from the use of its number, if that use is still counted for the day of the attempt. */
export async function removeAttempt(
  db: Db,
  { workspaceId, phoneNumberId, at }: { workspaceId: number; phoneNumberId: number; at: Date },
): Promise<void> {
  await sql`
    update limit_use set used = greatest(0, used - 1)
    from workspace
    where workspace.id = limit_use.workspace_id and limit_use.workspace_id = ${workspaceId}
      and phone_number_id = ${phoneNumberId} and period = (${at}::timestamptz at time zone workspace.time_zone)::date`.execute(
    db,
  )
}

/** Adds seconds of conversation to the use of a workspace, in the current month in the workspace's time zone. */
export async function addSeconds(db: Db, workspaceId: number, seconds: number, at: Date): Promise<void> {
  await sql`
    update limit_use
    set period = greatest(period, month.start),
      used = case when period >= month.start then used + ${seconds} else ${seconds} end
    from (
      select date_trunc('month', ${at}::timestamptz at time zone time_zone)::date as start
      from workspace where id = ${workspaceId}
    ) as month
    where workspace_id = ${workspaceId} and phone_number_id = ${ofWorkspace}`.execute(db)
}

/** Saves that limits stop campaigns. The campaigns have their next turn when the limits end. */
export async function stopCampaigns(
  db: Db,
  stops: readonly { campaignId: number; until: Date; by: LimitingRule }[],
): Promise<void> {
  const sorted = stops.toSorted((one, other) => one.campaignId - other.campaignId)
  for (const { campaignId, until, by } of sorted)
    await sql`
      update campaign_queue set claim_at = ${until}, limited_until = ${until}, limited_by = ${by}
      where campaign_id = ${campaignId} and not at_limit`.execute(db)
}

/** Returns true if a limit stops campaigns of a workspace. */
export async function hasStoppedCampaigns(db: Db, workspaceId: number, by: LimitingRule): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`${prepared}
    select exists (
      select from campaign_queue where workspace_id = ${workspaceId} and limited_by = ${by}
    ) as found`.execute(db)
  return rows[0]?.found === true
}

/** Finds the workspaces of campaigns that a limit stops. */
export async function findWorkspacesWithStops(db: Db): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct workspace_id as id from campaign_queue where limited_by is not null order by 1`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/**
 * Moves use that's counted for a later day or month to the current one. After a change to a time zone further west, the local
 * date can be the day before, and limits ignore use that's counted for later days.
 */
export async function movePeriodsBack(db: Db, workspaceId: number, now: Date): Promise<void> {
  await sql`
    update limit_use
    set period = case when phone_number_id = ${ofWorkspace} then date_trunc('month', local.day)::date else local.day end
    from (
      select (${now}::timestamptz at time zone time_zone)::date as day from workspace where id = ${workspaceId}
    ) as local
    where workspace_id = ${workspaceId} and period > local.day`.execute(db)
}

/**
 * Gives a turn to each campaign of a workspace that a limit stops, because the limit may have ended. Locks rows of
 * `campaign_queue` in the order of campaign IDs, so call it last in a transaction.
 *
 * @param options.by gives a turn only to campaigns that this limit stops
 * @param options.campaignIds campaigns whose rows the triggers of this transaction can write at the commit. These rows are
 *   locked in the same order.
 */
export async function requeueLimitedCampaigns(
  db: Db,
  workspaceId: number,
  { by, campaignIds = [] }: { by?: LimitingRule; campaignIds?: readonly number[] } = {},
): Promise<void> {
  const isStopped = by === undefined ? sql`limited_by is not null` : sql`limited_by = ${by}`
  await sql`
    select campaign_id from campaign_queue
    where workspace_id = ${workspaceId} and (${isStopped} or campaign_id = any(${campaignIds}::bigint[]))
    order by campaign_id
    for no key update`.execute(db)
  await sql`
    update campaign_queue set claim_at = clock_timestamp(), limited_until = null, limited_by = null
    where workspace_id = ${workspaceId} and ${isStopped}`.execute(db)
}
