import type { ServerResponse } from 'node:http'
import { expect, it } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import type { Worker } from '../../core/worker.ts'
import { leaseDeliveries } from '../../webhooks/delivery-store.ts'
import { replayDeliveries } from '../../webhooks/outbox.ts'
import { retrySchedule } from '../../webhooks/retry-delay.ts'
import { type SenderOptions, startSender } from '../../webhooks/sender.ts'
import { rotateSubscriptionSecret } from '../../webhooks/signing-secrets.ts'
import { subscribe } from '../../webhooks/subscriptions.ts'
import { completeCall, seedApiKeyCaller, seedWorkspace } from '../support/factories.ts'
import { HttpReceiver } from '../support/http-receiver.ts'
import { waitForValue } from '../support/wait.ts'
import { useWebhooksWorld } from '../support/webhooks.ts'

const day = 24 * 60 * 60 * 1000

const world = useWebhooksWorld()

function start(options: SenderOptions = {}): Worker {
  const worker = startSender(world.deps, options)
  world.workers.push(worker)
  return worker
}

async function seedSubscription(url = world.receiver.url()) {
  const caller = await seedApiKeyCaller(world.deps, world.seed)
  const { subscription } = await subscribe(world.deps, caller, { target_url: url, event: 'call.completed' })
  return { caller, ...subscription }
}

const listDeliveries = () => world.deps.db.selectFrom('webhook_delivery').selectAll().orderBy('id').execute()

const listAttempts = () =>
  world.deps.db
    .selectFrom('delivery_attempt')
    .innerJoin('webhook_delivery', 'webhook_delivery.id', 'delivery_attempt.delivery_id')
    .selectAll('delivery_attempt')
    .orderBy('delivery_attempt.id')
    .execute()

const subscriptionRow = (id: number) =>
  world.deps.db.selectFrom('webhook_subscription').selectAll().where('id', '=', id).executeTakeFirst()

/** Waits until so many tries were written down in all. */
const waitForAttempts = (count: number) => waitForValue(listAttempts, (rows) => rows.length >= count)

/** The one delivery, after so many tries. */
async function deliveryAfter(count: number) {
  await waitForAttempts(count)
  const [delivery] = await listDeliveries()
  if (delivery === undefined) throw new Error('there is no delivery')
  return delivery
}

function advanceTo(at: Date | null): void {
  if (at === null) throw new Error('no further try is due')
  world.deps.clock.advance(at.getTime() - world.deps.clock.now().getTime())
  for (const worker of world.workers) worker.notify()
}

it('delivers the event as it was written, signed so that an independent verifier accepts it', async () => {
  const { secret } = await seedSubscription(world.receiver.url('/hooks/catch/1?x=%C3%A9'))
  const call = await completeCall(world.deps, world.seed)
  start()
  const delivery = await deliveryAfter(1)

  const [received] = world.receiver.requests
  const event = await world.deps.db
    .selectFrom('event')
    .selectAll()
    .where('call_id', '=', call.id)
    .executeTakeFirstOrThrow()
  expect(received?.path).toBe('/hooks/catch/1?x=%C3%A9')
  expect(received?.body).toBe(event.body)
  expect(received?.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': expect.stringMatching(/^Outdial\/\d/),
    'webhook-id': event.id,
  })
  const headers = received?.headers as Record<string, string>
  expect(new Webhook(secret).verify(received?.body ?? '', headers)).toMatchObject({ data: { id: call.id } })
  expect(delivery).toMatchObject({
    status: 'delivered',
    attempts: 1,
    lease_until: null,
    finished_at: world.deps.clock.now(),
  })
  expect(await listAttempts()).toMatchObject([{ number: 1, status_code: 204, error: null, duration_ms: 0 }])
})

