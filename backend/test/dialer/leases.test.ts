import { describe, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import pino from 'pino'
import { findLostAttempts, takeOverLostAttempts } from '../../calling/dialer/attempt-lease-store.ts'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { markAnswered } from '../../calling/dialer/attempt-store.ts'
import { createAttemptWriter } from '../../calling/dialer/attempt-writer.ts'
import { type ClaimedAttempt } from '../../calling/dialer/claim-calls.ts'
import { type DialerOptions, startDialer } from '../../calling/dialer/dialer.ts'
import { finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { startLeaseRenewal } from '../../calling/dialer/leases.ts'
import { runAttempt } from '../../calling/dialer/run-attempt.ts'
import { startSweeper } from '../../calling/dialer/sweeper.ts'
import type { ProviderResult } from '../../calling/telephony/provider.ts'
import { connect } from '../../platform/db/connect.ts'
import {
  advanceUntil,
  advanceUntilCompleted,
  getCall,
  listAttempts,
  listEvents,
  seedCall,
} from '../support/calls.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { asSuperuser, doNotCallKey } from '../support/database.ts'
import { createDatabaseProxy } from '../support/database-proxy.ts'
import { type TestDeps, testDeps } from '../support/deps.ts'
import { freshNumber, seedCampaign } from '../support/factories.ts'
import { createTestProvider, neverSettle, shortConversation } from '../support/telephony-provider.ts'
import { waitFor } from '../support/wait.ts'
import { useCallsWorld } from '../support/world.ts'

/** Blocks the thread, as a long calculation does. */
const sleepSync = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

const world = useCallsWorld()

const sweep = () => world.workers.push(startSweeper(world.deps))
const dial = (options: Partial<DialerOptions> = {}, dialDeps: TestDeps = world.deps) => {
  const provider = createTestProvider()
  const dialer = startDialer(dialDeps, { providers: { real: provider, test: provider }, ...options })
  world.workers.push(dialer)
  return dialer
}
/** Claims a call as a worker that then stops without ending the attempt. */
const claimAsLostWorker = async (leaseMs: number): Promise<ClaimedAttempt> => {
  const [attempt] = await claimAndSettle(
    world.deps,
    { provider: 'simulated', workerId: crypto.randomUUID(), leaseMs },
    1,
  )
  if (attempt === undefined) throw new Error('there was nothing to claim')
  return attempt
}
const takeOver = (attempt: ClaimedAttempt) =>
  waitFor(async () => (await listAttempts(world.deps, attempt.request.callId))[0]?.ended_at)

describe('when a worker is lost', () => {
  it("ends the worker's attempt as failed, publishes one event, and does not dial again", async () => {
    const retry = { max_attempts: 5, delay_minutes: 1, on: ['failed' as const] }
    const campaignId = await seedCampaign(world.deps, { ...world.seed, retry, maxConcurrentCalls: 1 })
    const { id } = await seedCall(world.deps, world.seed, freshNumber(), { campaign_id: campaignId })
    await claimAsLostWorker(0)
    sweep()
    const call = await advanceUntilCompleted(world.deps, world.seed, id)
    expect(call).toMatchObject({ outcome: 'failed', ended_reason: 'worker_lost', attempts: 1 })
    expect(await listEvents(world.deps, id)).toHaveLength(1)
    expect(await listAttempts(world.deps, id)).toHaveLength(1)
  })

  it("keeps the time at which the worker's call was answered", async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    const answered = await claimAsLostWorker(0)
    await markAnswered(world.deps.db, answered.workspaceId, [{ ...answered, at: world.deps.clock.now() }])
    const inProgress = await getCall(world.deps, world.seed, id)
    world.deps.clock.advance(60_000)
    sweep()
    const call = await advanceUntilCompleted(world.deps, world.seed, id)
    expect(call).toMatchObject({ ended_reason: 'worker_lost', answered_at: inProgress.answered_at })
    expect(inProgress.answered_at).not.toBeNull()
  })

  it('does not end an attempt whose lease is still valid', async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    await claimAsLostWorker(60_000)
    const other = await seedCall(world.deps, world.seed, freshNumber())
    await claimAsLostWorker(0)
    sweep()
    await advanceUntilCompleted(world.deps, world.seed, other.id)
    expect((await getCall(world.deps, world.seed, id)).status).toBe('dialing')
  })

  it('ends lost attempts as soon as the database accepts the change, even if saving it has failed several times', async () => {
    const calls = [await seedCall(world.deps, world.seed, freshNumber())]
    await claimAsLostWorker(0)
    calls.push(await seedCall(world.deps, world.seed, freshNumber()))
    await claimAsLostWorker(0)
    const errors: string[] = []
    const log = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) })
    await asSuperuser(world.deps.db, (db) => sql`alter table event rename to event_away`.execute(db))
    const failing = startSweeper({ ...world.deps, log })
    await waitFor(async () => errors.length >= 2)
    await failing.stop()
    await asSuperuser(world.deps.db, (db) => sql`alter table event_away rename to event`.execute(db))
    sweep()
    for (const { id } of calls)
      expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
        ended_reason: 'worker_lost',
        attempts: 1,
      })
  })

  it('ends a lost attempt while a frozen process has locked another lost attempt', async () => {
    const locked = await seedCall(world.deps, world.seed, freshNumber())
    const { id: lockedAttemptId } = await claimAsLostWorker(0)
    const other = await seedCall(world.deps, world.seed, freshNumber())
    await claimAsLostWorker(0)
    await world.deps.db.transaction().execute(async (frozen) => {
      await frozen
        .selectFrom('call_attempt')
        .select('id')
        .where('id', '=', lockedAttemptId)
        .forNoKeyUpdate()
        .execute()
      sweep()
      await advanceUntilCompleted(world.deps, world.seed, other.id)
      expect((await getCall(world.deps, world.seed, locked.id)).status).toBe('dialing')
    })
    await advanceUntilCompleted(world.deps, world.seed, locked.id)
    expect(await listEvents(world.deps, locked.id)).toHaveLength(1)
  })

  it('does not end a lost attempt if its lease is renewed before the attempt is ended', async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    const attempt = await claimAsLostWorker(0)
    const [found] = await waitFor(async () => {
      const lost = await findLostAttempts(world.deps.db, { lostForSeconds: 0 })
      return lost.length > 0 && lost
    })
    await world.deps.db
      .updateTable('call_attempt')
      .set({ lease_until: sql<Date>`clock_timestamp() + interval '1 minute'` })
      .where('id', '=', attempt.id)
      .execute()
    if (found === undefined) throw new Error('no lost attempt was found')
    expect(await finishAttempt(world.deps, found, emptyResult('failed', 'worker_lost'))).toBe('stale')
    expect((await getCall(world.deps, world.seed, id)).status).toBe('dialing')
  })

  it("ignores the lost worker's writes after another worker took over and ended the attempt", async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    const attempt = await claimAsLostWorker(0)
    sweep()
    await takeOver(attempt)
    expect(
      await markAnswered(world.deps.db, attempt.workspaceId, [{ ...attempt, at: world.deps.clock.now() }]),
    ).toEqual([false])
    expect(await finishAttempt(world.deps, attempt, emptyResult('busy', 'line_busy'))).toBe('stale')
    expect(await getCall(world.deps, world.seed, id)).toMatchObject({
      outcome: 'failed',
      ended_reason: 'worker_lost',
    })
    expect(await listEvents(world.deps, id)).toHaveLength(1)
  })

  it("ignores the lost worker's writes while another worker has taken over the attempt and not yet ended it", async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    const attempt = await claimAsLostWorker(0)
    const lease = { workerId: crypto.randomUUID(), provider: 'simulated', leaseMs: 60_000, limit: 1 }
    const [taken] = await waitFor(async () => {
      const lost = await takeOverLostAttempts(world.deps.db, lease)
      return lost.length > 0 && lost
    })
    expect(taken).toMatchObject({ id: attempt.id, fence: attempt.fence + 1 })
    expect(
      await markAnswered(world.deps.db, attempt.workspaceId, [{ ...attempt, at: world.deps.clock.now() }]),
    ).toEqual([false])
    expect(await finishAttempt(world.deps, attempt, emptyResult('busy', 'line_busy'))).toBe('stale')
    expect((await getCall(world.deps, world.seed, id)).status).toBe('dialing')
    if (taken !== undefined) await finishAttempt(world.deps, taken, emptyResult('failed', 'worker_lost'))
    expect((await getCall(world.deps, world.seed, id)).ended_reason).toBe('worker_lost')
  })

  it('ends an attempt only once, even if two of its results are saved at the same time', async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    const attempt = await claimAsLostWorker(60_000)
    const ends = [emptyResult('busy', 'line_busy'), emptyResult('declined', 'contact_declined')]
    const finished = await Promise.all(ends.map((end) => finishAttempt(world.deps, attempt, end)))
    expect(finished.sort()).toEqual(['completed', 'stale'])
    expect(await listEvents(world.deps, id)).toHaveLength(1)
  })
})

