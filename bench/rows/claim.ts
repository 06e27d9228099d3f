import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { claimCalls } from '../../backend/calling/dialer/claim-calls.ts'
import { maxCampaigns, newDialerTurns } from '../../backend/calling/dialer/claim-store.ts'
import type { Deps } from '../../backend/deps.ts'
import { getConnectionOptions } from '../../backend/platform/db/connect.ts'
import { doNotCallSettings } from '../../backend/platform/db/do-not-call-settings.ts'
import { loadDoNotCallKey } from '../../backend/queue/calls/do-not-call-key.ts'
import { checkedClaimStatement } from '../processes/bare-claim.ts'
import { atMost, type Measurement, type Round, type Row, type Scale, takeTurns } from '../row.ts'
import { addCampaigns, addQueuedCalls, setStatus } from '../seeds/calls.ts'
import { addFinishedCalls } from '../seeds/finished-calls.ts'
import { median, quantile } from '../statistics.ts'
import { analyze, type World } from '../world.ts'

/** How many calls each claim gets. */
export const capacity = 50
/** How many queued calls each added campaign has. The row adds campaigns to find out whether their number matters. */
const callsPerAddedCampaign = 20
const lease = { provider: 'simulated', workerId: randomUUID(), leaseMs: 600_000 }

/** A database with queued calls and their campaigns. */
export interface Queue {
  world: World
  /** The IDs of campaigns whose calls can be claimed. */
  open: number[]
  /** Three lists of IDs: paused, closed, and full campaigns. */
  blocked: number[][]
}

/** How long each claim took, in milliseconds, in each round. */
interface Times {
  many: number[][]
  few: number[][]
}

export const claim: Row = {
  name: 'claim',
  run: async ({ openWorld, scale }) => {
    const campaigns = Math.max(20, Math.round(scale.manyCalls / 1_000))
    const many = await addCalls(
      { world: await openWorld(), open: [], blocked: [] },
      campaigns,
      scale.manyCalls,
    )
    await addFinishedCalls(many.world, many.world.demo.workspace_id, scale.finishedCalls)
    const few = await addCalls({ world: await openWorld(), open: [], blocked: [] }, 10, 1_000)
    const times = await compareClaims(scale, many, few)
    const bare = await compareWithBareClient(scale, many)
    const small = await measureClaims(many, scale.claims, capacity / 5)
    const addedCalls = campaigns * 9 * callsPerAddedCampaign
    const more = await addCalls(many, campaigns * 9, addedCalls)
    const timesOfMore = await compareClaims(scale, more, few)
    const vacuumSeconds = await measureVacuum(many.world)
    const afterFinished =
      scale.finishedCalls === 0 ? '' : `, after ${format(scale.finishedCalls)} finished calls`
    const size = (count: number, calls: number) =>
      `with ${format(calls)} queued calls in ${format(count)} campaigns, of which a fifth each is paused, closed, and full${afterFinished}`
    const what = `a claim of ${capacity} calls, ${size(campaigns, scale.manyCalls)}`
    const whatOfMore = `a claim of ${capacity} calls, ${size(campaigns * 10, scale.manyCalls + addedCalls)}`
    return [
      ...compare('Claim with many calls', what, times),
      {
        label: 'Time of a claim, p50',
        what: `${what}, p50`,
        against:
          'a bare `pg` client that claims 50 calls of one campaign with the same checks, with one statement',
        unit: 'ms',
        rounds: bare,
        limit: atMost(2),
      },
      {
        label: 'Time of a small claim, p50',
        what: `the same with a claim of ${capacity / 5} calls`,
        unit: 'ms',
        compare: 'ours',
        rounds: [{ ours: median(small), peer: NaN }],
      },
      ...compare('Claim with many campaigns', whatOfMore, timesOfMore),
      {
        label: 'Vacuum of the calls',
        what: `a vacuum of \`call\` after these claims${afterFinished}`,
        unit: 's',
        compare: 'ours',
        rounds: [{ ours: vacuumSeconds, peer: NaN }],
      },
    ]
  },
}