it('signs deliveries to a callback URL with the secret of the workspace', async () => {
  await completeCall(world.deps, world.seed, { callbackUrl: world.receiver.url('/callback') })
  start()
  await waitForAttempts(1)
  const { webhook_secret } = await world.deps.db
    .selectFrom('workspace')
    .select('webhook_secret')
    .where('id', '=', world.seed.workspaceId)
    .executeTakeFirstOrThrow()
  const [received] = world.receiver.requests
  const verifier = new Webhook(world.deps.secretBox.open(webhook_secret))
  expect(verifier.verify(received?.body ?? '', received?.headers as Record<string, string>)).toBeTruthy()
})

it('signs with the old and the new secret for a day after a rotation, then with the new one alone', async () => {
  const { id, secret: old } = await seedSubscription()
  const { secret: fresh } = await rotateSubscriptionSecret(world.deps, world.seed.workspaceId, id)
  start()
  await completeCall(world.deps, world.seed)
  world.workers[0]?.notify()
  await waitForAttempts(1)
  world.deps.clock.advance(day)
  await completeCall(world.deps, world.seed)
  world.workers[0]?.notify()
  await waitForAttempts(2)

  const [during, after] = world.receiver.requests.map(({ body, headers }) => (secret: string) => {
    // Only the first is of this moment: the verifier's tolerance would refuse the other.
    const {
      'webhook-id': msgId = '',
      'webhook-timestamp': at = '',
      'webhook-signature': signatures = '',
    } = headers as Record<string, string>
    return signatures.split(' ').includes(new Webhook(secret).sign(msgId, new Date(Number(at) * 1000), body))
  })
  expect([during?.(old), during?.(fresh)]).toEqual([true, true])
  expect([after?.(old), after?.(fresh)]).toEqual([false, true])
})

it.each([200, 201, 202, 204, 299])('takes the answer %i as delivered', async (status) => {
  await seedSubscription()
  world.receiver.respondWith(status)
  await completeCall(world.deps, world.seed)
  start()
  expect(await deliveryAfter(1)).toMatchObject({ status: 'delivered', next_attempt_at: null })
})

it.each([400, 401, 404, 429, 500, 503])('tries again after the answer %i', async (status) => {
  await seedSubscription()
  world.receiver.respondWith(status)
  await completeCall(world.deps, world.seed)
  start()
  const due = new Date(world.deps.clock.now().getTime() + 5_000)
  expect(await deliveryAfter(1)).toMatchObject({
    status: 'pending',
    attempts: 1,
    next_attempt_at: due,
    lease_until: null,
  })
  expect(await listAttempts()).toMatchObject([
    { status_code: status, error: `the receiver answered ${status}` },
  ])
})

it('takes a redirect as a failure, and does not follow it', async () => {
  await seedSubscription()
  const otherUrl = world.receiver.url('/elsewhere')
  world.receiver.respondWith(307, { location: otherUrl })
  await completeCall(world.deps, world.seed)
  start()
  expect(await deliveryAfter(1)).toMatchObject({ status: 'pending' })
  expect(await listAttempts()).toMatchObject([
    { status_code: 307, error: 'the receiver redirects, which is not followed' },
  ])
  expect(world.receiver.requests.map(({ path }) => path)).toEqual(['/hook'])
})

it('sends the same webhook-id in every try, each with its own timestamp', async () => {
  await seedSubscription()
  world.receiver.respond = (_request, response, number) => response.writeHead(number === 1 ? 500 : 200).end()
  await completeCall(world.deps, world.seed)
  start()
  advanceTo((await deliveryAfter(1)).next_attempt_at)
  await waitForAttempts(2)
  const [first, second] = world.receiver.requests
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(second?.body).toBe(first?.body)
  expect(Number(second?.headers['webhook-timestamp'])).toBe(Number(first?.headers['webhook-timestamp']) + 5)
})