describe('a worker with leases', () => {
  it('renews the lease of a long call with each heartbeat', async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    dial({ leaseMs: 5_000, heartbeatMs: 40 })
    await advanceUntil(world.deps, world.seed, id, (call) => call.status === 'in_progress', 0)
    const [first] = await listAttempts(world.deps, id)
    // The heartbeat renews the lease, so the sweeper finds nothing to take over.
    await waitFor(async () => {
      const [now] = await listAttempts(world.deps, id)
      return now && first && now.lease_until.getTime() > first.lease_until.getTime() + 500
    })
    sweep()
    expect((await getCall(world.deps, world.seed, id)).status).toBe('in_progress')
  })

  it('if the database is unreachable, hangs up before its lease expires', async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    const proxy = await createDatabaseProxy(world.database.url)
    const otherDeps = testDeps(connect({ url: proxy.url, max: 4, doNotCallKey }), {
      clock: world.deps.clock,
    })
    const hungUp = Promise.withResolvers<boolean>()
    const provider = createTestProvider({
      dial: (_, { signal, onAnswer }) => {
        onAnswer()
        signal.addEventListener('abort', () => hungUp.resolve(leaseStillRuns(id)))
        return neverSettle()
      },
    })
    dial({ leaseMs: 1_200, heartbeatMs: 50, providers: { real: provider, test: provider } }, otherDeps)
    await advanceUntil(world.deps, world.seed, id, (call) => call.status === 'in_progress', 0)
    await Promise.all([proxy.disconnect(), otherDeps.db.destroy()])
    expect(await hungUp.promise).toBe(true)
    sweep()
    expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
      ended_reason: 'worker_lost',
    })
  })

  const leaseStillRuns = async (callId: number): Promise<boolean> => {
    const running = await world.deps.db
      .selectFrom('call_attempt')
      .select('id')
      .where('call_id', '=', callId)
      .where('lease_until', '>', sql<Date>`clock_timestamp()`)
      .execute()
    return running.length > 0
  }

  it('renews leases while the main thread is busy for longer than a lease', async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    const provider = createTestProvider({ dial: (_, { onAnswer }) => (onAnswer(), neverSettle()) })
    dial({ leaseMs: 3_000, heartbeatMs: 100, providers: { real: provider, test: provider } })
    await advanceUntil(world.deps, world.seed, id, (call) => call.status === 'in_progress', 0)
    sleepSync(3_500)
    sweep()
    await advanceUntil(world.deps, world.seed, id, () => true)
    expect(await leaseStillRuns(id)).toBe(true)
    expect((await getCall(world.deps, world.seed, id)).status).toBe('in_progress')
  })

  it('hangs up when another worker has taken over the attempt', async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    const hungUp = Promise.withResolvers<void>()
    const provider = createTestProvider({
      dial: (_, { signal, onAnswer }) => {
        onAnswer()
        signal.addEventListener('abort', () => hungUp.resolve())
        return neverSettle()
      },
    })
    dial({ leaseMs: 60_000, heartbeatMs: 20, providers: { real: provider, test: provider } })
    await advanceUntil(world.deps, world.seed, id, (call) => call.status === 'in_progress', 0)
    await world.deps.db
      .updateTable('call_attempt')
      .set({ worker_id: crypto.randomUUID(), fence: 2 })
      .where('call_id', '=', id)
      .execute()
    await hungUp.promise
    expect((await getCall(world.deps, world.seed, id)).status).toBe('in_progress')
  })

  it('does not dial if the lease has expired since the claim', async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    const attempt = { ...(await claimAsLostWorker(100)), leaseStartedMs: performance.now() - 100 }
    const times = { leaseMs: 100, heartbeatMs: 60_000 }
    const leases = startLeaseRenewal(world.deps, { ...times, workerId: crypto.randomUUID() }, () => {})
    let isDialed = false
    const provider = createTestProvider({
      dial: () => {
        isDialed = true
        return neverSettle()
      },
    })
    await runAttempt(
      world.deps,
      {
        providers: { real: provider, test: provider },
        leases,
        writer: createAttemptWriter(world.deps, () => {}),
        onError: () => {},
      },
      attempt,
      new AbortController().signal,
    )
    await leases.stop()
    expect(isDialed).toBe(false)
    expect((await getCall(world.deps, world.seed, id)).status).toBe('dialing')
  })
})

