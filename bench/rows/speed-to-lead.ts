import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadavg } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { findRedis } from '../find-redis.ts'
import { atMost, type Bench, type Measurement, type Row } from '../row.ts'
import { addCampaigns } from '../seeds/calls.ts'
import { sendContact } from '../seeds/contacts.ts'
import { median, quantile } from '../statistics.ts'
import { analyze, type HttpClients, type World } from '../world.ts'

/** A setup of processes that share the work of an installation. */
interface Setup {
  name: string
  /** The label in the picture. */
  label: string
  roles: readonly ('all' | 'api' | 'worker')[]
  usesRedis?: boolean
}

const setups: readonly Setup[] = [
  { name: 'one process', label: '1 process', roles: ['all'] },
  { name: 'an API and a worker process', label: 'API + worker', roles: ['api', 'worker'] },
  {
    name: 'an API and a worker process, and Redis',
    label: 'with Redis',
    roles: ['api', 'worker'],
    usesRedis: true,
  },
]

/** The contacts per second, the number of campaigns, and the limits in milliseconds. */
interface Load {
  perSecond: number
  campaigns: number
  limits: { p50: number; p99: number }
}

const slow: Load = { perSecond: 10, campaigns: 1, limits: { p50: 15, p99: 50 } }
const fast: Load = { perSecond: 50, campaigns: 20, limits: { p50: 20, p99: 60 } }
const webhookLimits = { p50: 15, p99: 50 }

/** The delays of a run's contacts, in milliseconds. */
interface Delays {
  /** Delays from `POST /contacts/` to the dial request at the agent runtime. */
  dial: number[]
  /** Delays from the last report of the attempt to the webhook at its receiver. */
  webhook: number[]
}

/** How many seconds V8 takes to compile the code. */
const warmUpSeconds = 10

/** The last used number, in New York. No seed has numbers with this area code. */
let lastNumber = 19_175_000_000

/**
 * Measures the delays that users notice. This process is everything outside of the service: it sends the contacts, and it's the
 * agent runtime and the webhook receiver.
 */
export const speedToLead: Row = {
  name: 'speed-to-lead',
  run: async (bench) => {
    const { factor } = bench.scale
    const seconds = Math.max(0.5, 60 * factor)
    const runs = Math.max(1, Math.round(5 * factor))
    const redisUrl = await findRedis()
    const measured = setups.filter(({ usesRedis }) => usesRedis !== true || redisUrl !== undefined)
    const world = await bench.openWorld()
    const outside = await listenOutside(bench)
    const results = new Map<Setup, { slow: Delays; fast: Delays }[]>(measured.map((setup) => [setup, []]))
    const loads: string[] = []
    for (let run = 0; run < runs; run += 1)
      for (const setup of measured) {
        loads.push((loadavg()[0] ?? NaN).toFixed(2))
        const environment = { ...world.environment, ...(setup.usesRedis && { REDIS_URL: redisUrl ?? '' }) }
        results.get(setup)?.push(await measureSetup(bench, world, outside, setup, environment, seconds))
      }
    const skipped = redisUrl === undefined ? '; without Redis, because none was found' : ''
    const measurements = measured.flatMap((setup) => {
      const runsOf = results.get(setup) ?? []
      const dialed = `\`POST /contacts/\` sent → dial request at the agent runtime, ${setup.name}`
      const sent = `last report of the attempt sent → webhook at its receiver, ${setup.name}`
      const at = ({ perSecond }: Load) => `${perSecond} contacts a second`
      return [
        ...toMeasurements(
          `Form to phone, ${setup.label}, ${slow.perSecond}/s`,
          `${dialed}, ${at(slow)}`,
          runsOf.map((run) => run.slow.dial),
          slow.limits,
        ),
        ...toMeasurements(
          `Form to phone, ${setup.label}, ${fast.perSecond}/s`,
          `${dialed}, ${at(fast)}, ${fast.campaigns} campaigns`,
          runsOf.map((run) => run.fast.dial),
          fast.limits,
        ),
        ...toMeasurements(
          `End to webhook, ${setup.label}`,
          `${sent}, ${at(slow)}`,
          runsOf.map((run) => run.slow.webhook),
          webhookLimits,
        ),
      ]
    })
    const notes = `the machine's load before each run (a load of 1 per core keeps every core busy): ${loads.join(', ')}${skipped}`
    return measurements.map((measurement, index) => (index === 0 ? { ...measurement, notes } : measurement))
  },
}

function toMeasurements(
  label: string,
  what: string,
  runs: readonly (readonly number[])[],
  limits: { p50: number; p99: number },
): Measurement[] {
  const common = { unit: 'ms', compare: 'ours' } as const
  const toRounds = (measure: (delays: readonly number[]) => number) =>
    runs.map((delays) => ({ ours: measure(delays), peer: NaN }))
  return [
    {
      ...common,
      label: `${label}, p50`,
      what: `${what}, p50`,
      rounds: toRounds(median),
      limit: atMost(limits.p50),
    },
    {
      ...common,
      label: `${label}, p99`,
      what: `${what}, p99`,
      rounds: toRounds((delays) => quantile(delays, 0.99)),
      limit: atMost(limits.p99),
    },
  ]
}

