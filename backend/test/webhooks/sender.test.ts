import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import { sql } from 'kysely'
import type { Worker } from '../../platform/core/worker.ts'
import { leaseDeliveries } from '../../webhooks/delivery-store.ts'
import { unsubscribe, waitForAttemptsInProgress } from '../../webhooks/subscriptions.ts'
import { newSenderTurns, toLaneKey } from '../../webhooks/turns.ts'
import { completeCall, seedApiKeyCaller } from '../support/factories.ts'
import { HttpReceiver } from '../support/http-receiver.ts'
import { waitForValue } from '../support/wait.ts'
import { useWebhooksWorld } from '../support/webhooks.ts'

const webhooks = useWebhooksWorld()
const { world, deliveryAfter, listAttempts, listDeliveries, seedSubscription, start } = webhooks
const { subscriptionRow, waitForAttempts } = webhooks

it("if one delivery's secret can't be decrypted, sends the others, and doesn't count a failure of the receiver", async () => {
  const broken = await seedSubscription(world.receiver.url('/broken'))
  await seedSubscription(world.receiver.url('/sound'))
  await world.deps.db
    .updateTable('webhook_subscription')
    .set({ secret: 'v1.AAAA' })
    .where('id', '=', broken.id)
    .execute()
  await completeCall(world.deps, world.seed)
  start()
  await waitForAttempts(2)
  expect(world.receiver.requests.map(({ path }) => path)).toEqual(['/sound'])
  const [unopened, sound] = await listDeliveries()
  expect(unopened).toMatchObject({ status: 'pending', attempts: 1, subscription_id: broken.id })
  expect(sound).toMatchObject({ status: 'delivered' })
  expect(await subscriptionRow(broken.id)).toMatchObject({ failing_since: null })
})

it("delivers to other hosts while one host doesn't respond", async () => {
  const slow = new HttpReceiver()
  await slow.listen()
  slow.neverRespond()
  for (let number = 0; number < 8; number += 1)
    await completeCall(world.deps, world.seed, { callbackUrl: slow.url() })
  world.deps.clock.advance(1)
  await completeCall(world.deps, world.seed, { callbackUrl: world.receiver.url() })

  start({ concurrency: 4, perHost: 2, timeoutMs: 5_000 })
  await waitForAttempts(1)

  expect(world.receiver.requests).toHaveLength(1)
  expect(slow.requests.length).toBeLessThanOrEqual(2)
  await slow.close()
})

const claim = {
  workerId: '00000000-0000-4000-8000-000000000001',
  capacity: 10,
  perHost: 10,
  activeByHost: new Map(),
}

/** Adds deliveries that have been due for a minute to a subscription. Each has a copy of one of the workspace's events. */
async function addBacklog(subscriptionId: number, count: number, round = 0): Promise<void> {
  const at = new Date(world.deps.clock.now().getTime() - 60_000)
  await sql`
    with added as (
      insert into event (id, workspace_id, type, call_id, body, created_at)
      select 'evt_backlog_' || ${subscriptionId}::int || '_' || ${round}::int || '_' || n, workspace_id, type, null, body, ${at}
      from generate_series(1, ${count}::int) n cross join (
        select * from event where workspace_id = ${world.seed.workspaceId} limit 1
      ) event
      returning id, workspace_id
    )
    insert into webhook_delivery (workspace_id, event_id, subscription_id, target_url, next_attempt_at, created_at)
    select added.workspace_id, added.id, subscription.id, target_url, ${at}, ${at}
    from added join webhook_subscription subscription on subscription.id = ${subscriptionId}
  `.execute(world.deps.db)
}

it('reuses the connections to a host', async () => {
  const ports = new Set<string>()
  world.receiver.respond = (_request, response) => {
    ports.add(String(response.req.socket.remotePort))
    response.writeHead(204).end()
  }
  await seedSubscription()
  for (let number = 0; number < 20; number += 1) await completeCall(world.deps, world.seed)
  start({ perHost: 2 })
  await waitForAttempts(20)
  expect(ports.size).toBeLessThanOrEqual(2)
})

