import { afterEach, beforeEach } from '@jest/globals'
import type { Worker } from '../../core/worker.ts'
import { type SenderOptions, startSender } from '../../webhooks/sender.ts'
import { subscribe } from '../../webhooks/subscriptions.ts'
import { ManualClock } from './clock.ts'
import { seedApiKeyCaller } from './factories.ts'
import { HttpReceiver } from './http-receiver.ts'
import { waitForValue } from './wait.ts'
import { useWorld, type World } from './world.ts'

interface WebhooksWorld extends World {
  /** Receives the deliveries. */
  readonly receiver: HttpReceiver
  /** Stopped after each test. */
  readonly workers: Worker[]
}

/** Gives every test a new workspace, a receiver, and no delivery of an earlier test. */
export function useWebhooksWorld() {
  // Real time, because an independent verifier checks the timestamp; no jitter, so that the schedule is known.
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
  /** Waits until this many delivery attempts are recorded in all. */
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
    /** Returns the only delivery once this many attempts are recorded. */
    deliveryAfter: async (count: number) => {
      await waitForAttempts(count)
      const [delivery] = await listDeliveries()
      if (delivery === undefined) throw new Error('there is no delivery')
      return delivery
    },
    advanceTo: (at: Date | null): void => {
      if (at === null) throw new Error('no further try is due')
      world.deps.clock.advance(at.getTime() - world.deps.clock.now().getTime())
      for (const worker of world.workers) worker.notify()
    },
  }
}
