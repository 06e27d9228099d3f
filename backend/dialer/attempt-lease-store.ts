import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import { type CallToDial, callToDialColumns, type NewAttempt } from './claim-store.ts'

/** An attempt under way, with its call. */
export interface LiveAttempt extends CallToDial, Pick<NewAttempt, 'number'> {
  attempt_id: string
  test: boolean
  started_at: Date
  answered_at: Date | null
}

/** What whoever takes attempts over must know of them. Paused or archived meanwhile, they go on all the same. */
export async function findLiveAttempts(db: Db, ids: readonly string[]): Promise<LiveAttempt[]> {
  const { rows } = await sql<LiveAttempt>`
    select ${callToDialColumns}, attempt.id as attempt_id, attempt.number, attempt.test, attempt.started_at,
      attempt.answered_at
    from attempt
    join call on call.id = attempt.call_id
    join campaign on campaign.id = call.campaign_id
    join agent on agent.id = call.agent_id
    join contact on contact.id = call.contact_id
    where attempt.id = any(${ids}::uuid[]) and attempt.ended_at is null`.execute(db)
  return rows
}