function compare(label: string, what: string, { many, few }: Times): Measurement[] {
  const common = { against: 'the same with 1,000 calls in 10 campaigns', unit: 'ms', limit: atMost(1.2) }
  return [
    {
      ...common,
      label: `${label}, p50`,
      what: `${what}, p50`,
      rounds: many.map((ours, round) => ({ ours: median(ours), peer: median(few[round] ?? []) })),
    },
    {
      ...common,
      label: `${label}, p99`,
      what: `${what}, p99`,
      // All rounds count as one, because a single round has too few claims for a p99.
      rounds: [{ ours: quantile(many.flat(), 0.99), peer: quantile(few.flat(), 0.99) }],
    },
  ]
}

/**
 * Measures claims of the dialer and of a bare client in turns. The client claims one campaign's calls, with the same checks.
 */
async function compareWithBareClient({ rounds, claims }: Scale, queue: Queue): Promise<Round[]> {
  const { world, open } = queue
  const client = new pg.Client({ connectionString: getConnectionOptions(world.deps.db).url })
  await client.connect()
  await client.query('set role outdial_service')
  await client.query(doNotCallSettings(await loadDoNotCallKey(world.deps)))
  const bareClaim = async () => {
    const campaignId = open[Math.floor(Math.random() * open.length)]
    const values = [campaignId, new Date(), lease.workerId]
    const { rows } = await client.query<{ id: number }>({
      name: 'claim',
      text: checkedClaimStatement,
      values,
    })
    return rows.map(({ id }) => id)
  }
  const measure = async (claimCallIds: () => Promise<number[]>) =>
    median(await measureWith(queue, claims, capacity, claimCallIds))
  const ours = () => measure(() => claimIds(world.deps, capacity))
  const peer = () => measure(bareClaim)
  try {
    for (const run of [ours, peer]) await run()
    return await takeTurns(rounds, ours, peer)
  } finally {
    await client.end()
  }
}

const format = (value: number) => value.toLocaleString('en-US')

/**
 * Adds campaigns with queued calls. Of every five campaigns, two can make calls, one is paused, one is closed (its calls wait
 * for calling hours), and one is full.
 */
export async function addCalls(
  { world, open, blocked }: Queue,
  count: number,
  calls: number,
): Promise<Queue> {
  const campaigns = await addCampaigns(world, { count, status: 'active', maxConcurrentCalls: capacity })
  const pick = (...remainders: number[]) => campaigns.filter((_, index) => remainders.includes(index % 5))
  const [paused, closed, full] = [pick(0), pick(1), pick(2)]
  await addQueuedCalls(world, pick(0, 2, 3, 4), Math.round(calls * 0.8))
  await addQueuedCalls(world, closed, Math.round(calls * 0.2), { delaySeconds: 86_400 })
  await setStatus(world, paused, 'paused')
  await fill(world, full)
  await leaveQueue(world, [...paused, ...closed, ...full])
  await analyze(world)
  return {
    world,
    open: [...open, ...pick(3, 4)],
    blocked: [paused, closed, full].map((ids, index) => [...(blocked[index] ?? []), ...ids]),
  }
}

/** Gives each campaign a limit of one call, and starts a call in it. */
async function fill({ owner }: World, campaignIds: readonly number[]): Promise<void> {
  await sql`update campaign set max_concurrent_calls = 1 where id = any(${campaignIds}::bigint[])`.execute(
    owner,
  )
  await sql`
    with first as (
      select call.*
      from unnest(${campaignIds}::bigint[]) as filled (id)
      cross join lateral (
        select * from call
        where campaign_id = filled.id and status = 'queued' and not test
        order by next_attempt_at, id
        limit 1
      ) as call
    ), started as (
      insert into call_attempt (
        workspace_id, call_id, campaign_id, number, to_number, test, provider, worker_id, lease_until, started_at
      )
      select workspace_id, id, campaign_id, 1, to_number, test, ${lease.provider}, ${lease.workerId}::uuid,
        now() + interval '1 day', now()
      from first
    )
    update call set status = 'dialing', attempts = 1, next_attempt_at = null
    from first where call.id = first.id`.execute(owner)
}

