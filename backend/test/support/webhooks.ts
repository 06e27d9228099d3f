import { afterEach, beforeEach } from '@jest/globals'
import type { Worker } from '../../core/worker.ts'
import { ManualClock } from './clock.ts'
import { HttpReceiver } from './http-receiver.ts'
import { useWorld, type World } from './world.ts'

export interface WebhooksWorld extends World {
  /** Receives the deliveries. */
  readonly receiver: HttpReceiver
  /** Stopped after each test. */
  readonly workers: Worker[]
}

/** Gives every test a new workspace, a receiver, and no delivery of an earlier test. */
export function useWebhooksWorld(): WebhooksWorld {
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
  return {
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
}