it('uses only half of the slots of a host that never responds, and keeps delivering to another host', async () => {
  const slow = new HttpReceiver()
  await slow.listen()
  slow.neverRespond()
  const silent = await seedSubscription(slow.url())
  await completeCall(world.deps, world.seed)
  await addBacklog(silent.id, 1_000)
  const { id } = await seedSubscription(world.receiver.url())
  await addBacklog(id, 100)

  start({ concurrency: 50, perHost: 4, timeoutMs: 60_000, leaseSeconds: 600 })
  await waitForAttempts(100)

  // Until a receiver responds, it gets only half of its host's slots. The other half is for other receivers at this host.
  expect(slow.requests).toHaveLength(2)
  expect(world.receiver.requests).toHaveLength(100)
  await slow.close()
})

it("delivers to a subscription while another at the same host doesn't respond", async () => {
  let responses = 0
  world.receiver.respond = (_request, response) => {
    // The last response is never sent, so one delivery stays in progress. Otherwise, the other subscription would get half of
    // the slots.
    if (response.req.url === '/sound' && (responses += 1) <= 100) response.writeHead(204).end()
  }
  const silent = await seedSubscription(world.receiver.url('/silent'))
  await completeCall(world.deps, world.seed)
  await addBacklog(silent.id, 1_000)
  const sound = await seedSubscription(world.receiver.url('/sound'))
  await addBacklog(sound.id, 101)

  start({ perHost: 4, timeoutMs: 60_000, leaseSeconds: 600 })
  await waitForAttempts(100)

  const paths = world.receiver.requests.map(({ path }) => path)
  expect(paths.filter((path) => path === '/silent')).toHaveLength(1)
})

/** Makes a path of the receiver slow: its responses are sent only when the test releases them. */
function delayResponses(path: string) {
  const pending: ServerResponse[] = []
  world.receiver.respond = (received, response) => {
    if (received.path === path) pending.push(response)
    else response.writeHead(204).end()
  }
  return {
    pending,
    release: () => {
      for (const response of pending.splice(0)) response.writeHead(204).end()
    },
    /** Waits until at least this many responses are pending and the sender has nothing else to send. */
    waitUntilPending: (count: number) =>
      waitForValue(
        () => pending.length >= count && world.deps.clock.waiting === 1,
        (isPending) => isPending,
      ),
  }
}

it('delivers to a subscription even if another at the same host holds its responses and then sends them all at once', async () => {
  const { pending, release, waitUntilPending } = delayResponses('/slow')
  const slow = await seedSubscription(world.receiver.url('/slow'))
  await completeCall(world.deps, world.seed)
  await addBacklog(slow.id, 1_000)
  const sound = await seedSubscription(world.receiver.url('/sound'))
  const sender = start({ perHost: 4, timeoutMs: 60_000, leaseSeconds: 600 })

  for (let round = 1; round <= 5; round += 1) {
    await waitUntilPending(2)
    await addBacklog(sound.id, 1, round)
    sender.notify()
    await waitForValue(
      () => world.receiver.requests.filter(({ path }) => path === '/sound').length,
      (count) => count === round,
    )
    // Half of the slots stay free for other receivers, although this receiver has responded to all requests of earlier rounds.
    expect(pending).toHaveLength(2)
    release()
  }
})

it('delivers to a subscription while several others at the same host respond slowly', async () => {
  const { pending, release, waitUntilPending } = delayResponses('/slow')
  const slow = [
    await seedSubscription(world.receiver.url('/slow')),
    await seedSubscription(world.receiver.url('/slow')),
  ]
  await completeCall(world.deps, world.seed)
  for (const { id } of slow) await addBacklog(id, 200)
  const sound = await seedSubscription(world.receiver.url('/sound'))
  const sender = start({ perHost: 8, timeoutMs: 60_000, leaseSeconds: 600 })

  for (let round = 1; round <= 3; round += 1) {
    await waitUntilPending(4)
    await addBacklog(sound.id, 1, round)
    sender.notify()
    await waitForValue(
      () => world.receiver.requests.filter(({ path }) => path === '/sound').length,
      (count) => count === round,
    )
    expect(pending.length).toBeLessThan(8)
    release()
  }
})

