import { afterEach, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import pg from 'pg'
import pino from 'pino'
import { startDialer } from '../../calling/dialer/dialer.ts'
import { parseConfig } from '../../config.ts'
import { createNotifier, type Notifier, type Notify } from '../../platform/core/notify.ts'
import { connect } from '../../platform/db/connect.ts'
import { createLoneReplica } from '../../platform/replicas/replicas.ts'
import { chooseTurn, shareNotifications } from '../../platform/replicas/share-notifications.ts'
import { seedCall } from '../support/calls.ts'
import { createDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.ts'
import { type TestDeps, testDeps } from '../support/deps.ts'
import { freshNumber, seedCampaign, seedWorkspace } from '../support/factories.ts'
import { createTestProvider } from '../support/telephony-provider.ts'
import { waitUntil } from '../support/wait.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()
const names = ['callQueued', 'deliveryQueued', 'importQueued'] as const
const running: { close: () => Promise<unknown> }[] = []
afterEach(async () => {
  for (const { close } of running.splice(0)) await close()
})

/** A process of an installation: the notifications that it sends and receives. */
interface Process {
  deps: TestDeps
  notifier: Notifier
  notify: Notify
  received: string[]
  logOutput: () => string
  close: () => Promise<void>
}

async function start(
  role: 'api' | 'worker' | 'all' = 'all',
  { url = database.url, otherWorkers = 1 } = {},
): Promise<Process> {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) })
  const config = parseConfig({ SECRET_KEY: 'test-key-of-at-least-thirty-two-characters', ROLE: role })
  const notifier = createNotifier()
  const received: string[] = []
  for (const name of names) notifier.connect({ [name]: () => received.push(name) })
  notifier.connect({ reportReceived: (attemptId) => received.push(attemptId) })
  const deps = { ...testDeps(database.db, { config, log }), replicas: createLoneReplica() }
  // Only this connection, which is for notifications, uses `url`, so a proxy can interrupt it.
  const db = connect({ url, max: 2 })
  const shared = shareNotifications({ ...deps, db }, notifier.notify, () => otherWorkers)
  const { notify } = shared
  const process = {
    ...{ deps: { ...deps, notify }, notifier, notify, received },
    logOutput: () => lines.join(''),
    close: async () => {
      await shared.close()
      await db.destroy()
    },
  }
  running.push(process)
  // After the process has connected, it sends itself each notification once.
  await waitUntil(() => received.length === names.length)
  received.length = 0
  return process
}

/** Runs a statement as the owner of the tables, who may end other users' connections. */
async function query(text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query<Record<string, unknown>>(text)
  await client.end()
  return rows
}

async function openProxy(): Promise<DatabaseProxy> {
  const proxy = await createDatabaseProxy(database.url)
  running.push({ close: () => proxy.disconnect() })
  return proxy
}

const connections = `
  from pg_stat_activity
  where datname = current_database() and application_name = 'outdial notifications'`

it('notifies the sending process immediately, and each other process with workers exactly once', async () => {
  const api = await start('api')
  const [worker, other] = [await start('worker'), await start('all', { otherWorkers: 10 })]
  api.notify.callQueued()
  api.notify.importQueued()
  api.notify.reportReceived('an-attempt')
  expect(api.received).toEqual(['callQueued', 'importQueued', 'an-attempt'])
  for (const { received } of [worker, other]) {
    await waitUntil(() => received.length === 3)
    expect(received.toSorted()).toEqual(['an-attempt', 'callQueued', 'importQueued'])
  }
  // When this later notification has arrived, any notification that was sent twice would have arrived, too.
  worker.notify.deliveryQueued()
  await waitUntil(() => other.received.includes('deliveryQueued'))
  expect(other.received).toHaveLength(4)
  expect(worker.received.filter((name) => name === 'deliveryQueued')).toHaveLength(1)
  expect(api.received).toHaveLength(3)
})

/** Simulates workers while work keeps arriving. Returns how long each piece of work waits, in milliseconds, sorted. */
function measureWaits({ workers, everyMs }: { workers: number; everyMs: number }): number[] {
  const random = createRandom()
  const lookedAt = Array.from({ length: workers }, (): number | undefined => undefined)
  const turns = lookedAt.map(() => Infinity)
  const waits: number[] = []
  let waiting: number[] = []
  const lookUntil = (now: number) => {
    for (;;) {
      const turn = Math.min(...turns)
      if (turn > now) return
      const worker = turns.indexOf(turn)
      turns[worker] = Infinity
      lookedAt[worker] = turn
      for (const queuedAt of waiting) waits.push(turn - queuedAt)
      waiting = []
    }
  }
  for (let index = 0; index < 5_000; index += 1) {
    const now = index * everyMs
    lookUntil(now)
    waiting.push(now)
    for (const [worker, turn] of turns.entries())
      if (turn === Infinity)
        turns[worker] = chooseTurn({ random }, { now, lookedAt: lookedAt[worker], others: workers - 1 })
  }
  return waits.toSorted((a, b) => a - b)
}

it.each([2, 10, 30])(
  '%i workers look for work soon after a notification, no matter how often notifications arrive',
  (workers) => {
    for (const everyMs of [1_000, 200, 100, 50, 20, 5]) {
      const waits = measureWaits({ workers, everyMs })
      expect(waits[Math.floor(waits.length * 0.5)]).toBeLessThan(20)
      expect(waits[Math.floor(waits.length * 0.99)]).toBeLessThan(150)
    }
  },
)

