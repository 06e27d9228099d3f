import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import pino from 'pino'
import type { Worker } from '../../core/worker.ts'
import { connect } from '../../db/connect.ts'
import { takeOverLostAttempts } from '../../dialer/attempt-lease-store.ts'
import { emptyResult } from '../../dialer/attempt-result.ts'
import { markAnswered } from '../../dialer/attempt-store.ts'
import { claimCalls, type ClaimedAttempt } from '../../dialer/claim-calls.ts'
import { type DialerOptions, startDialer } from '../../dialer/dialer.ts'
import { finishAttempt } from '../../dialer/finish-attempt.ts'
import { startLeaseRenewal } from '../../dialer/leases.ts'
import { runAttempt } from '../../dialer/run-attempt.ts'
import { startSweeper } from '../../dialer/sweeper.ts'
import type { ProviderResult } from '../../telephony/provider.ts'
import {
  advanceUntil,
  advanceUntilCompleted,
  getCall,
  listAttempts,
  listEvents,
  seedCall,
} from '../support/calls.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type TestDeps, testDeps } from '../support/deps.ts'
import { freshNumber, type Seed, seedCampaign, seedWorkspace } from '../support/factories.ts'
import { createTestProvider, neverSettle, shortConversation } from '../support/telephony-provider.ts'
import { waitFor } from '../support/wait.ts'

let database: TestDatabase
let deps: TestDeps
let seed: Seed
let workers: Pick<Worker, 'stop'>[]
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  // What another test left waiting must not be called by this one.
  await database.db.updateTable('campaign').set({ status: 'archived' }).execute()
  deps = testDeps(database.db)
  seed = await seedWorkspace(deps)
  workers = []
})
afterEach(() => Promise.all(workers.map((worker) => worker.stop())))

const sweep = () => workers.push(startSweeper(deps))
const dial = (options: Partial<DialerOptions> = {}, dialDeps: TestDeps = deps) => {
  const provider = createTestProvider()
  const dialer = startDialer(dialDeps, { providers: { real: provider, test: provider }, ...options })
  workers.push(dialer)
  return dialer
}
/** A worker that claims and is never heard of again. */
const claimAsLostWorker = async (leaseMs: number): Promise<ClaimedAttempt> => {
  const [attempt] = await claimCalls(
    deps,
    { provider: 'simulated', workerId: crypto.randomUUID(), leaseMs },
    1,
  )
  if (attempt === undefined) throw new Error('there was nothing to claim')
  return attempt
}
const takeOver = (attempt: ClaimedAttempt) =>
  waitFor(async () => (await listAttempts(deps, attempt.request.callId))[0]?.ended_at)

it('ends the attempt of a worker that died as failed, tells it once, and rings nobody again', async () => {
  const retry = { max_attempts: 5, delay_minutes: 1, on: ['failed' as const] }
  const campaignId = await seedCampaign(deps, { ...seed, retry, maxConcurrentCalls: 1 })
  const { id } = await seedCall(deps, seed, freshNumber(), { campaign_id: campaignId })
  await claimAsLostWorker(0)
  sweep()
  const call = await advanceUntilCompleted(deps, seed, id)
  expect(call).toMatchObject({ outcome: 'failed', ended_reason: 'worker_lost', attempts: 1 })
  expect(await listEvents(deps, id)).toHaveLength(1)
  expect(await listAttempts(deps, id)).toHaveLength(1)
})

it('tells of a talk whose worker died when it was answered', async () => {
  const { id } = await seedCall(deps, seed, freshNumber())
  await markAnswered(deps.db, await claimAsLostWorker(0), deps.clock.now())
  const inProgress = await getCall(deps, seed, id)
  deps.clock.advance(60_000)
  sweep()
  const call = await advanceUntilCompleted(deps, seed, id)
  expect(call).toMatchObject({ ended_reason: 'worker_lost', answered_at: inProgress.answered_at })
  expect(inProgress.answered_at).not.toBeNull()
})

it('leaves an attempt alone whose lease runs', async () => {
  const { id } = await seedCall(deps, seed, freshNumber())
  await claimAsLostWorker(60_000)
  const other = await seedCall(deps, seed, freshNumber())
  await claimAsLostWorker(0)
  sweep()
  await advanceUntilCompleted(deps, seed, other.id)
  expect((await getCall(deps, seed, id)).status).toBe('dialing')
})