/** Removes campaigns from the queue, as claims do when their turn comes. */
async function leaveQueue({ owner }: World, campaignIds: readonly number[]): Promise<void> {
  await sql`update campaign_queue set claim_at = null where campaign_id = any(${campaignIds}::bigint[])`.execute(
    owner,
  )
}

/** Adds campaigns to the queue, as new calls and attempts that end do. */
async function enterQueue({ owner }: World, campaignIds: readonly number[]): Promise<void> {
  await sql`
    update campaign_queue set claim_at = clock_timestamp(), at_limit = false
    where campaign_id = any(${campaignIds}::bigint[])`.execute(owner)
}

/** Measures claims in both queues, in turns. */
async function compareClaims({ rounds, claims }: Scale, many: Queue, few: Queue): Promise<Times> {
  // A warm-up: compiles the code, caches the plans, and gives each campaign a turn.
  for (const queue of [few, many])
    await measureClaims(queue, claims + Math.ceil(queue.open.length / maxCampaigns))
  const times: Times = { many: [], few: [] }
  for (let round = 0; round < rounds; round += 1) {
    times.few.push(await measureClaims(few, claims))
    times.many.push(await measureClaims(many, claims))
  }
  return times
}

/**
 * Returns how long each claim took, in milliseconds. After each claim, ends the attempts and queues their calls again. Before
 * each claim, adds a paused, a closed, and a full campaign to the queue. Only autovacuum removes the resulting dead rows.
 */
const measureClaims = (queue: Queue, claims: number, calls = capacity): Promise<number[]> =>
  measureWith(queue, claims, calls, () => claimIds(queue.world.deps, calls))

/** Claims calls, and waits until the campaigns' next turns are decided, as a dialer does before its next claim. */
export async function claimIds(deps: Deps, calls: number): Promise<number[]> {
  const turns = newDialerTurns()
  const claimed = await claimCalls(deps, lease, calls, turns)
  await turns.settled
  return claimed.map(({ request }) => request.callId)
}

export async function measureWith(
  { world, blocked }: Queue,
  claims: number,
  calls: number,
  claimCallIds: () => Promise<number[]>,
): Promise<number[]> {
  const times: number[] = []
  for (let count = 0; count < claims; count += 1) {
    await enterQueue(
      world,
      blocked.flatMap((ids) => ids[Math.floor(Math.random() * ids.length)] ?? []),
    )
    const startedAt = performance.now()
    const claimed = await claimCallIds()
    times.push(performance.now() - startedAt)
    if (claimed.length !== calls) throw new Error(`a claim got ${claimed.length} calls instead of ${calls}`)
    await requeue(world, claimed)
  }
  return times
}

/** Returns how many seconds a vacuum of `call` takes if it cleans up all indexes, as autovacuum does with many dead rows. */
async function measureVacuum({ owner }: World): Promise<number> {
  const startedAt = performance.now()
  await sql`vacuum (index_cleanup on) call`.execute(owner)
  return (performance.now() - startedAt) / 1_000
}

async function requeue({ owner }: World, callIds: readonly number[]): Promise<void> {
  await sql`
    update call_attempt set ended_at = now(), outcome = 'busy', ended_reason = 'line_busy'
    where call_id = any(${callIds}::bigint[]) and ended_at is null`.execute(owner)
  await sql`
    update call set status = 'queued', due_at = now(), next_attempt_at = now()
    where id = any(${callIds}::bigint[])`.execute(owner)
}
