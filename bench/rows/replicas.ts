import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { atLeast, atMost, type Bench, type Row, takeTurns } from '../row.ts'
import { addCampaigns, addQueuedCalls, setStatus, waitForCalls } from '../seeds/calls.ts'
import { sendContact } from '../seeds/contacts.ts'
import { analyze, type HttpClients, openClients, type Subject, type World } from '../world.ts'

const campaignCount = 20
/** The limit of each campaign. It's so low that the dialers reach it all the time. */
const maxConcurrentCalls = 3

/** How many contacts all API processes together add per second. It's the same for several processes and for one. */
const contactsPerSecond = 100
const clientsPerApi = 8
/** How long it takes until all processes have noticed the campaigns and V8 has compiled the code. */
const warmUpSeconds = 10
const severalProcesses = { workers: 4, apis: 2 }
/** Where this row's numbers start, in New York. No seed has numbers with this area code. */
const firstNumber = 19_175_000_000

/** How many workers and API processes run. */
interface Processes {
  workers: number
  apis: number
}

/** The results of a run in which the processes make calls. */
interface Findings {
  callsPerSecond: number
  /** The calls of the campaign with the fewest calls, divided by the average. */
  smallestShare: number
  /** How often a campaign was found with more attempts in progress than its limit. */
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
    const requests = await prepareRequests(world)
    const findings: Findings[] = []
    const measure = async ({ workers, apis }: Processes, seconds: number, queued: number) => {
      const processes = await startProcesses(bench, world, workers, apis)
      const stopRequests = requests.start(processes.apis)
      const found = await measureCalls(world, campaigns, seconds, queued)
      await stopRequests()
      await Promise.all(processes.all.map(({ stop }) => stop()))
      findings.push(found)
      return found
    }
    const seconds = Math.max(3, scale.seconds * 2)
    const toQueued = (forSeconds: number, perSecond: number) =>
      Math.ceil((forSeconds + warmUpSeconds) * perSecond)
    const measureRate = (processes: Processes) => async () => {
      const { callsPerSecond } = await measure(processes, seconds, toQueued(seconds, 1_500))
      return callsPerSecond
    }
    const [several, one] = [measureRate(severalProcesses), measureRate({ workers: 1, apis: 1 })]
    await one() // adds rows, so that the later analysis of the tables finds some
    const rounds = await takeTurns(Math.max(2, Math.ceil(scale.rounds / 2)), several, one)
    // Shares mean something only over a longer time.
    const fastest = Math.max(...findings.map(({ callsPerSecond }) => callsPerSecond))
    const longSeconds = Math.max(5, 60 * scale.factor)
    const long = await measure(severalProcesses, longSeconds, toQueued(longSeconds, fastest * 2))
    const what = '4 workers and 2 API processes'
    const requestRate = `while all API processes together get ${contactsPerSecond} \`POST /contacts/\` per second`
    return [
      {
        label: 'Calls of 4 workers',
        what: `calls completed by ${what}, ${campaignCount} campaigns with a limit of ${maxConcurrentCalls}, ${requestRate}`,
        against: '1 worker and 1 API process',
        unit: 'calls/s',
        rounds,
        limit: atLeast(0.9),
      },
      {
        label: 'Smallest share of a campaign',
        what: `calls of the campaign with the fewest, divided by a fair share, in ${Math.round(longSeconds)} seconds`,
        unit: '×',
        compare: 'ours',
        rounds: [{ ours: long.smallestShare, peer: NaN }],
        limit: atLeast(0.5),
      },
      {
        label: 'Campaigns above their limit',
        what: 'campaigns found above their limit of concurrent calls, checked every 20 ms all the time',
        unit: 'campaigns',
        compare: 'ours',
        rounds: [{ ours: findings.reduce((sum, { exceeded }) => sum + exceeded, 0), peer: NaN }],
        limit: atMost(0),
      },
    ]
  },
}

