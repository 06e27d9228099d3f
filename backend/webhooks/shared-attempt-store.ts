import { sql } from 'kysely'
import { prepared } from '../db/connect.ts'
import type { Db } from '../db/schema.ts'
import type { DeliveryAttemptRow, DeliveryState } from './delivery-store.ts'

/** The result of one attempt, to be recorded together with others. */
export interface AttemptResultRow {
  lease: { id: number; fence: number }
  attempt: DeliveryAttemptRow
  state: DeliveryState
  /** Which subscriptions the result changes nothing for; null if it never changes any. */
  onlyIf: 'not_failing' | 'failing' | null
}

/**
 * Records attempts in one statement, as `recordDeliveryAttempt` records one. Returns the IDs of their deliveries. It
 * leaves out those that were locked or taken over by others, and those whose subscription the result may change.
 *
 * @param failingSince the earliest time at which a subscription can have started to fail without being disabled
 */
export async function recordDeliveryAttempts(
  db: Db,
  results: readonly AttemptResultRow[],
  failingSince: Date,
): Promise<number[]> {
  const isFinal = ({ status }: DeliveryState) => status === 'delivered' || status === 'gone'
  const { rows } = await sql<{ id: number }>`${prepared}
    with result as (
      select * from unnest(
        ${results.map(({ lease }) => lease.id)}::bigint[],
        ${results.map(({ lease }) => lease.fence)}::bigint[],
        ${results.map(({ onlyIf }) => onlyIf)}::text[],
        ${results.map(({ state }) => state.status)}::text[],
        ${results.map(({ state }) => isFinal(state))}::boolean[],
        ${results.map(({ state }) => (state.status === 'pending' ? state.nextAttemptAt : null))}::timestamptz[],
        ${results.map(({ attempt }) => attempt.at)}::timestamptz[],
        ${results.map(({ attempt }) => attempt.durationMs)}::int[],
        ${results.map(({ attempt }) => attempt.statusCode)}::int[],
        ${results.map(({ attempt }) => attempt.error)}::text[]
      ) as result (
        id, fence, only_if, new_status, is_final, new_attempt_at, started_at, duration_ms, status_code, error
      )
    ), locked as (
      select result.*, d.status = 'canceled' and not is_final as keeps_canceled
      from result
      -- Lateral and with a limit, because PostgreSQL could read the whole table for a join. Skips what others have locked,
      -- because two statements that lock several rows in different orders would stop each other.
      cross join lateral (
        select status, subscription_id from webhook_delivery
        where id = result.id and fence = result.fence and worker_id is not null and status in ('pending', 'canceled')
        limit 1
        for no key update skip locked
      ) d
      left join lateral (
        select failing_since from webhook_subscription where id = d.subscription_id limit 1
      ) s on true
      where case only_if
        when 'not_failing' then failing_since is null
        when 'failing' then failing_since > ${failingSince}
        else true
      end
    ), settled as (
      update webhook_delivery d
      set attempts = attempts + 1, worker_id = null, lease_until = null,
        status = case when keeps_canceled then status else new_status end,
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
  return rows.map(({ id }) => id)
}