it('tries ten times on the schedule, then gives the delivery up as dead', async () => {
  const { id } = await seedSubscription()
  world.receiver.respondWith(500)
  await completeCall(world.deps, world.seed)
  start()
  for (const [index, delay] of retrySchedule.entries()) {
    const due = new Date(world.deps.clock.now().getTime() + delay)
    const delivery = await deliveryAfter(index + 1)
    expect(delivery.next_attempt_at).toEqual(due)
    advanceTo(due)
  }
  expect(await deliveryAfter(10)).toMatchObject({ status: 'exhausted', attempts: 10, next_attempt_at: null })
  expect((await listAttempts()).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  expect(await subscriptionRow(id)).toMatchObject({ disabled_at: null })
})

it('sends dead deliveries again when they are replayed, their log going on', async () => {
  const { id } = await seedSubscription()
  const other = await seedWorkspace(world.deps, 'Other')
  await completeCall(world.deps, world.seed)
  await completeCall(world.deps, world.seed, { callbackUrl: world.receiver.url('/callback') })
  world.receiver.respondWith(500)
  const sender = start()
  await waitForAttempts(3)
  await world.deps.db
    .updateTable('webhook_delivery')
    .set({ status: 'exhausted', attempts: 10, next_attempt_at: null })
    .execute()
  world.receiver.respondWith(200)
  const notifying = { ...world.deps, notify: { ...world.deps.notify, deliveryQueued: () => sender.notify() } }

  expect(await replayDeliveries(notifying, other.workspaceId, { subscriptionId: id })).toBe(0)
  expect(await replayDeliveries(notifying, world.seed.workspaceId, { subscriptionId: id })).toBe(2)
  await waitForAttempts(5)
  const callback = (await listDeliveries()).find(({ subscription_id }) => subscription_id === null)
  expect(callback).toMatchObject({ status: 'exhausted' })
  expect(await replayDeliveries(notifying, world.seed.workspaceId, { deliveryId: callback?.id ?? 0 })).toBe(1)
  await waitForAttempts(6)

  expect((await listDeliveries()).map(({ status, attempts }) => [status, attempts])).toEqual(
    Array(3).fill(['delivered', 1]),
  )
  expect((await listAttempts()).map(({ number }) => number).sort()).toEqual([1, 1, 1, 2, 2, 2])
})

it('replays nothing to a disabled subscription', async () => {
  const { id } = await seedSubscription()
  await completeCall(world.deps, world.seed)
  await world.deps.db
    .updateTable('webhook_delivery')
    .set({ status: 'exhausted', next_attempt_at: null })
    .execute()
  await world.deps.db
    .updateTable('webhook_subscription')
    .set({ disabled_at: world.deps.clock.now() })
    .execute()
  expect(await replayDeliveries(world.deps, world.seed.workspaceId, { subscriptionId: id })).toBe(0)
})

it('waits as long as Retry-After asks, where that is longer than the schedule', async () => {
  await seedSubscription()
  world.receiver.respondWith(503, { 'retry-after': '90' })
  await completeCall(world.deps, world.seed)
  start()
  const due = new Date(world.deps.clock.now().getTime() + 90_000)
  expect((await deliveryAfter(1)).next_attempt_at).toEqual(due)
})

it('takes a receiver that never answers as failed once its time is over', async () => {
  await seedSubscription()
  world.receiver.neverRespond()
  await completeCall(world.deps, world.seed)
  start({ timeoutMs: 100 })
  expect(await deliveryAfter(1)).toMatchObject({ status: 'pending', attempts: 1 })
  expect(await listAttempts()).toMatchObject([
    { status_code: null, error: 'the receiver did not answer in time' },
  ])
})

it('takes an accepted event as delivered, though the body of the answer never ends', async () => {
  await seedSubscription()
  world.receiver.respond = (_request, response) => void response.writeHead(200).write('still talking')
  await completeCall(world.deps, world.seed)
  start({ timeoutMs: 300 })
  expect(await deliveryAfter(1)).toMatchObject({ status: 'delivered' })
})

it('reads no more than a little of an endless answer', async () => {
  await seedSubscription()
  world.receiver.respond = (_request, response) => {
    const pour = () => {
      while (response.write('x'.repeat(65_536)));
      response.once('drain', pour)
    }
    response.writeHead(200)
    pour()
  }
  await completeCall(world.deps, world.seed)
  start()
  expect(await deliveryAfter(1)).toMatchObject({ status: 'delivered' })
})

it('says in words why a receiver could not be reached', async () => {
  const gone = new HttpReceiver()
  await gone.listen()
  await seedSubscription(gone.url())
  await gone.close()
  await completeCall(world.deps, world.seed)
  start()
  await waitForAttempts(1)
  expect(await listAttempts()).toMatchObject([
    { status_code: null, error: 'the receiver refused the connection' },
  ])
})

it('tries again when the receiver breaks off the connection', async () => {
  await seedSubscription()
  world.receiver.respond = (_request, response) => response.destroy()
  await completeCall(world.deps, world.seed)
  start()
  expect(await deliveryAfter(1)).toMatchObject({ status: 'pending' })
  expect(await listAttempts()).toMatchObject([{ error: 'the receiver broke off the connection' }])
})

it('does not send to an address that was permitted only before', async () => {
  await seedSubscription()
  await completeCall(world.deps, world.seed)
  world.deps.config = { ...world.deps.config, allowLoopbackWebhooks: false }
  start()
  expect(await deliveryAfter(1)).toMatchObject({ status: 'pending' })
  expect(world.receiver.requests).toEqual([])
})

it('does not send where a name leads into a private network', async () => {
  await seedSubscription('https://hooks.example.test/')
  await completeCall(world.deps, world.seed)
  start({ resolve: async () => ['10.0.0.1'] })
  expect(await deliveryAfter(1)).toMatchObject({ status: 'pending' })
  expect(await listAttempts()).toMatchObject([{ status_code: null, error: 'the address is not public' }])
})

it('removes a subscription at once when its receiver is gone, with all that waits for it', async () => {
  const { id } = await seedSubscription()
  world.receiver.respondWith(410)
  await completeCall(world.deps, world.seed)
  await completeCall(world.deps, world.seed)
  start({ concurrency: 1 })
  await waitForValue(
    () => subscriptionRow(id),
    (row) => row === undefined,
  )
  expect(await listDeliveries()).toEqual([])
  expect(world.receiver.requests).toHaveLength(1)
})

it('ends a callback delivery alone when its receiver is gone', async () => {
  const { id } = await seedSubscription(world.receiver.url('/subscribed'))
  world.receiver.respond = ({ path }, response) => response.writeHead(path === '/callback' ? 410 : 200).end()
  await completeCall(world.deps, world.seed, { callbackUrl: world.receiver.url('/callback') })
  start()
  await waitForAttempts(2)
  expect((await listDeliveries()).map(({ status }) => status).sort()).toEqual(['delivered', 'gone'])
  expect(await subscriptionRow(id)).toMatchObject({ disabled_at: null })
})

it('disables a subscription after five days of failing over two events, and ends what waits for it', async () => {
  const { id } = await seedSubscription()
  world.receiver.respondWith(500)
  await completeCall(world.deps, world.seed)
  start()
  await waitForAttempts(1)
  world.deps.clock.advance(5 * day - 1)
  await completeCall(world.deps, world.seed)
  world.workers[0]?.notify()
  await waitForAttempts(3)
  expect(await subscriptionRow(id)).toMatchObject({ disabled_at: null })

  world.deps.clock.advance(5_000)
  world.workers[0]?.notify()
  await waitForAttempts(4)

  expect(await subscriptionRow(id)).toMatchObject({ disabled_at: world.deps.clock.now() })
  expect((await listDeliveries()).map(({ status }) => status)).toEqual(['exhausted', 'exhausted'])
  await completeCall(world.deps, world.seed)
  expect(await listDeliveries()).toHaveLength(2)
})

it('does not disable a subscription over a single event', async () => {
  const { id } = await seedSubscription()
  world.receiver.respondWith(500)
  await completeCall(world.deps, world.seed)
  start()
  await waitForAttempts(1)
  world.deps.clock.advance(6 * day)
  world.workers[0]?.notify()
  await waitForAttempts(2)
  expect(await subscriptionRow(id)).toMatchObject({ disabled_at: null, failing_since: expect.any(Date) })
})

it('forgets the failures of a subscription with one success', async () => {
  const { id } = await seedSubscription()
  world.receiver.respond = (_request, response, number) => response.writeHead(number === 2 ? 200 : 500).end()
  await completeCall(world.deps, world.seed)
  start()
  advanceTo((await deliveryAfter(1)).next_attempt_at)
  await waitForAttempts(2)
  expect(await subscriptionRow(id)).toMatchObject({ failing_since: null })

  world.deps.clock.advance(6 * day)
  await completeCall(world.deps, world.seed)
  world.workers[0]?.notify()
  await waitForAttempts(3)
  expect(await subscriptionRow(id)).toMatchObject({
    disabled_at: null,
    failing_since: world.deps.clock.now(),
  })
})

it('delivers again after a disabled subscription was subscribed again', async () => {
  const { id, caller } = await seedSubscription()
  await world.deps.db
    .updateTable('webhook_subscription')
    .set({ disabled_at: world.deps.clock.now(), failing_since: world.deps.clock.now() })
    .where('id', '=', id)
    .execute()
  await completeCall(world.deps, world.seed)
  const again = await subscribe(world.deps, caller, {
    target_url: world.receiver.url(),
    event: 'call.completed',
  })
  expect(again).toMatchObject({ created: false, subscription: { id } })
  await completeCall(world.deps, world.seed)
  start()
  expect(await deliveryAfter(1)).toMatchObject({ status: 'delivered' })
  expect(world.receiver.requests).toHaveLength(1)
})

it('does not send what was written just before its subscription was disabled', async () => {
  const { id } = await seedSubscription()
  await completeCall(world.deps, world.seed)
  await world.deps.db
    .updateTable('webhook_subscription')
    .set({ disabled_at: world.deps.clock.now() })
    .where('id', '=', id)
    .execute()
  start()
  await waitForValue(listDeliveries, ([row]) => row?.status === 'exhausted')
  expect(world.receiver.requests).toEqual([])
})

it('goes on with the others when a secret cannot be opened, and blames no receiver for it', async () => {
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

it('delivers to the others while one host answers nothing', async () => {
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

it('shares the work among senders, so that each delivery is made once', async () => {
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

/** Stops a sender and lets its grace pass. */
async function stopAtOnce(worker: Worker): Promise<void> {
  const stopping = worker.stop(1_000)
  await waitForValue(
    async () => world.deps.clock.waiting,
    (count) => count === 1,
  )
  world.deps.clock.advance(1_000)
  await stopping
}

const claim = {
  workerId: '00000000-0000-4000-8000-000000000001',
  capacity: 10,
  perHost: 10,
  activeByHost: new Map(),
}

it('takes over a delivery whose sender was lost, and not before its lease has ended', async () => {
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
    'it is answered at last',
    (pendingResponse: ServerResponse, sender: Worker) => {
      pendingResponse.writeHead(500).end()
      return sender.stop(60_000)
    },
  ],
  ['it is abandoned', (_held: ServerResponse, sender: Worker) => stopAtOnce(sender)],
])('writes nothing of a try whose lease another sender has taken over, when %s', async (_name, finish) => {
  const { id } = await seedSubscription()
  await completeCall(world.deps, world.seed)
  const { promise: pendingResponse, resolve: setPendingResponse } = Promise.withResolvers<ServerResponse>()
  world.receiver.respond = (_request, response) => setPendingResponse(response)
  const sender = start({ timeoutMs: 60_000 })
  const response = await pendingResponse
  await waitForValue(
    async () => world.deps.clock.waiting, // it has looked again, found nothing more, and waits
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
})

it('gives back, untried, what it had to abandon when it stopped', async () => {
  await seedSubscription()
  await completeCall(world.deps, world.seed)
  world.receiver.neverRespond()
  const sender = start({ timeoutMs: 60_000 })
  await waitForValue(
    async () => world.receiver.requests.length,
    (count) => count === 1,
  )
  await stopAtOnce(sender)
  expect(await listDeliveries()).toMatchObject([{ status: 'pending', attempts: 0, lease_until: null }])
})
