import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { atLeast, atMost, type Bench, type Row, takeTurns } from '../row.ts'
import { addCampaigns, addQueuedCalls, setStatus, waitForCalls } from '../seeds/calls.ts'
import { analyze, type Subject, type World } from '../world.ts'

const campaignCount = 20
/** So low that the dialers reach it all the time. */
const maxConcurrentCalls = 3

/** What the rounds with several replicas found. */
interface Findings {
  /** Calls of the campaign with the fewest calls, divided by the average campaign's calls. */
  shares: number[]
  /** How often a campaign had more attempts in progress than its limit. */
  exceeded: number
}

export const replicas: Row = {
  name: 'replicas',
  run: async (bench) => {
    const { scale } = bench
    const world = await bench.openWorld()
    const campaigns = await addCampaigns(world, {
      count: campaignCount,
      status: 'paused',
      maxConcurrentCalls,
    })
    const findings: Findings = { shares: [], exceeded: 0 }
    const measure = async (workers: number, apis: number) => {
      const processes = await startReplicas(bench, world, workers, apis)
      const rate = await measureRate(world, campaigns, Math.max(3, scale.seconds * 2), findings)
      await Promise.all(processes.map(({ stop }) => stop()))
      return rate
    }
    await measure(1, 1) // gives the analysis rows to look at
    Object.assign(findings, { shares: [], exceeded: 0 } satisfies Findings)
    const several = () => measure(4, 2)
    const one = () => measure(1, 1)
    const rounds = await takeTurns(Math.max(2, Math.ceil(scale.rounds / 2)), several, one)
    const what = '4 workers and 2 API processes'
    return [
      {
        label: 'Calls of 4 workers',
        what: `calls completed by ${what}, ${campaignCount} campaigns with a limit of ${maxConcurrentCalls}`,
        against: '1 worker and 1 API process',
        unit: 'calls/s',
        rounds,
        limit: atLeast(0.9),
      },
      {
        label: 'Smallest share of a campaign',
        what: 'calls of the campaign with the fewest, divided by a fair share, in the worst round',
        unit: '×',
        compare: 'ours',
        rounds: [{ ours: Math.min(...findings.shares), peer: NaN }],
        limit: atLeast(0.5),
      },
      {
        label: 'Limits exceeded',
        what: 'campaigns found above their limit of concurrent calls, checked every 20 ms in all rounds',
        unit: 'campaigns',
        compare: 'ours',
        rounds: [{ ours: findings.exceeded, peer: NaN }],
        limit: atMost(0),
      },
    ]
  },
}

async function startReplicas(
  bench: Bench,
  { environment }: World,
  workers: number,
  apis: number,
): Promise<Subject[]> {
  const roles = [...Array<string>(workers).fill('worker'), ...Array<string>(apis).fill('api')]
  return Promise.all(
    roles.map((ROLE) => bench.start('server', { ...environment, ROLE, SIMULATION_SPEED: '1000' })),
  )
}

/** Returns the calls completed per second, while each campaign has more calls than the dialers can make. */
async function measureRate(
  world: World,
  campaigns: number[],
  seconds: number,
  findings: Findings,
): Promise<number> {
  const queued = Math.ceil((seconds + 1.5) * 2_000)
  await addQueuedCalls(world, campaigns, queued)
  await analyze(world)
  await setStatus(world, campaigns, 'active')
  await setTimeout(1_500) // until all workers have noticed
  const before = await countCompleted(world, campaigns)
  const startedAt = performance.now()
  const endAt = startedAt + seconds * 1_000
  while (performance.now() < endAt) {
    findings.exceeded += await countExceeded(world)
    await setTimeout(20)
  }
  const after = await countCompleted(world, campaigns)
  const elapsedSeconds = (performance.now() - startedAt) / 1_000
  await requireQueuedCalls(world, campaigns)
  await setStatus(world, campaigns, 'paused')
  await endCalls(world, campaigns)
  const made = campaigns.map((id) => (after.get(id) ?? 0) - (before.get(id) ?? 0))
  const sum = made.reduce((one, other) => one + other, 0)
  findings.shares.push((Math.min(...made) * campaigns.length) / sum)
  return sum / elapsedSeconds
}

async function countCompleted({ owner }: World, campaigns: number[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; count: number }>`
    select campaign_id as id, count(*) as count from call
    where campaign_id = any(${campaigns}::bigint[]) and outcome is not null and not test
    group by campaign_id`.execute(owner)
  return new Map(rows.map(({ id, count }) => [id, count]))
}

/** Campaigns that ran out of calls would make the rate and the shares wrong. */
async function requireQueuedCalls({ owner }: World, campaigns: number[]): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct campaign_id) as count from call
    where campaign_id = any(${campaigns}::bigint[]) and status = 'queued'`.execute(owner)
  if (rows[0]?.count !== campaigns.length)
    throw new Error('a campaign ran out of calls: queue more for each round')
}

async function countExceeded({ owner }: World): Promise<number> {
  const { rows } = await sql`
    select campaign_id from call_attempt join campaign on campaign.id = campaign_id
    where ended_at is null and not test
    group by campaign_id, max_concurrent_calls
    having count(*) > max_concurrent_calls`.execute(owner)
  return rows.length
}

/** Waits for the attempts in progress, then completes the calls that are left, so that the next round starts equally. */
async function endCalls(world: World, campaigns: number[]): Promise<void> {
  const complete = sql`
    update call
    set status = 'completed', outcome = 'expired', ended_reason = 'expired', ended_at = now(), next_attempt_at = null
    where campaign_id = any(${campaigns}::bigint[]) and status = 'queued'`
  await complete.execute(world.owner)
  await waitForCalls(world, campaigns)
}