describe('a running worker', () => {
  it('ends calls in progress and publishes their events when it is stopped', async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    const dialer = dial()
    await advanceUntil(world.deps, world.seed, id, (call) => call.status === 'in_progress', 0)
    await dialer.stop()
    expect(await getCall(world.deps, world.seed, id)).toMatchObject({
      outcome: 'failed',
      ended_reason: 'worker_lost',
    })
    expect(await listEvents(world.deps, id)).toHaveLength(1)
  })

  it("keeps the provider's result while the database rejects it, and saves it as soon as the database accepts it", async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    const errors: string[] = []
    const log = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) })
    const hungUp = Promise.withResolvers<ProviderResult>()
    const provider = createTestProvider({ dial: () => hungUp.promise })
    dial({ providers: { real: provider, test: provider } }, { ...world.deps, log })
    await advanceUntil(world.deps, world.seed, id, (call) => call.status === 'dialing', 0)
    await asSuperuser(world.deps.db, (db) => sql`alter table event rename to event_away`.execute(db))
    hungUp.resolve({ outcome: 'busy' })
    await waitFor(async () => errors.length > 0)
    await asSuperuser(world.deps.db, (db) => sql`alter table event_away rename to event`.execute(db))
    expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
      outcome: 'busy',
      ended_reason: 'line_busy',
    })
    expect(await listEvents(world.deps, id)).toHaveLength(1)
    expect(errors.join()).not.toContain(JSON.stringify((await getCall(world.deps, world.seed, id)).to_number))
  })

  it('commits the attempt before it asks the provider to dial', async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    const seen = Promise.withResolvers<unknown>()
    const provider = createTestProvider({
      dial: async (request, listener) => {
        const attempt = world.deps.db.selectFrom('call_attempt').select(['call_id', 'ended_at'])
        seen.resolve(await attempt.where('id', '=', request.attemptId).executeTakeFirst())
        return shortConversation(request, listener)
      },
    })
    dial({ providers: { real: provider, test: provider } })
    expect(await seen.promise).toEqual({ call_id: id, ended_at: null })
    await advanceUntilCompleted(world.deps, world.seed, id)
  })

  it("frees capacity at the hang-up, so the campaign's next call starts without waiting for the analysis", async () => {
    const campaignId = await seedCampaign(world.deps, { ...world.seed, maxConcurrentCalls: 1 })
    const first = await seedCall(world.deps, world.seed, freshNumber(), { campaign_id: campaignId })
    const second = await seedCall(world.deps, world.seed, freshNumber(), { campaign_id: campaignId })
    const provider = createTestProvider({ dial: shortConversation, analyze: neverSettle })
    // The clock doesn't advance, so the dialer looks for calls only when the hang-up notifies it.
    dial({ providers: { real: provider, test: provider } })
    for (const { id } of [first, second])
      await advanceUntil(world.deps, world.seed, id, (call) => call.status === 'completed', 0)
  })
})