it('refuses what a worker writes after its attempt was taken over', async () => {
  const { id } = await seedCall(deps, seed, freshNumber())
  const attempt = await claimAsLostWorker(0)
  sweep()
  await takeOver(attempt)
  expect(await markAnswered(deps.db, attempt, deps.clock.now())).toBe(false)
  expect(await finishAttempt(deps, attempt, emptyResult('busy', 'line_busy'))).toBe('stale')
  expect(await getCall(deps, seed, id)).toMatchObject({ outcome: 'failed', ended_reason: 'worker_lost' })
  expect(await listEvents(deps, id)).toHaveLength(1)
})

it('refuses a worker by its fence while the one who took over has not ended the attempt yet', async () => {
  const { id } = await seedCall(deps, seed, freshNumber())
  const attempt = await claimAsLostWorker(0)
  const sweeper = { workerId: crypto.randomUUID(), providers: ['simulated'] }
  const [taken] = await waitFor(async () => {
    const lost = await takeOverLostAttempts(deps.db, sweeper)
    return lost.length > 0 && lost
  })
  expect(taken).toMatchObject({ id: attempt.id, fence: attempt.fence + 1 })
  expect(await markAnswered(deps.db, attempt, deps.clock.now())).toBe(false)
  expect(await finishAttempt(deps, attempt, emptyResult('busy', 'line_busy'))).toBe('stale')
  expect((await getCall(deps, seed, id)).status).toBe('dialing')
  if (taken !== undefined) await finishAttempt(deps, taken, emptyResult('failed', 'worker_lost'))
  expect((await getCall(deps, seed, id)).ended_reason).toBe('worker_lost')
})

it('refuses a second end of the same attempt', async () => {
  const { id } = await seedCall(deps, seed, freshNumber())
  const attempt = await claimAsLostWorker(60_000)
  const ends = [emptyResult('busy', 'line_busy'), emptyResult('declined', 'contact_declined')]
  const finished = await Promise.all(ends.map((end) => finishAttempt(deps, attempt, end)))
  expect(finished.sort()).toEqual(['completed', 'stale'])
  expect(await listEvents(deps, id)).toHaveLength(1)
})

it('keeps a long call by its heartbeat', async () => {
  const { id } = await seedCall(deps, seed, freshNumber())
  dial({ leaseMs: 400, heartbeatMs: 40 })
  await advanceUntil(deps, seed, id, (call) => call.status === 'in_progress', 0)
  const [first] = await listAttempts(deps, id)
  // Renewed well past the first lease: the sweeper finds nothing to take.
  await waitFor(async () => {
    const [now] = await listAttempts(deps, id)
    return now && first && now.lease_until.getTime() > first.lease_until.getTime() + 500
  })
  sweep()
  expect((await getCall(deps, seed, id)).status).toBe('in_progress')
})

it('hangs up before its lease runs out when the database is gone', async () => {
  const { id } = await seedCall(deps, seed, freshNumber())
  const otherDeps = testDeps(connect({ url: database.url, max: 4 }), { clock: deps.clock })
  const hungUp = Promise.withResolvers<boolean>()
  const provider = createTestProvider({
    dial: (_, { signal, onAnswer }) => {
      onAnswer()
      signal.addEventListener('abort', () => hungUp.resolve(leaseStillRuns(id)))
      return neverSettle()
    },
  })
  dial({ leaseMs: 1_200, heartbeatMs: 50, providers: { real: provider, test: provider } }, otherDeps)
  await advanceUntil(deps, seed, id, (call) => call.status === 'in_progress', 0)
  await otherDeps.db.destroy()
  expect(await hungUp.promise).toBe(true)
  sweep()
  expect(await advanceUntilCompleted(deps, seed, id)).toMatchObject({ ended_reason: 'worker_lost' })
})

const leaseStillRuns = async (callId: number): Promise<boolean> => {
  const running = await deps.db
    .selectFrom('call_attempt')
    .select('id')
    .where('call_id', '=', callId)
    .where('lease_until', '>', sql<Date>`clock_timestamp()`)
    .execute()
  return running.length > 0
}

