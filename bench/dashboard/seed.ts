import { sql } from 'kysely'
import { addMember } from '../../backend/accounts/identity/members.ts'
import { createUser } from '../../backend/accounts/identity/users.ts'
import { createAgent } from '../../backend/queue/agents/agents.ts'
import { addPhoneNumber } from '../../backend/queue/phone-numbers/phone-numbers.ts'
import { createWorkspace } from '../../backend/tools/onboarding/onboarding.ts'
import { analyze, type World } from '../world.ts'

export const password = 'correct horse battery'

export interface Seeded {
  calls: number
  workspaceId: number
  email: string
  campaignId: number
  agentId: number
  /** The ID of an answered call in the middle of the list. */
  callId: number
  /** The day in the middle of the days over which the calls are spread. */
  day: string
}

/**
 * Creates a workspace with this many calls in the last 30 days, each to a different contact. Of every 100 calls, 5 are waiting.
 * The other 95 are completed, and have an attempt, an event, and a delivery. Of these 95, 35 are answered and have a
 * transcript, and 1 is a test call.
 */
export async function seed(world: World, calls: number): Promise<Seeded> {
  const { deps, owner: db } = world
  // Without this, the checks of foreign keys would use plans that were cached for small tables. Such plans read all rows for
  // each new row.
  await analyze(world)
  const email = `bench${calls}@example.com`
  const { id: userId } = await createUser(deps, { email, name: 'Bench', password })
  const { id: workspaceId } = await createWorkspace(deps, {
    name: `With ${calls} calls`,
    country: 'US',
    timeZone: 'America/New_York',
    ownerId: userId,
  })
  await addMember(deps, workspaceId, userId, 'owner')
  const { id: agentId } = await createAgent(deps, workspaceId, {
    name: 'Ava',
    status: 'live',
    greeting: 'Hi',
    variables: [],
  })
  const { id: numberId } = await addPhoneNumber(deps, workspaceId, {
    phone_number: '+12025550190',
    label: 'Sales',
  })
  await sql`
    insert into campaign (workspace_id, name, agent_id, phone_number_id, time_zone, calling_hours, max_concurrent_calls, retry)
    select ${workspaceId}, 'Campaign ' || n, ${agentId}, ${numberId}, 'America/New_York',
      '{"days":["mon"],"start":"00:00","end":"24:00"}', 5, '{"max_attempts":1,"delay_minutes":60,"on":[]}'
    from generate_series(1, 10) n`.execute(db)
  await sql`
    insert into contact (workspace_id, phone_number, first_name, last_name)
    select ${workspaceId}, '+1' || 2022000000 + n * 29,
      (array['Maya','Noor','Theo','Ines','Kai','Priya','Jonas','Lucia','Amara','Sam'])[1 + n % 10],
      initcap(substr(md5(n::text), 1, 8))
    from generate_series(1, ${calls}::int) n`.execute(db)
  await analyze(world)
  await sql`
    with campaigns as (select array_agg(id order by id) as ids from campaign where workspace_id = ${workspaceId}),
    made as (
      select contact.*, row_number() over (order by id) as n from contact where workspace_id = ${workspaceId}
    ), planned as (
      select made.*, now() - (${calls}::int - n) * (interval '30 days' / ${calls}::int) as at, n % 20 = 0 as waits,
        (array['answered','answered','answered','answered','no_answer','no_answer','no_answer','voicemail','busy',
          case when n % 100 = 9 then 'expired' else 'declined' end])[1 + n % 10] as ended
      from made
    )
    insert into call (workspace_id, campaign_id, contact_id, agent_id, phone_number_id, status, outcome, ended_reason,
      test, from_number, to_number, attempts, queued_at, due_at, next_attempt_at, answered_at, ended_at,
      duration_seconds, summary, transcript)
    select ${workspaceId}, campaigns.ids[1 + (n / 10) % 10], id, ${agentId}, ${numberId},
      case when waits then 'queued' else 'completed' end, case when not waits then ended end,
      case when not waits then 'contact_hung_up' end, n % 100 = 50, '+12025550190', phone_number,
      case when waits then 0 else 1 end, at, at, case when waits then now() + interval '1 day' end,
      case when not waits and ended = 'answered' then at end, case when not waits then at end,
      case when not waits and ended = 'answered' then 90 end, 'Asked for an offer.',
      case when not waits and ended = 'answered' then (
        select jsonb_agg(jsonb_build_object('role', 'agent', 'text', md5(id::text || line) || md5(line::text), 'at', at))
        from generate_series(1, 16) line) else '[]' end
    from planned, campaigns`.execute(db)
  await analyze(world)
  await sql`
    insert into call_attempt (workspace_id, call_id, campaign_id, number, to_number, test, provider, worker_id, lease_until,
      started_at, ended_at, outcome, ended_reason)
    select workspace_id, id, campaign_id, 1, to_number, test, 'simulated', gen_random_uuid(), ended_at, queued_at,
      ended_at, outcome, ended_reason
    from call where workspace_id = ${workspaceId} and status = 'completed'`.execute(db)
  await sql`
    with completed as (
      insert into event (id, workspace_id, type, call_id, body, created_at)
      select 'evt_bench_' || id, workspace_id, 'call.completed', id, '{}', ended_at
      from call where workspace_id = ${workspaceId} and status = 'completed'
      returning *
    )
    insert into webhook_delivery (workspace_id, event_id, target_url, status, attempts, finished_at, created_at)
    select workspace_id, id, 'https://hooks.example.com/' || call_id % 10,
      case when call_id % 50 = 7 then 'exhausted' else 'delivered' end, 1, created_at, created_at
    from completed`.execute(db)
  await analyze(world)
  const { id: callId } = await db
    .selectFrom('call')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('outcome', '=', 'answered')
    .orderBy('id')
    .offset(Math.floor(calls / 8))
    .limit(1)
    .executeTakeFirstOrThrow()
  const { id: campaignId } = await db
    .selectFrom('campaign')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow()
  const day = new Date(Date.now() - 15 * 86_400_000).toISOString().slice(0, 10)
  return { calls, workspaceId, email, campaignId, agentId, callId, day }
}