it('leases only as many deliveries to a slow receiver as it can send now', async () => {
  const { release, waitUntilPending } = delayResponses('/slow')
  const slow = await seedSubscription(world.receiver.url('/slow'))
  await completeCall(world.deps, world.seed)
  await addBacklog(slow.id, 100)
  const sender = start({ perHost: 4, timeoutMs: 60_000, leaseSeconds: 600 })
  for (let attempts = 2; attempts <= 6; attempts += 2) {
    await waitUntilPending(2)
    world.deps.clock.advance(1_000)
    release()
    await waitForAttempts(attempts)
    sender.notify()
  }
  await waitUntilPending(2)
  const leased = (await listDeliveries()).filter(({ lease_until }) => lease_until !== null)
  expect(leased).toHaveLength(2)
})

it("claims a subscription's delivery even if another subscription has many leased deliveries to the same host", async () => {
  const fast = await seedSubscription(world.receiver.url('/fast'))
  await completeCall(world.deps, world.seed)
  await addBacklog(fast.id, 10)
  const small = await seedSubscription(world.receiver.url('/small'))
  await addBacklog(small.id, 1)
  const { host } = new URL(world.receiver.url())
  const leased = await leaseDeliveries(world.deps.db, {
    ...claim,
    ...{ perHost: 16, now: world.deps.clock.now(), leaseSeconds: 3600 },
    activeByHost: new Map([[host, 136]]),
    activeByLane: new Map([[toLaneKey(host, fast.id), 136]]),
  })
  expect(leased.map(({ subscriptionId }) => subscriptionId)).toEqual([small.id])
})

it("sends a subscription's only delivery early even if another subscription has 10,000 waiting for the same host", async () => {
  const large = await seedSubscription(world.receiver.url('/large'))
  await completeCall(world.deps, world.seed)
  await addBacklog(large.id, 10_000)
  const small = await seedSubscription(world.receiver.url('/small'))
  await addBacklog(small.id, 1)
  const sender = start({ perHost: 4 })
  await waitForValue(
    () => world.receiver.requests.some(({ path }) => path === '/small'),
    (isSent) => isSent,
  )
  await sender.stop(60_000)
  const position = world.receiver.requests.findIndex(({ path }) => path === '/small')
  expect(position).toBeLessThan(4)
})

it("gives each of a host's many subscriptions a turn before any of them gets a second turn", async () => {
  for (let number = 0; number < 10; number += 1) await seedSubscription(world.receiver.url(`/${number}`))
  for (let number = 0; number < 3; number += 1) await completeCall(world.deps, world.seed)
  const turns = newSenderTurns()
  const subscriptions: (number | null)[] = []
  for (let number = 0; number < 15; number += 1) {
    const claimed = await leaseDeliveries(world.deps.db, {
      ...claim,
      ...{ capacity: 2, perHost: 2, turns, now: world.deps.clock.now(), leaseSeconds: 3600 },
    })
    subscriptions.push(...claimed.map(({ subscriptionId }) => subscriptionId))
  }
  expect(subscriptions).toHaveLength(30)
  for (const round of [0, 10, 20]) expect(new Set(subscriptions.slice(round, round + 10)).size).toBe(10)
})

it('gives at least 63 of 70 hosts a turn within the first 70 deliveries that it claims', async () => {
  const urls = Array.from({ length: 70 }, (_, number) => `https://host-${number}.example.com/`)
  for (const url of urls) await seedSubscription(url)
  for (let number = 0; number < 2; number += 1) await completeCall(world.deps, world.seed)
  const turns = newSenderTurns()
  const hosts: string[] = []
  while (hosts.length < 140) {
    const claimed = await leaseDeliveries(world.deps.db, {
      ...claim,
      ...{ capacity: 7, perHost: 5, turns, now: world.deps.clock.now(), leaseSeconds: 3600 },
    })
    expect(claimed).not.toEqual([])
    hosts.push(...claimed.map(({ targetHost }) => targetHost))
  }
  // The last claim of each round may use only part of its capacity, so the number isn't exact.
  expect(new Set(hosts.slice(0, 70)).size).toBeGreaterThanOrEqual(63)
})

it('makes each delivery once when several senders share the work', async () => {
  await seedSubscription()
  for (let number = 0; number < 40; number += 1) await completeCall(world.deps, world.seed)
  for (let number = 0; number < 4; number += 1) start({ concurrency: 5 })
  await waitForValue(listDeliveries, (rows) => {
    for (const worker of world.workers) worker.notify()
    return rows.every(({ status }) => status === 'delivered')
  })
  const ids = world.receiver.requests.map(({ headers }) => headers['webhook-id'])
  expect(ids).toHaveLength(40)
  expect(new Set(ids).size).toBe(40)
})