it('sends no message while no other process has workers', async () => {
  const [alone, other] = [await start('all', { otherWorkers: 0 }), await start()]
  alone.notify.callQueued()
  alone.notify.reportReceived('an-attempt')
  expect(alone.received).toEqual(['callQueued', 'an-attempt'])
  // A third process then sends another notification. It must be the first one that arrives.
  const third = await start('api')
  third.notify.importQueued()
  await waitUntil(() => other.received.length > 0)
  expect(other.received).toEqual(['importQueued'])
})

it("combines many notifications into few messages, and sends each call attempt's ID once", async () => {
  const messages: string[] = []
  const listener = new pg.Client({ connectionString: database.url })
  await listener.connect()
  running.push({ close: () => listener.end() })
  listener.on('notification', ({ payload = '' }) => messages.push(payload))
  await listener.query('listen outdial')
  const [first, second] = [await start(), await start()]
  const attempts = Array.from(
    { length: 1_000 },
    (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  )
  for (const attempt of [...attempts, ...attempts]) {
    first.notify.reportReceived(attempt)
    first.notify.callQueued()
  }
  await waitUntil(() => second.received.length === 1_001)
  expect(new Set(second.received)).toEqual(new Set([...attempts, 'callQueued']))
  expect(messages.length).toBeLessThanOrEqual(8)
  for (const message of messages) expect(Buffer.byteLength(message)).toBeLessThan(8_000)
})

it('when a lost database connection is restored, looks for work once, and then sends the notifications that waited', async () => {
  const proxy = await openProxy()
  const [first, second] = [await start('api', { url: proxy.url }), await start('worker')]
  const up = async () => (await first.deps.metrics.notificationsUp.get()).values[0]?.value
  expect(await up()).toBe(1)
  await proxy.disconnect()
  await waitUntil(() => first.logOutput().includes('lost the database connection'))
  expect(await up()).toBe(0)
  first.received.length = 0
  for (let count = 0; count < 100; count += 1) first.notify.callQueued()
  first.notify.reportReceived('a-late-attempt')
  expect(first.received).toHaveLength(101)
  await proxy.reconnect()
  await waitUntil(() => first.logOutput().includes('restored the database connection'))
  expect(first.received.slice(101).toSorted()).toEqual(names.toSorted())
  await waitUntil(() => second.received.length > 0)
  // After the connection is restored, the lost report isn't sent again, because workers find it in the table sooner.
  first.notify.reportReceived('next-attempt')
  await waitUntil(() => second.received.includes('next-attempt'))
  expect(second.received).toEqual(['callQueued', 'next-attempt'])
  expect(first.logOutput().match(/lost the database connection/g)).toHaveLength(1)
  expect(await up()).toBe(1)
})

it("while the connection for notifications is lost, delays only newly queued calls, and only until it's restored", async () => {
  const proxy = await openProxy()
  const [api, worker] = [await start('api'), await start('worker', { url: proxy.url })]
  const seed = await seedWorkspace(api.deps)
  const campaignId = await seedCampaign(api.deps, { ...seed, maxConcurrentCalls: 100 })
  const dialed = new Set<number>()
  // Calls of this provider never end, because the end of a call would notify the dialer.
  const endless = createTestProvider()
  const provider = createTestProvider({
    dial: (request, controls) => {
      dialed.add(request.callId)
      return endless.dial(request, controls)
    },
  })
  // The worker's clock doesn't advance, so the dialer looks for calls only when it's notified.
  const dialer = startDialer(worker.deps, { providers: { real: provider, test: provider } })
  running.unshift({ close: () => dialer.stop() })
  worker.notifier.connect({ callQueued: () => dialer.notify() })
  const queue = async (count: number) => {
    const calls: number[] = []
    while (calls.length < count)
      calls.push((await seedCall(api.deps, { ...seed, campaignId }, freshNumber())).id)
    return calls
  }
  const isDialed = (calls: readonly number[]) => calls.every((id) => dialed.has(id))

  /** Returns true if the dialer is idle: its two loops and the time limit of each call wait for the clock. */
  const isIdle = () => worker.deps.clock.waiting === 2 + dialed.size

  const before = await queue(5)
  await waitUntil(() => isDialed(before) && isIdle())
  await proxy.disconnect()
  const during = await queue(5)
  expect(during.filter((id) => dialed.has(id))).toEqual([])
  await proxy.reconnect()
  await waitUntil(() => isDialed(during))
  const after = await queue(5)
  await waitUntil(() => isDialed(after))
})

it('ignores messages that other programs send on the channel', async () => {
  const [first, second] = [await start(), await start()]
  for (const message of [
    '',
    'hello',
    '{}',
    '{"from":1}',
    '{"from":"x","queued":["callCompleted","toString"],"reported":[]}',
  ])
    await sql`select pg_notify('outdial', ${message})`.execute(database.db)
  first.notify.callQueued()
  await waitUntil(() => second.received.length > 0)
  expect(second.received).toEqual(['callQueued'])
  expect(first.received).toEqual(['callQueued'])
})

it('when a process stops, sends the waiting notifications before closing the connection', async () => {
  const [first, second] = [await start(), await start()]
  first.notify.callQueued()
  first.notify.deliveryQueued()
  await first.close()
  await waitUntil(() => second.received.length === 2)
  expect(await query(`select pid ${connections}`)).toHaveLength(1)
})

/** Returns a source of evenly spread numbers from 0 to 1: multiples of the golden ratio, the same in each run. */
function createRandom(): () => number {
  let last = 0.5
  return () => {
    last = (last + 0.618_033_988_749_895) % 1
    return last
  }
}