async function startProcesses(
  bench: Bench,
  { environment }: World,
  workers: number,
  apis: number,
): Promise<{ all: Subject[]; apis: Subject[] }> {
  const startAll = (ROLE: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        bench.start('server', { ...environment, ROLE, SIMULATION_SPEED: '1000' }),
      ),
    )
  const [startedWorkers, startedApis] = await Promise.all([
    startAll('worker', workers),
    startAll('api', apis),
  ])
  return { all: [...startedWorkers, ...startedApis], apis: startedApis }
}

/** Prepares requests that queue calls in a paused campaign, so that they aren't dialed. */
async function prepareRequests(world: World) {
  const [campaignId = 0] = await addCampaigns(world, { count: 1, status: 'paused', maxConcurrentCalls })
  let lastNumber = firstNumber
  const send = (http: HttpClients) => {
    lastNumber += 1
    return sendContact(http, world.demo, { phoneNumber: lastNumber, campaignId })
  }
  return {
    /**
     * Starts sending requests to the API processes in turns, at a constant rate. Returns a function that stops the requests.
     */
    start: (apis: readonly Subject[]): (() => Promise<void>) => {
      const clients = apis.map(({ port }) => openClients(port, clientsPerApi))
      const sent: Promise<void>[] = []
      const startedAt = performance.now()
      const timer = setInterval(() => {
        const due = ((performance.now() - startedAt) / 1_000) * contactsPerSecond
        while (sent.length < due) {
          const http = clients[sent.length % clients.length]
          if (http !== undefined) sent.push(send(http))
        }
      }, 10)
      return async () => {
        clearInterval(timer)
        await Promise.all(sent)
        await Promise.all(clients.map(({ close }) => close()))
      }
    },
  }
}

/** Measures completed calls while each campaign has more calls than the dialers can make. */
async function measureCalls(
  world: World,
  campaigns: number[],
  seconds: number,
  queued: number,
): Promise<Findings> {
  await addQueuedCalls(world, campaigns, queued)
  await analyze(world)
  await setStatus(world, campaigns, 'active')
  await setTimeout(warmUpSeconds * 1_000)
  let exceeded = 0
  const before = await countCompleted(world, campaigns)
  const startedAt = performance.now()
  const endAt = startedAt + seconds * 1_000
  while (performance.now() < endAt) {
    exceeded += await countExceeded(world)
    await setTimeout(20)
  }
  const after = await countCompleted(world, campaigns)
  const elapsedSeconds = (performance.now() - startedAt) / 1_000
  await requireQueuedCalls(world, campaigns)
  await setStatus(world, campaigns, 'paused')
  await endCalls(world, campaigns)
  const made = campaigns.map((id) => (after.get(id) ?? 0) - (before.get(id) ?? 0))
  const sum = made.reduce((one, other) => one + other, 0)
  return {
    callsPerSecond: sum / elapsedSeconds,
    smallestShare: (Math.min(...made) * campaigns.length) / sum,
    exceeded,
  }
}

async function countCompleted({ owner }: World, campaigns: number[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; count: number }>`
    select campaign_id as id, count(*) as count from call
    where campaign_id = any(${campaigns}::bigint[]) and outcome is not null and not test
    group by campaign_id`.execute(owner)
  return new Map(rows.map(({ id, count }) => [id, count]))
}

/** Throws if a campaign has run out of calls, because the rate and the shares would be wrong. */
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

/** Ends the remaining calls, and waits for the attempts in progress, so that all rounds start equally. */
async function endCalls(world: World, campaigns: number[]): Promise<void> {
  const complete = sql`
    update call
    set status = 'completed', outcome = 'expired', ended_reason = 'expired', ended_at = now(), next_attempt_at = null
    where campaign_id = any(${campaigns}::bigint[]) and status = 'queued'`
  await complete.execute(world.owner)
  await waitForCalls(world, campaigns)
}