it('hangs up when somebody else holds the attempt', async () => {
  const { id } = await seedCall(deps, seed, freshNumber())
  const hungUp = Promise.withResolvers<void>()
  const provider = createTestProvider({
    dial: (_, { signal, onAnswer }) => {
      onAnswer()
      signal.addEventListener('abort', () => hungUp.resolve())
      return neverSettle()
    },
  })
  dial({ leaseMs: 60_000, heartbeatMs: 20, providers: { real: provider, test: provider } })
  await advanceUntil(deps, seed, id, (call) => call.status === 'in_progress', 0)
  await deps.db
    .updateTable('call_attempt')
    .set({ worker_id: crypto.randomUUID(), fence: 2 })
    .where('call_id', '=', id)
    .execute()
  await hungUp.promise
  expect((await getCall(deps, seed, id)).status).toBe('in_progress')
})

it('ends the calls under way when it is stopped, and tells of them', async () => {
  const { id } = await seedCall(deps, seed, freshNumber())
  const dialer = dial()
  await advanceUntil(deps, seed, id, (call) => call.status === 'in_progress', 0)
  await dialer.stop()
  expect(await getCall(deps, seed, id)).toMatchObject({ outcome: 'failed', ended_reason: 'worker_lost' })
  expect(await listEvents(deps, id)).toHaveLength(1)
})

it('rings nobody with a lease that ran out since it was claimed', async () => {
  const { id } = await seedCall(deps, seed, freshNumber())
  const attempt = { ...(await claimAsLostWorker(100)), leasedAt: performance.now() - 100 }
  const leases = startLeaseRenewal(
    { leaseMs: 100, heartbeatMs: 60_000 },
    async () => [],
    () => {},
  )
  let isDialed = false
  const provider = createTestProvider({
    dial: () => {
      isDialed = true
      return neverSettle()
    },
  })
  await runAttempt(
    deps,
    { providers: { real: provider, test: provider }, leases, onError: () => {} },
    attempt,
    new AbortController().signal,
  )
  leases.stop()
  expect(isDialed).toBe(false)
  expect((await getCall(deps, seed, id)).status).toBe('dialing')
})

it('keeps what the line told while it cannot be written, and writes it as soon as it can', async () => {
  const { id } = await seedCall(deps, seed, freshNumber())
  const errors: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) })
  const hungUp = Promise.withResolvers<ProviderResult>()
  const provider = createTestProvider({ dial: () => hungUp.promise })
  dial({ providers: { real: provider, test: provider } }, { ...deps, log })
  await advanceUntil(deps, seed, id, (call) => call.status === 'dialing', 0)
  await sql`alter table event rename to event_away`.execute(deps.db)
  hungUp.resolve({ outcome: 'busy' })
  await waitFor(async () => errors.length > 0)
  await sql`alter table event_away rename to event`.execute(deps.db)
  expect(await advanceUntilCompleted(deps, seed, id)).toMatchObject({
    outcome: 'busy',
    ended_reason: 'line_busy',
  })
  expect(await listEvents(deps, id)).toHaveLength(1)
  expect(errors.join()).not.toContain(JSON.stringify((await getCall(deps, seed, id)).to_number))
})

it('has committed the attempt before the line is asked', async () => {
  const { id } = await seedCall(deps, seed, freshNumber())
  const seen = Promise.withResolvers<unknown>()
  const provider = createTestProvider({
    dial: async (request, listener) => {
      const attempt = deps.db.selectFrom('call_attempt').select(['call_id', 'ended_at'])
      seen.resolve(await attempt.where('id', '=', request.attemptId).executeTakeFirst())
      return shortConversation(request, listener)
    },
  })
  dial({ providers: { real: provider, test: provider } })
  expect(await seen.promise).toEqual({ call_id: id, ended_at: null })
  await advanceUntilCompleted(deps, seed, id)
})

it('frees the slot at the hang-up: the next call of the campaign follows at once', async () => {
  const campaignId = await seedCampaign(deps, { ...seed, maxConcurrentCalls: 1 })
  const first = await seedCall(deps, seed, freshNumber(), { campaign_id: campaignId })
  const second = await seedCall(deps, seed, freshNumber(), { campaign_id: campaignId })
  const provider = createTestProvider({ dial: shortConversation, analyze: neverSettle })
  // Its clock stands still: no look at the table but the one that the hang-up asks for.
  dial({ providers: { real: provider, test: provider } })
  for (const { id } of [first, second])
    await advanceUntil(deps, seed, id, (call) => call.status === 'completed', 0)
})
