import { randomUUID } from 'node:crypto'
import { claimStatement } from './bare-claim.ts'
import { openBarePool } from './bare-pool.ts'
import { repeat, serve } from './serve.ts'

const finish = `
  with ended as (
    update call_attempt set ended_at = $3, outcome = 'busy', ended_reason = 'line_busy'
    where id = $1 and fence = $2 and ended_at is null
    returning call_id
  ), completed as (
    update call
    set status = 'completed', outcome = 'busy', ended_reason = 'line_busy', ended_at = $3, transcript = '[]',
      completed_contact = (
        select jsonb_build_object(
          'id', contact.id, 'phone_number', contact.phone_number, 'first_name', contact.first_name,
          'last_name', contact.last_name, 'email', contact.email, 'external_id', contact.external_id,
          'time_zone', contact.time_zone, 'variables', contact.variables, 'do_not_call', exists (
            select from do_not_call where do_not_call.workspace_id = contact.workspace_id
              and do_not_call.number_hash = number_hash(contact.workspace_id, contact.phone_number)
          ), 'consent', null, 'created_at', iso_time(contact.created_at), 'updated_at', iso_time(contact.updated_at)
        )
        from contact where contact.id = call.contact_id
      )
    from ended where call.id = ended.call_id
    returning call.id, workspace_id
  )
  insert into event (id, workspace_id, type, call_id, body, created_at, unmatched, unmatched_count, matched_count)
  select $4, workspace_id, 'call.completed', id, $5, $3, '[]', 0, 0 from completed`

const pool = await openBarePool()
const campaignIds = JSON.parse(process.env.BENCH_CAMPAIGN_IDS ?? '[]') as number[]
const workerId = randomUUID()

/**
 * Makes busy calls with as few statements as possible: one claims up to 50 calls and starts their attempts, and one per call
 * ends the attempt, completes the call, and writes its event. They don't share the claims fairly, check calling hours and the
 * do-not-call list, or supervise the calls.
 */
async function makeCalls(): Promise<number> {
  const { rows } = await pool.query<{ attempt: string; fence: number }>({
    name: 'claim',
    text: claimStatement,
    values: [campaignIds, new Date(), workerId],
  })
  await Promise.all(rows.map(finishCall))
  return rows.length
}

async function finishCall({ attempt, fence, ...call }: { attempt: string; fence: number }): Promise<void> {
  const at = new Date()
  const id = `evt_${randomUUID()}`
  const body = JSON.stringify({ id, type: 'call.completed', timestamp: at, data: call })
  await pool.query({ name: 'finish', text: finish, values: [attempt, fence, at, id, body] })
}

serve({
  work: (seconds, width) => repeat(seconds, width, makeCalls),
  stop: () => pool.end(),
})
