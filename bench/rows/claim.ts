import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { claimCalls } from '../../backend/dialer/claim-calls.ts'
import { atMost, type Row } from '../row.ts'
import { addCampaigns, addQueuedCalls } from '../seeds/calls.ts'
import { median, quantile } from '../statistics.ts'
import { analyze, type World } from '../world.ts'

const capacity = 50
const claimsPerRound = 30
const lease = { provider: 'simulated', workerId: randomUUID(), leaseMs: 600_000 }

export const claim: Row = {
  name: 'claim',
  run: async ({ openWorld, scale }) => {
    const many = await openWorld()
    const few = await openWorld()
    const campaigns = { many: Math.max(20, Math.round(scale.manyCalls / 1_000)), few: 10 }
    await seed(many, campaigns.many, scale.manyCalls)
    await seed(few, campaigns.few, 1_000)
    const times = { many: [] as number[][], few: [] as number[][] }
    for (let round = -1; round < scale.rounds; round += 1) {
      const fewTimes = await measureClaims(few)
      const manyTimes = await measureClaims(many)
      if (round < 0) continue // compiles the code, and caches the plans
      times.few.push(fewTimes)
      times.many.push(manyTimes)
    }
    const medians = times.many.map((ours, round) => ({
      ours: median(ours),
      peer: median(times.few[round] ?? []),
    }))
    // One for all rounds, because a round is too short for a p99.
    const slowest = { ours: quantile(times.many.flat(), 0.99), peer: quantile(times.few.flat(), 0.99) }
    const what = `a claim of 50 calls, with ${format(scale.manyCalls)} queued calls in ${format(campaigns.many)} campaigns`
    const against = 'the same with 1,000 calls in 10 campaigns'
    return [
      {
        label: 'Claim with many calls, p50',
        what: `${what}, p50`,
        against,
        unit: 'ms',
        rounds: medians,
        limit: atMost(1.2),
      },
      {
        label: 'Claim with many calls, p99',
        what: `${what}, p99`,
        against,
        unit: 'ms',
        rounds: [slowest],
        limit: atMost(1.2),
      },
      {
        label: 'Time of a claim, p50',
        what: `${what}, p50`,
        unit: 'ms',
        compare: 'ours',
        rounds: medians.map(({ ours }) => ({ ours, peer: NaN })),
        limit: atMost(5),
      },
    ]
  },
}

const format = (value: number) => value.toLocaleString('en-US')

async function seed(world: World, campaigns: number, calls: number): Promise<void> {
  const options = { count: campaigns, status: 'active', maxConcurrentCalls: 50 } as const
  await addQueuedCalls(world, await addCampaigns(world, options), calls)
  await analyze(world)
}

/** Returns how many milliseconds each claim took. Between claims, ends the attempts and queues their calls again. */
async function measureClaims(world: World): Promise<number[]> {
  const times: number[] = []
  for (let count = 0; count < claimsPerRound; count += 1) {
    const startedAt = performance.now()
    const claimed = await claimCalls(world.deps, lease, capacity)
    times.push(performance.now() - startedAt)
    if (claimed.length !== capacity)
      throw new Error(`a claim got ${claimed.length} calls instead of ${capacity}`)
    await requeue(
      world,
      claimed.map(({ request }) => request.callId),
    )
  }
  await analyze(world)
  return times
}

async function requeue({ owner }: World, callIds: readonly number[]): Promise<void> {
  await sql`
    update call_attempt set ended_at = now(), outcome = 'busy', ended_reason = 'line_busy'
    where call_id = any(${callIds}::bigint[]) and ended_at is null`.execute(owner)
  await sql`
    update call set status = 'queued', due_at = now(), next_attempt_at = now()
    where id = any(${callIds}::bigint[])`.execute(owner)
}
