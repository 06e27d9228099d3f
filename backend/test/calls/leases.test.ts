import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import pino from 'pino'
import { markAnswered } from '../../calls/attempt-store.ts'
import { type ClaimedAttempt, claimCalls } from '../../calls/claim.ts'
import { type DialerOptions, startDialer } from '../../calls/dialer.ts'
import { finishAttempt, silentEnd } from '../../calls/finish.ts'
import type { LineEnd } from '../../calls/lines/line.ts'
import { keepLeases } from '../../calls/leases.ts'
import { placeCall } from '../../calls/place.ts'
import { takeOverLostAttempts } from '../../calls/sweep-store.ts'
import { startSweeper } from '../../calls/sweeper.ts'
import { connect } from '../../db/connect.ts'
import type { Worker } from '../../worker.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { testDeps, type TestDeps } from '../support/deps.ts'
import { type Seed, seedCampaign, seedWorkspace } from '../support/seed.ts'
import { aLine, forever, shortTalk } from './lines.ts'
import { attemptsOf, callOf, callUntil, completed, eventsOf, freshNumber, queue, until } from './support.ts'

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
const dial = (options: Partial<DialerOptions> = {}, using: TestDeps = deps) => {
  const line = aLine()
  const dialer = startDialer(using, { lines: { real: line, test: line }, ...options })
  workers.push(dialer)
  return dialer
}
/** A worker that claims and is never heard of again. */
const claimAndDie = async (leaseMs: number): Promise<ClaimedAttempt> => {
  const [attempt] = await claimCalls(deps, { line: 'simulated', workerId: crypto.randomUUID(), leaseMs })(1)
  if (attempt === undefined) throw new Error('there was nothing to claim')
  return attempt
}
const takenOver = (attempt: ClaimedAttempt) =>
  until(async () => (await attemptsOf(deps, attempt.request.callId))[0]?.ended_at)

it('ends the attempt of a worker that died as failed, tells it once, and rings nobody again', async () => {
  const retry = { max_attempts: 5, delay_minutes: 1, on: ['failed' as const] }
  const campaignId = await seedCampaign(deps, { ...seed, retry, maxConcurrentCalls: 1 })
  const { id } = await queue(deps, seed, freshNumber(), { campaign_id: campaignId })
  await claimAndDie(0)
  sweep()
  const call = await completed(deps, seed, id)
  expect(call).toMatchObject({ outcome: 'failed', ended_reason: 'worker_lost', attempts: 1 })
  expect(await eventsOf(deps, id)).toHaveLength(1)
  expect(await attemptsOf(deps, id)).toHaveLength(1)
})

it('tells of a talk whose worker died when it was answered', async () => {
  const { id } = await queue(deps, seed, freshNumber())
  await markAnswered(deps.db, await claimAndDie(0), deps.clock.now())
  const talking = await callOf(deps, seed, id)
  deps.clock.advance(60_000)
  sweep()
  const call = await completed(deps, seed, id)
  expect(call).toMatchObject({ ended_reason: 'worker_lost', answered_at: talking.answered_at })
  expect(talking.answered_at).not.toBeNull()
})

it('leaves an attempt alone whose lease runs', async () => {
  const { id } = await queue(deps, seed, freshNumber())
  await claimAndDie(60_000)
  const other = await queue(deps, seed, freshNumber())
  await claimAndDie(0)
  sweep()
  await completed(deps, seed, other.id)
  expect((await callOf(deps, seed, id)).status).toBe('dialing')
})

it('refuses what a worker writes after its attempt was taken over', async () => {
  const { id } = await queue(deps, seed, freshNumber())
  const attempt = await claimAndDie(0)
  sweep()
  await takenOver(attempt)
  expect(await markAnswered(deps.db, attempt, deps.clock.now())).toBe(false)
  expect(await finishAttempt(deps)(attempt, silentEnd('busy', 'line_busy'))).toBe('refused')
  expect(await callOf(deps, seed, id)).toMatchObject({ outcome: 'failed', ended_reason: 'worker_lost' })
  expect(await eventsOf(deps, id)).toHaveLength(1)
})

