import { ApiClient } from './api-client.ts'
import { CallLog } from './call-log.ts'
import { Campaigns } from './campaigns.ts'
import { check } from './check.ts'
import { type Infrastructure, startCluster, type Telephony } from './cluster.ts'
import { Dashboard } from './dashboard.ts'
import { runDisruptions } from './disruptions.ts'
import { Load } from './load.ts'
import { type Overload, overload } from './overload.ts'
import { apiNames, planDisruptions } from './plan.ts'
import { measureRecovery, type RecoveryTimes } from './recovery.ts'
import { seedWorkspace } from './seed-workspace.ts'
import { settle } from './settle.ts'
import { Subscriptions } from './subscriptions.ts'
import { WebhookReceiver } from './webhook-receiver.ts'

interface RoundOptions {
  seed: number
  round: number
  /** How many seconds the disruption phase lasts. */
  seconds: number
  /** The average number of seconds between two disruptions. */
  every: number
  postsPerSecond: number
}

/** The results of one round, as they're saved in the results file. */
export interface RoundResult {
  seed: number
  round: number
  telephony: Telephony
  seconds: number
  startedAt: string
  durationSeconds: number
  disruptions: Record<string, number>
  counts: Record<string, number>
  times: RecoveryTimes
  violations: string[]
}

/** Runs one round: an overload (in even rounds), a load with disruptions, a wait for all work, and the checks. */
export async function runRound(infrastructure: Infrastructure, options: RoundOptions): Promise<RoundResult> {
  const { seed, round, seconds } = options
  const startedAt = new Date()
  // Odd rounds use the simulated provider, and even rounds the agent runtime.
  const telephony: Telephony = round % 2 === 1 ? 'simulated' : 'http'
  const name = `seed-${seed}-round-${round}-${startedAt.getTime()}`
  const environment = { ...infrastructure.secrets }
  const workspace = await seedWorkspace(environment, infrastructure.database.url(), name)
  const callLog = new CallLog()
  const cluster = await startCluster(infrastructure, { telephony, callLog, seed: `${seed}:${round}` })
  const receiver = new WebhookReceiver()
  await receiver.listen()
  try {
    const client = new ApiClient(cluster.apiOrigins, workspace.apiKey)
    const dashboard = new Dashboard(workspace, cluster.apiOrigins[0] ?? '')
    const campaigns = await Campaigns.create(client, dashboard, workspace)
    const subscriptions = new Subscriptions(client, campaigns, receiver, round)
    await subscriptions.create()

    const clockAtStart = Date.now() - performance.now()
    const phaseMs = Math.min(5000, seconds * 200)
    const overloaded =
      round % 2 === 0
        ? await overload(client, campaigns, { measureMs: phaseMs / 2, overloadMs: phaseMs, round })
        : undefined
    const world = { client, dashboard, campaigns, subscriptions, receiver }
    const load = new Load(world, options)
    load.start()
    const disruptions = await runDisruptions(cluster, planDisruptions(options), seconds * 1000)
    await load.stop()
    await campaigns.resumeAll(client)
    const settled = await settle(cluster, client, workspace)
    const clockStep = Math.abs(Date.now() - performance.now() - clockAtStart)

    const records = { ...world, cluster, load }
    const checked = await check({ ...records, overloadCallIds: overloaded?.callIds ?? [] })
    const recovery = measureRecovery(disruptions, {
      ...{ callLog, calls: checked.calls, events: receiver.events, acknowledgments: load.acknowledgments },
      apiOrigins: Object.fromEntries(apiNames.map((api, index) => [api, cluster.apiOrigins[index] ?? ''])),
      isSimulated: telephony === 'simulated',
    })
    return {
      ...{ seed, round, telephony, seconds },
      startedAt: startedAt.toISOString(),
      durationSeconds: Math.round((Date.now() - startedAt.getTime()) / 1000),
      disruptions: { ...disruptions.counts, skipped: disruptions.skipped },
      counts: { ...checked.counts, ...countResponses(overloaded) },
      times: {
        ...recovery,
        'disruptions over → all work done': [settled.durationMs],
        ...overloadTimes(overloaded),
      },
      violations: [
        ...(settled.left === undefined ? [] : [`not everything was done in time: ${settled.left}`]),
        // A jump of the clock is reported, because it makes the times in the simulated provider's log wrong.
        ...(clockStep > 100 ? [`the clock of this machine jumped by ${Math.round(clockStep)} ms`] : []),
        ...checked.violations,
      ],
    }
  } finally {
    await cluster.stopProcesses()
    receiver.close()
  }
}

const countResponses = (overloaded: Overload | undefined): Record<string, number> =>
  Object.fromEntries(
    Object.entries(overloaded?.statuses ?? {}).map(([status, count]) => [
      `overload: status ${status}`,
      count,
    ]),
  )

const overloadTimes = (overloaded: Overload | undefined): RecoveryTimes =>
  overloaded === undefined
    ? {}
    : {
        'overload: POST accepted (201)': overloaded.acceptedMs,
        'overload: POST rejected (503)': overloaded.rejectedMs,
        'overload: every POST': [...overloaded.acceptedMs, ...overloaded.rejectedMs],
        'overload: /healthz': overloaded.healthMs,
        'overload: capacity before it (requests per second)': [overloaded.capacity],
      }
