import { sql } from 'kysely'
import { prepared } from '../platform/db/connect.ts'
import type { Db } from '../platform/db/schema.ts'
import type { DeliveryStatus } from '../platform/db/tables/webhook-tables.ts'

/** A delivery attempt, as the dashboard shows it. */
export interface DeliveryAttemptRow {
  at: Date
  durationMs: number
  statusCode: number | null
  /** The error in sentences; null if the delivery succeeded. */
  error: string | null
}

export type DeliveryState =
  { status: 'pending'; nextAttemptAt: Date } | { status: Exclude<DeliveryStatus, 'pending' | 'canceled'> }

export interface AttemptResultRow {
  lease: { id: number; fence: number }
  attempt: DeliveryAttemptRow
  state: DeliveryState
  /** Records the result only if the delivery's subscription is in this state. Null for any state. */
  onlyIf: 'not_failing' | 'failing' | null
}

/**
 * Records attempts, ends their leases, and returns the IDs of the deliveries. Leaves out deliveries that another worker has
 * taken over. A delivery that was canceled during the attempt isn't retried.
 *
 * @param options.skipLocked leaves out deliveries that other transactions have locked. Without it, the statement waits for
 *   their locks, so record only one attempt: two statements that lock several rows in different orders could deadlock.
 * @param options.failingSince a subscription in the state `failing` must have started to fail after this time
 */
export async function recordDeliveryAttempts(
  db: Db,
  results: readonly AttemptResultRow[],
  { skipLocked = false, failingSince }: { skipLocked?: boolean; failingSince?: Date } = {},
): Promise<number[]> {
  const rows = results.map(({ lease, attempt, state, onlyIf }) => ({
    ...lease,
    only_if: onlyIf,
    new_status: state.status,
    is_final: state.status === 'delivered' || state.status === 'gone',
    new_attempt_at: state.status === 'pending' ? state.nextAttemptAt : null,
    started_at: attempt.at,
    duration_ms: attempt.durationMs,
    status_code: attempt.statusCode,
    error: attempt.error,
  }))
  const { rows: recorded } = await sql<{ id: number }>`${prepared}
    with result as (
      select * from json_to_recordset(${JSON.stringify(rows)}) as result (
        id bigint, fence bigint, only_if text, new_status text, is_final boolean, new_attempt_at timestamptz,
        started_at timestamptz, duration_ms int, status_code int, error text
      )
    ), locked as (
      select result.*, d.status = 'canceled' and not is_final as keeps_canceled
      from result
      -- Lateral with a limit, because for a plain join, PostgreSQL could read the whole table.
      cross join lateral (
        select status, subscription_id from webhook_delivery
        where id = result.id and fence = result.fence and worker_id is not null and status in ('pending', 'canceled')
        limit 1
        for no key update ${skipLocked ? sql`skip locked` : sql``}
      ) d
      left join lateral (
        select failing_since from webhook_subscription where id = d.subscription_id limit 1
      ) s on true
      where case only_if
        when 'not_failing' then failing_since is null
        when 'failing' then failing_since > ${failingSince ?? null}
        else true
      end
    ), settled as (
      update webhook_delivery d
      set attempts = attempts + 1, worker_id = null, lease_until = null,
        -- A literal, not d.status: PostgreSQL would check constraints with the status from before the wait for the lock.
        status = case when keeps_canceled then 'canceled' else new_status end,
        next_attempt_at = case when keeps_canceled then null else new_attempt_at end,
        waits_for_retry = new_attempt_at is not null,
        finished_at = case
          when keeps_canceled then finished_at
          when new_status <> 'pending' then started_at
        end
      from locked where d.id = locked.id
    )
    insert into delivery_attempt (delivery_id, number, at, duration_ms, status_code, error)
    select id, 1 + (select count(*) from delivery_attempt where delivery_id = locked.id),
      started_at, duration_ms, status_code, error
    from locked
    returning delivery_id as id
  `.execute(db)
  return recorded.map(({ id }) => id)
}