/** Starts the processes of a setup, and measures them with both loads. */
async function measureSetup(
  bench: Pick<Bench, 'start' | 'openClients'>,
  world: World,
  outside: Outside,
  setup: Setup,
  environment: Record<string, string>,
  seconds: number,
): Promise<{ slow: Delays; fast: Delays }> {
  const settings = {
    ...environment,
    TELEPHONY: 'http',
    RUNTIME_URL: outside.url,
    RUNTIME_SIGNING_KEY: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  }
  const processes = await Promise.all(setup.roles.map((ROLE) => bench.start('server', { ...settings, ROLE })))
  const port = processes[0]?.port ?? 0
  const api = bench.openClients(port, 16)
  outside.reportTo(api)
  const unsubscribe = await subscribe(api, world, outside.url)
  try {
    const run = (load: Load, forSeconds: number) => measureLoad(world, outside, api, load, forSeconds)
    await run(fast, warmUpSeconds * Math.min(1, seconds / 10))
    await analyze(world)
    return { slow: await run(slow, seconds), fast: await run(fast, seconds) }
  } finally {
    await unsubscribe()
    await Promise.all(processes.map(({ stop }) => stop()))
  }
}

/** Sends contacts at a constant rate to campaigns in turns. Waits until each was called and its webhook arrived. */
async function measureLoad(
  world: World,
  outside: Outside,
  api: HttpClients,
  { perSecond, campaigns: count }: Load,
  seconds: number,
): Promise<Delays> {
  const campaigns = await addCampaigns(world, { count, status: 'active', maxConcurrentCalls: 50 })
  const contacts = Math.ceil(seconds * perSecond)
  const delays = outside.expect()
  const sent: Promise<void>[] = []
  const startedAt = performance.now()
  while (sent.length < contacts) {
    lastNumber += 1
    const campaignId = campaigns[sent.length % count] ?? 0
    outside.noteSent(`+${lastNumber}`)
    sent.push(sendContact(api, world.demo, { phoneNumber: lastNumber, campaignId }))
    await setTimeout(Math.max(0, startedAt + (sent.length * 1_000) / perSecond - performance.now()))
  }
  await Promise.all(sent)
  const waitUntil = performance.now() + 30_000
  while (delays.webhook.length < contacts) {
    if (performance.now() > waitUntil)
      throw new Error(
        `${delays.dial.length} of ${contacts} contacts were called, ${delays.webhook.length} reported`,
      )
    await setTimeout(50)
  }
  return delays
}

/** The agent runtime and webhook receiver, with functions that record times. */
interface Outside {
  url: string
  /** Starts a new record of delays, and returns it. */
  expect: () => Delays
  noteSent: (phoneNumber: string) => void
  /** Sets the connections to the API process that gets the reports. */
  reportTo: (api: HttpClients) => void
}

/** Starts a server that's both the agent runtime, whose contacts answer and immediately hang up, and the webhook receiver. */
async function listenOutside({ onEnd }: Pick<Bench, 'onEnd'>): Promise<Outside> {
  const sentAt = new Map<string, number>()
  const reportedAt = new Map<number, number>()
  let delays: Delays = { dial: [], webhook: [] }
  let api: HttpClients | undefined

  const report = async (dialRequest: DialRequest) => {
    const at = new Date().toISOString()
    reportedAt.set(dialRequest.call_id, performance.now())
    const headers = {
      authorization: `Bearer ${dialRequest.attempt_token}`,
      'content-type': 'application/json',
    }
    const path = `/api/internal/attempts/${dialRequest.attempt_id}/reports`
    const body = { sequence: 1, type: 'ended', at, answered_at: at, ...conversation }
    await api?.send({ method: 'POST', path, headers, body: JSON.stringify(body) }, 200)
  }

  const server = createServer((request, response) => {
    const arrivedAt = performance.now()
    const receive = async () => {
      const body = JSON.parse(await readText(request)) as unknown
      if (request.url !== '/calls') {
        const { data } = body as { data: { id: number } }
        delays.webhook.push(arrivedAt - (reportedAt.get(data.id) ?? NaN))
        response.writeHead(204).end()
        return
      }
      const dialRequest = body as DialRequest
      delays.dial.push(arrivedAt - (sentAt.get(dialRequest.to_number) ?? NaN))
      response.writeHead(202).end()
      await report(dialRequest)
    }
    if (request.method === 'POST') void receive()
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onEnd(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    expect: () => {
      sentAt.clear()
      reportedAt.clear()
      delays = { dial: [], webhook: [] }
      return delays
    },
    noteSent: (phoneNumber) => void sentAt.set(phoneNumber, performance.now()),
    reportTo: (opened) => {
      api = opened
    },
  }
}

interface DialRequest {
  attempt_id: string
  attempt_token: string
  call_id: number
  to_number: string
}

/** The content of the end report. It includes the analysis, so the event is sent without waiting for an analysis. */
const conversation = {
  outcome: 'answered',
  ended_reason: 'contact_hung_up',
  transcript: [
    { role: 'agent', text: 'Hi Maya, this is Ava.', at: '2026-05-04T14:02:00Z' },
    { role: 'contact', text: 'Please call me tomorrow.', at: '2026-05-04T14:02:02Z' },
  ],
  analysis: { summary: 'Maya wants a call tomorrow.', sentiment: 'neutral', goal_met: false, extracted: {} },
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** Subscribes to the calls of the demo workspace. Returns a function that unsubscribes. */
async function subscribe(
  api: HttpClients,
  { demo }: World,
  targetUrl: string,
): Promise<() => Promise<unknown>> {
  const headers = { authorization: `Bearer ${demo.api_key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ target_url: `${targetUrl}/hook`, event: 'call.completed' })
  const path = '/api/public/v1/webhooks/subscribe'
  const { id } = JSON.parse(await api.send({ method: 'POST', path, headers, body }, 201)) as { id: number }
  return () => api.send({ method: 'DELETE', path: `/api/public/v1/webhooks/${id}/`, headers }, 204)
}