/** Stops a sender, and advances the clock past the stop's timeout. */
async function stopAtOnce(worker: Worker): Promise<void> {
  const stopping = worker.stop(1_000)
  await waitForValue(
    async () => world.deps.clock.waiting,
    (count) => count === 1,
  )
  world.deps.clock.advance(1_000)
  await stopping
}

it("takes over a lost sender's delivery, but only after the lease has expired", async () => {
  await seedSubscription()
  await completeCall(world.deps, world.seed)
  const lost = await leaseDeliveries(world.deps.db, {
    ...claim,
    now: world.deps.clock.now(),
    leaseSeconds: 3600,
  })
  expect(lost).toHaveLength(1)
  expect(
    await leaseDeliveries(world.deps.db, { ...claim, now: world.deps.clock.now(), leaseSeconds: 3600 }),
  ).toEqual([])

  await world.deps.db
    .updateTable('webhook_delivery')
    .set({ lease_until: new Date(0) })
    .execute()
  start()
  expect(await deliveryAfter(1)).toMatchObject({ status: 'delivered', attempts: 1, fence: 2 })
})

it.each([
  [
    'finally gets a response',
    (pendingResponse: ServerResponse, sender: Worker) => {
      pendingResponse.writeHead(500).end()
      return sender.stop(60_000)
    },
  ],
  ['is abandoned', (_pendingResponse: ServerResponse, sender: Worker) => stopAtOnce(sender)],
])(
  'if another sender has taken over the lease before the attempt %s, writes nothing',
  async (_name, finish) => {
    const { id } = await seedSubscription()
    await completeCall(world.deps, world.seed)
    const { promise: pendingResponse, resolve: setPendingResponse } = Promise.withResolvers<ServerResponse>()
    world.receiver.respond = (_request, response) => setPendingResponse(response)
    const sender = start({ timeoutMs: 60_000, leaseSeconds: 600 })
    const response = await pendingResponse
    await waitForValue(
      async () => world.deps.clock.waiting, // the sender has polled again, found nothing, and waits
      (count) => count === 1,
    )
    await world.deps.db
      .updateTable('webhook_delivery')
      .set({ lease_until: new Date(0) })
      .execute()
    const [taken] = await leaseDeliveries(world.deps.db, {
      ...claim,
      now: world.deps.clock.now(),
      leaseSeconds: 3600,
    })

    await finish(response, sender)

    expect(taken?.subscriptionId).toBe(id)
    expect(await listAttempts()).toEqual([])
    expect(await listDeliveries()).toMatchObject([
      {
        status: 'pending',
        attempts: 0,
        fence: taken?.fence,
        worker_id: claim.workerId,
        lease_until: expect.any(Date),
      },
    ])
  },
)

it('when a sender stops, releases the deliveries in progress without counting an attempt', async () => {
  await seedSubscription()
  await completeCall(world.deps, world.seed)
  world.receiver.neverRespond()
  const sender = start({ timeoutMs: 60_000, leaseSeconds: 600 })
  await waitForValue(
    async () => world.receiver.requests.length,
    (count) => count === 1,
  )
  await stopAtOnce(sender)
  expect(await listDeliveries()).toMatchObject([{ status: 'pending', attempts: 0, lease_until: null }])
})

it("waits for an attempt in progress before it confirms that a subscription ended, and saves the attempt's result", async () => {
  const subscription = await seedSubscription()
  const { promise: pendingResponse, resolve: setPendingResponse } = Promise.withResolvers<ServerResponse>()
  world.receiver.respond = (_, response) => setPendingResponse(response)
  await completeCall(world.deps, world.seed)
  start()
  const response = await pendingResponse

  await unsubscribe(world.deps, await seedApiKeyCaller(world.deps, world.seed), subscription.id)
  let isConfirmed = false
  const confirming = waitForAttemptsInProgress(world.deps, world.seed.workspaceId, subscription.id).then(
    () => {
      isConfirmed = true
    },
  )
  await setImmediate()
  expect(isConfirmed).toBe(false)
  response.writeHead(500).end()
  await confirming

  expect(await listDeliveries()).toMatchObject([{ status: 'canceled', attempts: 1, next_attempt_at: null }])
  expect(await listAttempts()).toMatchObject([{ status_code: 500 }])
})
