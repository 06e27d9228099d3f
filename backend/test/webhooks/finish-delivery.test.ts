import type { ServerResponse } from 'node:http'
import { describe, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { replayDeliveries } from '../../webhooks/outbox.ts'
import { retrySchedule } from '../../webhooks/retry-delay.ts'
import { subscribe } from '../../webhooks/subscriptions.ts'
import { completeCall, seedWorkspace } from '../support/factories.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { waitFor, waitForValue } from '../support/wait.ts'
import { useWebhooksWorld } from '../support/webhooks.ts'

const day = 24 * 60 * 60 * 1000

const webhooks = useWebhooksWorld()
const { world, advanceTo, deliveryAfter, listAttempts, listDeliveries, seedSubscription, start } = webhooks
const { subscriptionRow, waitForAttempts } = webhooks

/** Delays the responses to all requests until the test sends them. */
function delayResponses(status = 200) {
  const responses: ServerResponse[] = []
  world.receiver.respond = (_request, response) => void responses.push(response)
  return { responses, respondAll: () => responses.forEach((response) => response.writeHead(status).end()) }
}

describe('retries', () => {
  it('makes ten attempts on the schedule, then marks the delivery as exhausted', async () => {
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
    expect(await deliveryAfter(10)).toMatchObject({
      status: 'exhausted',
      attempts: 10,
      next_attempt_at: null,
    })
    expect((await listAttempts()).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(await subscriptionRow(id)).toMatchObject({ disabled_at: null })
  })

  it('waits for Retry-After if it is longer than the scheduled delay', async () => {
    await seedSubscription()
    world.receiver.respondWith(503, { 'retry-after': '90' })
    await completeCall(world.deps, world.seed)
    start()
    const due = new Date(world.deps.clock.now().getTime() + 90_000)
    expect((await deliveryAfter(1)).next_attempt_at).toEqual(due)
  })
})

describe('replay', () => {
  it('sends deliveries again, and numbers their new attempts after the earlier ones', async () => {
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
    const notifying = {
      ...world.deps,
      notify: { ...world.deps.notify, deliveryQueued: () => sender.notify() },
    }

    expect(await replayDeliveries(notifying, other.workspaceId, { subscriptionId: id })).toBe(0)
    expect(await replayDeliveries(notifying, world.seed.workspaceId, { subscriptionId: id })).toBe(2)
    await waitForAttempts(5)
    const callback = (await listDeliveries()).find(({ subscription_id }) => subscription_id === null)
    expect(callback).toMatchObject({ status: 'exhausted' })
    expect(await replayDeliveries(notifying, world.seed.workspaceId, { deliveryId: callback?.id ?? 0 })).toBe(
      1,
    )
    await waitForAttempts(6)

    expect((await listDeliveries()).map(({ status, attempts }) => [status, attempts])).toEqual(
      Array(3).fill(['delivered', 1]),
    )
    expect((await listAttempts()).map(({ number }) => number).sort()).toEqual([1, 1, 1, 2, 2, 2])
  })

  it('leaves out deliveries to a disabled subscription', async () => {
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
})

describe('replay of many deliveries', () => {
  /** Creates a subscription with exhausted deliveries. Each delivery is for a different old call. */
  const seedExhausted = async (count: number) => {
    const { id } = await seedSubscription()
    const { id: callId } = await completeCall(world.deps, world.seed)
    const { db, clock } = world.deps
    await sql`
      update webhook_delivery set status = 'exhausted', attempts = 10, next_attempt_at = null;
      update call set ended_at = ${sql.lit(clock.now().toISOString())};
      insert into call (workspace_id, campaign_id, contact_id, agent_id, phone_number_id, status, outcome,
        from_number, to_number, queued_at, due_at, ended_at)
      select workspace_id, campaign_id, contact_id, agent_id, phone_number_id, status, outcome,
        from_number, to_number, queued_at, due_at, ended_at
      from call, generate_series(2, ${sql.lit(count)}) where id = ${sql.lit(callId)};
      insert into event (id, workspace_id, type, call_id, body)
      select 'evt_of_' || id, workspace_id, 'call.completed', id, '{}' from call
      where workspace_id = ${sql.lit(world.seed.workspaceId)} and id <> ${sql.lit(callId)};
      insert into webhook_delivery (workspace_id, event_id, subscription_id, target_url, status, attempts)
      select d.workspace_id, event.id, d.subscription_id, d.target_url, d.status, d.attempts
      from event, webhook_delivery d
      where event.workspace_id = ${sql.lit(world.seed.workspaceId)} and event.id <> d.event_id`.execute(db)
    return id
  }

  it('covers all of them, in several transactions', async () => {
    const id = await seedExhausted(1_100)
    const replay = () => replayDeliveries(world.deps, world.seed.workspaceId, { subscriptionId: id })
    expect(await replay()).toBe(1_100)
    const { rows } = await sql`
      select status, count(*) as count, count(distinct xmin::text) as transactions
      from webhook_delivery group by status`.execute(world.deps.db)
    expect(rows).toEqual([{ status: 'pending', count: 1_100, transactions: 3 }])
    expect(await replay()).toBe(0)
  })

  it.each([
    ['is disabled', 'disabled_at = now()'],
    ['has ended', "ended_at = now(), ended_reason = 'unsubscribed'"],
  ])('leaves out deliveries of a subscription that %s', async (_, change) => {
    const id = await seedExhausted(2)
    const { deps, seed } = world
    await sql`update webhook_subscription set ${sql.raw(change)} where id = ${id}`.execute(deps.db)
    expect(await replayDeliveries(deps, seed.workspaceId, { subscriptionId: id })).toBe(0)
    expect((await listDeliveries()).map(({ status }) => status)).toEqual(['exhausted', 'exhausted'])
  })

  it('leaves out the delivery to a callback URL that has ended', async () => {
    const { deps, seed } = world
    const callIds: number[] = []
    for (const path of ['/first', '/second'])
      callIds.push((await completeCall(deps, seed, { callbackUrl: world.receiver.url(path) })).id)
    await sql`update webhook_delivery set status = 'exhausted', next_attempt_at = null`.execute(deps.db)
    await sql`update call_callback set ended_at = now() where call_id = ${callIds[0]}`.execute(deps.db)
    expect(await replayDeliveries(deps, seed.workspaceId, { subscriptionId: null })).toBe(1)
    expect((await listDeliveries()).map(({ status }) => status)).toEqual(['exhausted', 'pending'])
  })
})

describe('a receiver that responds with 410', () => {
  it('immediately ends the subscription and cancels its other pending deliveries', async () => {
    const { id } = await seedSubscription()
    world.receiver.respondWith(410)
    await completeCall(world.deps, world.seed)
    await completeCall(world.deps, world.seed)
    start({ concurrency: 1 })
    await waitForValue(
      () => subscriptionRow(id),
      (row) => row?.ended_reason === 'gone',
    )
    await waitForAttempts(1)
    expect((await listDeliveries()).map(({ status }) => status).sort()).toEqual(['canceled', 'gone'])
    expect(world.receiver.requests).toHaveLength(1)
  })

  it("ends only its own delivery if it's at a callback URL", async () => {
    const { id } = await seedSubscription(world.receiver.url('/subscribed'))
    world.receiver.respond = ({ path }, response) =>
      response.writeHead(path === '/callback' ? 410 : 200).end()
    await completeCall(world.deps, world.seed, { callbackUrl: world.receiver.url('/callback') })
    start()
    await waitForAttempts(2)
    expect((await listDeliveries()).map(({ status }) => status).sort()).toEqual(['delivered', 'gone'])
    expect(await subscriptionRow(id)).toMatchObject({ disabled_at: null })
  })
})

describe('a failing subscription', () => {
  it('is disabled when two events have failed over five days, and its pending deliveries then end', async () => {
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

  it("is disabled after five days even if the failures are responses that aren't valid HTTP", async () => {
    const { id } = await seedSubscription()
    world.receiver.respondWithBytes('HTTP/1.1 200 OK\nContent-Length: 2\n\nok')
    await completeCall(world.deps, world.seed)
    start()
    await waitForAttempts(1)
    world.deps.clock.advance(5 * day)
    await completeCall(world.deps, world.seed)
    world.workers[0]?.notify()
    // Waits for the subscription, because the other event's attempt may end too late for its result to be recorded.
    await waitFor(async () => (await subscriptionRow(id))?.disabled_at !== null)
    expect(await subscriptionRow(id)).toMatchObject({ disabled_at: world.deps.clock.now() })
  })

  it("isn't disabled if only a single event has failed, even for six days", async () => {
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

  it('starts the five days over after a success', async () => {
    const { id } = await seedSubscription()
    world.receiver.respond = (_request, response, number) =>
      response.writeHead(number === 2 ? 200 : 500).end()
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

  it('gets only new events after its connection subscribes again', async () => {
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

  it("doesn't get an event that was written just before the subscription was disabled", async () => {
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
})

describe('a delivery that another transaction has locked', () => {
  const seedDeliveries = async () => {
    const paths = ['/locked', '/other']
    for (const path of paths)
      await completeCall(world.deps, world.seed, { callbackUrl: world.receiver.url(path) })
  }
  const findDelivery = async (path: string) =>
    (await listDeliveries()).find(({ target_url }) => target_url.endsWith(path))

  it("doesn't delay saving the results of other deliveries", async () => {
    await seedDeliveries()
    const { responses, respondAll } = delayResponses()
    start()
    await waitForValue(
      () => Promise.resolve(responses.length),
      (count) => count === 2,
    )
    await world.deps.db.transaction().execute(async (tx) => {
      await sql`select from webhook_delivery where target_url like '%/locked' for update`.execute(tx)
      respondAll()
      await waitForLockWaiters(world.deps.db)
      await waitForAttempts(1)
      expect(await findDelivery('/other')).toMatchObject({ status: 'delivered', attempts: 1 })
    })
    await waitForAttempts(2)
    expect(await findDelivery('/locked')).toMatchObject({ status: 'delivered', attempts: 1, worker_id: null })
  })

  it("isn't retried if the transaction canceled it", async () => {
    await seedDeliveries()
    const { responses, respondAll } = delayResponses(500)
    start()
    await waitForValue(
      () => Promise.resolve(responses.length),
      (count) => count === 2,
    )
    const canceledAt = new Date(world.deps.clock.now().getTime() - 1_000)
    await world.deps.db.transaction().execute(async (tx) => {
      await sql`
        update webhook_delivery set status = 'canceled', next_attempt_at = null, finished_at = ${canceledAt}
        where target_url like '%/locked'`.execute(tx)
      respondAll()
      await waitForLockWaiters(world.deps.db)
    })
    await waitForAttempts(2)
    expect(await findDelivery('/locked')).toMatchObject({
      ...{ status: 'canceled', attempts: 1, next_attempt_at: null, finished_at: canceledAt, worker_id: null },
    })
    expect(await findDelivery('/other')).toMatchObject({ status: 'pending', attempts: 1 })
  })
})
