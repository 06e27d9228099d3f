import { afterEach, beforeAll, beforeEach } from '@jest/globals'
import { CallCompletedEvent } from '@outdial/contract'
import { Webhook } from 'standardwebhooks'
import type { Worker } from '../../platform/core/worker.ts'
import { type SenderOptions, startSender } from '../../webhooks/sender.ts'
import { subscribe } from '../../webhooks/subscriptions.ts'
import { ManualClock } from './clock.ts'
import type { SignedInUser } from './dashboard.ts'
import { type Seed, seedApiKeyCaller } from './factories.ts'
import { HttpReceiver, useHttpReceiver } from './http-receiver.ts'
import type { useServiceWorld } from './service.ts'
import { waitForValue } from './wait.ts'
import { useWorld, type World } from './world.ts'

interface WebhooksWorld extends World {
  /** Receives the deliveries. */
  readonly receiver: HttpReceiver
  /** Workers that are stopped after each test. */
  readonly workers: Worker[]
}

/** Gives every test a new workspace and a receiver. Removes the deliveries of earlier tests. */
export function useWebhooksWorld() {
  // The time is real, because an independent verifier checks the timestamp. Without jitter, the retry schedule is predictable.
  const world = useWorld(() => ({ clock: new ManualClock(new Date().toISOString()), random: () => 0 }))
  const workers: Worker[] = []
  let receiver: HttpReceiver
  beforeEach(async () => {
    receiver = new HttpReceiver()
    await receiver.listen()
  })
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()))
    await receiver.close()
    await world.deps.db.deleteFrom('webhook_delivery').execute()
  })
  const webhooksWorld: WebhooksWorld = {
    database: world.database,
    workers,
    get deps() {
      return world.deps
    },
    get seed() {
      return world.seed
    },
    get receiver() {
      return receiver
    },
  }
  return { world: webhooksWorld, ...createHelpers(webhooksWorld) }
}

function createHelpers(world: WebhooksWorld) {
  const listDeliveries = () =>
    world.deps.db.selectFrom('webhook_delivery').selectAll().orderBy('id').execute()
  const listAttempts = () =>
    world.deps.db
      .selectFrom('delivery_attempt')
      .innerJoin('webhook_delivery', 'webhook_delivery.id', 'delivery_attempt.delivery_id')
      .selectAll('delivery_attempt')
      .orderBy('delivery_attempt.id')
      .execute()
  /** Waits until at least this many delivery attempts are recorded. */
  const waitForAttempts = (count: number) => waitForValue(listAttempts, (rows) => rows.length >= count)
  return {
    listDeliveries,
    listAttempts,
    waitForAttempts,
    start: (options: SenderOptions = {}): Worker => {
      const worker = startSender(world.deps, options)
      world.workers.push(worker)
      return worker
    },
    seedSubscription: async (url = world.receiver.url()) => {
      const caller = await seedApiKeyCaller(world.deps, world.seed)
      const { subscription } = await subscribe(world.deps, caller, {
        target_url: url,
        event: 'call.completed',
      })
      return { caller, ...subscription }
    },
    subscriptionRow: (id: number) =>
      world.deps.db.selectFrom('webhook_subscription').selectAll().where('id', '=', id).executeTakeFirst(),
    /** Waits until this many attempts are recorded, and returns the only delivery. */
    deliveryAfter: async (count: number) => {
      await waitForAttempts(count)
      const [delivery] = await listDeliveries()
      if (delivery === undefined) throw new Error('there is no delivery')
      return delivery
    },
    advanceTo: (at: Date | null): void => {
      if (at === null) throw new Error('no further attempt is due')
      world.deps.clock.advance(at.getTime() - world.deps.clock.now().getTime())
      for (const worker of world.workers) worker.notify()
    },
  }
}

/** Gives tests of the dashboard's pages a receiver, and helpers for what the service sends to it. */
export function useWebhookReceiver(world: ReturnType<typeof useServiceWorld>) {
  let sender: Worker | undefined
  beforeAll(() => {
    // Sets the clock to the real time, because an independent verifier checks the timestamps of deliveries.
    world.service.deps.clock.advance(Date.now() - world.service.deps.clock.now().getTime())
  })
  afterEach(async () => {
    await sender?.stop()
    sender = undefined
  })
  const receiver = useHttpReceiver()
  return {
    receiver,
    /** Creates a subscription with a new API key of the owner. */
    seedSubscription: async (owner: SignedInUser & { seed: Seed }, url = receiver.url()) => {
      const caller = await seedApiKeyCaller(world.service.deps, owner.seed)
      const body = { target_url: url, event: 'call.completed' } as const
      const { subscription } = await subscribe(world.service.deps, { ...caller, userId: owner.userId }, body)
      return { ...subscription, apiKeyId: caller.apiKeyId, path: `/integrations/webhooks/${subscription.id}` }
    },
    /** Lets the sender send waiting deliveries until the receiver has this many requests. */
    deliverUntil: async (count: number): Promise<void> => {
      sender ??= startSender(world.service.deps)
      sender.notify()
      await waitForValue(
        async () => receiver.requests.length,
        (length) => length >= count,
      )
    },
    /**
     * Waits until no delivery to this test's receiver is pending, which means that its responses are saved. Ignores other
     * receivers: a delivery of an earlier test may have been interrupted and stays pending.
     */
    waitUntilSettled: () =>
      waitForValue(
        () =>
          world.database.db
            .selectFrom('webhook_delivery')
            .select('id')
            .where('status', '=', 'pending')
            .where('target_host', '=', new URL(receiver.url()).host)
            .execute(),
        (rows) => rows.length === 0,
      ),
    /** Marks the pending deliveries of a subscription as exhausted. With null, marks those to callback URLs. */
    exhaustDeliveries: (subscriptionId: number | null) =>
      world.database.db
        .updateTable('webhook_delivery')
        .set({ status: 'exhausted', next_attempt_at: null })
        .where('subscription_id', subscriptionId === null ? 'is' : '=', subscriptionId)
        .where('status', '=', 'pending')
        .execute(),
    /** Returns the event in a received request. Throws if it wasn't signed with the secret. */
    verified: (secret: string, index: number) => {
      const { headers, body } = receiver.requests[index] ?? { headers: {}, body: '' }
      return CallCompletedEvent.parse(new Webhook(secret).verify(body, headers as Record<string, string>))
    },
  }
}