it('refuses a worker by its fence while the one who took over has not ended the attempt yet', async () => {
  const { id } = await queue(deps, seed, freshNumber())
  const attempt = await claimAndDie(0)
  const sweeper = { workerId: crypto.randomUUID(), lines: ['simulated'] }
  const [taken] = await until(async () => {
    const lost = await takeOverLostAttempts(deps.db, sweeper)
    return lost.length > 0 && lost
  })
  expect(taken).toMatchObject({ id: attempt.id, fence: attempt.fence + 1 })
  expect(await markAnswered(deps.db, attempt, deps.clock.now())).toBe(false)
  expect(await finishAttempt(deps)(attempt, silentEnd('busy', 'line_busy'))).toBe('refused')
  expect((await callOf(deps, seed, id)).status).toBe('dialing')
  if (taken !== undefined) await finishAttempt(deps)(taken, silentEnd('failed', 'worker_lost'))
  expect((await callOf(deps, seed, id)).ended_reason).toBe('worker_lost')
})

it('refuses a second end of the same attempt', async () => {
  const { id } = await queue(deps, seed, freshNumber())
  const attempt = await claimAndDie(60_000)
  const ends = [silentEnd('busy', 'line_busy'), silentEnd('declined', 'contact_declined')]
  const finished = await Promise.all(ends.map((end) => finishAttempt(deps)(attempt, end)))
  expect(finished.sort()).toEqual(['completed', 'refused'])
  expect(await eventsOf(deps, id)).toHaveLength(1)
})

it('keeps a long call by its heartbeat', async () => {
  const { id } = await queue(deps, seed, freshNumber())
  dial({ leaseMs: 400, heartbeatMs: 40 })
  await callUntil(deps, seed, id, (call) => call.status === 'in_progress', 0)
  const [first] = await attemptsOf(deps, id)
  // Renewed well past the first lease: the sweeper finds nothing to take.
  await until(async () => {
    const [now] = await attemptsOf(deps, id)
    return now && first && now.lease_until.getTime() > first.lease_until.getTime() + 500
  })
  sweep()
  expect((await callOf(deps, seed, id)).status).toBe('in_progress')
})

it('hangs up before its lease runs out when the database is gone', async () => {
  const { id } = await queue(deps, seed, freshNumber())
  const apart = testDeps(connect({ url: database.url, max: 4 }), { clock: deps.clock })
  const hungUp = Promise.withResolvers<boolean>()
  const line = aLine({
    dial: (_, { signal, onAnswer }) => {
      onAnswer()
      signal.addEventListener('abort', () => hungUp.resolve(leaseStillRuns(id)))
      return forever()
    },
  })
  dial({ leaseMs: 1_200, heartbeatMs: 50, lines: { real: line, test: line } }, apart)
  await callUntil(deps, seed, id, (call) => call.status === 'in_progress', 0)
  await apart.db.destroy()
  expect(await hungUp.promise).toBe(true)
  sweep()
  expect(await completed(deps, seed, id)).toMatchObject({ ended_reason: 'worker_lost' })
})

const leaseStillRuns = async (callId: number): Promise<boolean> => {
  const running = await deps.db
    .selectFrom('attempt')
    .select('id')
    .where('call_id', '=', callId)
    .where('lease_until', '>', sql<Date>`clock_timestamp()`)
    .execute()
  return running.length > 0
}

