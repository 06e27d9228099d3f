import { sql } from 'kysely'
import type { Db } from '../../platform/db/schema.ts'
import {
  type CallToDial,
  callToDialColumns,
  type CallToDialRow,
  type NewAttempt,
  withAgents,
} from './claim-store.ts'

/** An attempt that hasn't ended, with its call. */
interface LiveAttempt extends CallToDial, Pick<NewAttempt, 'number'> {
  attemptId: string
  test: boolean
  startedAt: Date
  answeredAt: Date | null
}

/**
 * Returns those of the attempts that haven't ended, with their calls. They continue even if their campaign has since been
 * paused or archived.
 */
export async function findLiveAttempts(db: Db, ids: readonly string[]): Promise<LiveAttempt[]> {
  // The agent's version that the attempt was dialed with, even if another version has been published since.
  const version = sql<number>`coalesce(call_attempt.agent_version, agent.version)`
  const { rows } = await sql<CallToDialRow & LiveAttempt>`
    select ${callToDialColumns(version)}, call_attempt.id as "attemptId", call_attempt.number, call_attempt.test,
      call_attempt.started_at as "startedAt", call_attempt.answered_at as "answeredAt"
    from call_attempt
    join call on call.id = call_attempt.call_id
    join campaign on campaign.id = call.campaign_id
    join agent on agent.id = call.agent_id
    join contact on contact.id = call.contact_id
    where call_attempt.id = any(${ids}::uuid[]) and call_attempt.ended_at is null
    order by call.id`.execute(db)
  return withAgents(rows)
}

/** An attempt and the fence of the worker that holds its lease. Writes with an older fence are stale. */
export interface FencedAttempt {
  id: string
  fence: number
  workspaceId: number
}

/** Ends the lease of an attempt that continues without this worker, so the next worker can take it over immediately. */
export const releaseLease = async (db: Db, attempt: FencedAttempt): Promise<void> => {
  await db
    .updateTable('call_attempt')
    .set({ lease_until: sql<Date>`clock_timestamp()` })
    .where('id', '=', attempt.id)
    .where('workspace_id', '=', attempt.workspaceId)
    .where('fence', '=', attempt.fence)
    .where('ended_at', 'is', null)
    .execute()
}

/**
 * Takes over at most `limit` attempts of a provider if their leases have expired by the database's clock. Increases their
 * fences, so later writes by the previous worker are stale.
 */
export async function takeOverLostAttempts(
  db: Db,
  lease: { workerId: string; provider: string; leaseMs: number; limit: number },
): Promise<FencedAttempt[]> {
  const { rows } = await sql<FencedAttempt>`
    update call_attempt
    set fence = fence + 1, worker_id = ${lease.workerId}::uuid,
      lease_until = clock_timestamp() + ${lease.leaseMs}::float8 * interval '1 millisecond'
    where id in (
      select id from call_attempt
      where ended_at is null and provider = ${lease.provider} and lease_until < clock_timestamp()
      order by lease_until limit ${lease.limit}
      for no key update skip locked
    )
    returning id, fence, workspace_id as "workspaceId"`.execute(db)
  return rows
}

/** An attempt whose lease expired more than `lostForSeconds` ago by the database's clock. Its worker is gone. */
export interface LostAttempt extends FencedAttempt {
  lostForSeconds: number
}

/**
 * Finds up to 100 lost attempts without locking or leasing them, so that a process that dies afterward doesn't delay other
 * processes. `endAttempts` decides whether an attempt is still lost. Without `providers`, finds the attempts of every provider.
 */
export async function findLostAttempts(
  db: Db,
  options: { providers?: readonly string[]; lostForSeconds: number },
): Promise<LostAttempt[]> {
  const { providers, lostForSeconds } = options
  return db
    .selectFrom('call_attempt')
    .select(['id', 'fence', 'workspace_id as workspaceId'])
    .select(sql.lit(lostForSeconds).as('lostForSeconds'))
    .where('ended_at', 'is', null)
    .where('lease_until', '<', expiredBefore(lostForSeconds))
    .$if(providers !== undefined, (query) => query.where('provider', 'in', providers ?? []))
    .orderBy('lease_until')
    .limit(100)
    .execute()
}

/** Returns the time before which a lease must have expired, as an SQL expression. */
export const expiredBefore = (lostForSeconds: number) =>
  sql<Date>`clock_timestamp() - ${lostForSeconds}::float8 * interval '1 second'`
