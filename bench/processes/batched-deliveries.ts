import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { parseConfig } from '../../backend/config.ts'
import { dayMs } from '../../backend/core/durations.ts'
import { createLog } from '../../backend/log.ts'
import { openDeps } from '../../backend/open-deps.ts'
import { signWebhook, toSigningKey } from '../../backend/outbound/sign-webhook.ts'
import { type LeasedDelivery, leaseDeliveries } from '../../backend/webhooks/delivery-store.ts'
import { recordDeliveryAttempts } from '../../backend/webhooks/shared-attempt-store.ts'
import { newTurns } from '../../backend/webhooks/turns.ts'
import { repeat, serve } from './serve.ts'

/**
 * What deliveries need at least: the service's statements, always with full batches, and in between signing and posting
 * with a bare `undici`. BENCH_DOES leaves out one of both: `statements` posts nothing, and `posts` has no database.
 */
const { BENCH_RECEIVER = '', BENCH_BODY = '', BENCH_DOES } = process.env
const batchSize = 64

const open = new Pool(BENCH_RECEIVER, { connections: 16 })
const key = toSigningKey(`whsec_${Buffer.alloc(24, 7).toString('base64')}`)

async function post({ eventId, body }: Pick<LeasedDelivery, 'eventId' | 'body'>): Promise<void> {
  const signature = signWebhook({ id: eventId, at: new Date(), body, keys: [key] })
  const headers = { 'content-type': 'application/json', ...signature }
  const response = await open.request({ method: 'POST', path: '/', headers, body })
  await response.body.dump()
}

async function createWork(): Promise<() => Promise<number>> {
  const event = { eventId: randomUUID(), body: BENCH_BODY }
  if (BENCH_DOES === 'posts') {
    return async () => {
      await Promise.all(Array.from({ length: batchSize }, () => post(event)))
      return batchSize
    }
  }

  const config = parseConfig({ ...process.env, ROLE: 'api' })
  const { deps } = await openDeps({ config, log: await createLog('silent'), purpose: 'command' })
  const worker = { workerId: randomUUID(), leaseSeconds: 30, turns: newTurns() }
  const limits = { capacity: batchSize, perHost: batchSize, activeByHost: new Map() }
  return async () => {
    // The deliveries aren't due, so that the service leaves them to this process.
    const now = new Date(Date.now() + 2 * dayMs)
    const leased = await leaseDeliveries(deps.db, { ...worker, ...limits, now })
    if (BENCH_DOES !== 'statements') await Promise.all(leased.map(post))
    const results = leased.map((lease) => ({
      lease,
      attempt: { at: new Date(), durationMs: 1, statusCode: 204, error: null },
      state: { status: 'delivered' } as const,
      onlyIf: 'not_failing' as const,
    }))
    await recordDeliveryAttempts(deps.db, results, new Date(0))
    return leased.length
  }
}

const work = await createWork()
// Two at a time, so that this process and PostgreSQL both have work.
serve({ work: (seconds) => repeat(seconds, 2, work), stop: () => open.close() })