it('hangs up when somebody else holds the attempt', async () => {
  const { id } = await queue(deps, seed, freshNumber())
  const hungUp = Promise.withResolvers<void>()
  const line = aLine({
    dial: (_, { signal, onAnswer }) => {
      onAnswer()
      signal.addEventListener('abort', () => hungUp.resolve())
      return forever()
    },
  })
  dial({ leaseMs: 60_000, heartbeatMs: 20, lines: { real: line, test: line } })
  await callUntil(deps, seed, id, (call) => call.status === 'in_progress', 0)
  await deps.db
    .updateTable('attempt')
    .set({ worker_id: crypto.randomUUID(), fence: 2 })
    .where('call_id', '=', id)
    .execute()
  await hungUp.promise
  expect((await callOf(deps, seed, id)).status).toBe('in_progress')
})

it('ends the calls under way when it is stopped, and tells of them', async () => {
  const { id } = await queue(deps, seed, freshNumber())
  const dialer = dial()
  await callUntil(deps, seed, id, (call) => call.status === 'in_progress', 0)
  await dialer.stop()
  expect(await callOf(deps, seed, id)).toMatchObject({ outcome: 'failed', ended_reason: 'worker_lost' })
  expect(await eventsOf(deps, id)).toHaveLength(1)
})

it('rings nobody with a lease that ran out since it was claimed', async () => {
  const { id } = await queue(deps, seed, freshNumber())
  const attempt = { ...(await claimAndDie(100)), leasedAt: performance.now() - 100 }
  const leases = keepLeases(
    { leaseMs: 100, heartbeatMs: 60_000 },
    async () => [],
    () => {},
  )
  let asked = false
  const line = aLine({
    dial: () => {
      asked = true
      return forever()
    },
  })
  await placeCall(deps, { real: line, test: line }, leases, () => {})(attempt, new AbortController().signal)
  leases.stop()
  expect(asked).toBe(false)
  expect((await callOf(deps, seed, id)).status).toBe('dialing')
})

it('keeps what the line told while it cannot be written, and writes it as soon as it can', async () => {
  const { id } = await queue(deps, seed, freshNumber())
  const errors: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void errors.push(line) })
  const hungUp = Promise.withResolvers<LineEnd>()
  const line = aLine({ dial: () => hungUp.promise })
  dial({ lines: { real: line, test: line } }, { ...deps, log })
  await callUntil(deps, seed, id, (call) => call.status === 'dialing', 0)
  await sql`alter table event rename to event_away`.execute(deps.db)
  hungUp.resolve({ outcome: 'busy' })
  await until(async () => errors.length > 0)
  await sql`alter table event_away rename to event`.execute(deps.db)
  expect(await completed(deps, seed, id)).toMatchObject({ outcome: 'busy', ended_reason: 'line_busy' })
  expect(await eventsOf(deps, id)).toHaveLength(1)
  expect(errors.join()).not.toContain(JSON.stringify((await callOf(deps, seed, id)).to_number))
})

it('has committed the attempt before the line is asked', async () => {
  const { id } = await queue(deps, seed, freshNumber())
  const seen = Promise.withResolvers<unknown>()
  const line = aLine({
    dial: async (request, talk) => {
      const attempt = deps.db.selectFrom('attempt').select(['call_id', 'ended_at'])
      seen.resolve(await attempt.where('id', '=', request.attemptId).executeTakeFirst())
      return shortTalk(request, talk)
    },
  })
  dial({ lines: { real: line, test: line } })
  expect(await seen.promise).toEqual({ call_id: id, ended_at: null })
  await completed(deps, seed, id)
})

it('frees the slot at the hang-up: the next call of the campaign follows at once', async () => {
  const campaignId = await seedCampaign(deps, { ...seed, maxConcurrentCalls: 1 })
  const first = await queue(deps, seed, freshNumber(), { campaign_id: campaignId })
  const second = await queue(deps, seed, freshNumber(), { campaign_id: campaignId })
  const line = aLine({ dial: shortTalk, analyse: forever })
  // Its clock stands still: no look at the table but the one that the hang-up asks for.
  dial({ lines: { real: line, test: line } })
  for (const { id } of [first, second])
    await callUntil(deps, seed, id, (call) => call.status === 'completed', 0)
})
