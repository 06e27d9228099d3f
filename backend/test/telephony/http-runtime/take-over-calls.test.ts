import { expect, it } from '@jest/globals'
import type { Call } from '@outdial/contract'
import { sql } from 'kysely'
import { startSweeper } from '../../../calling/dialer/sweeper.ts'
import { connect } from '../../../platform/db/connect.ts'
import {
  advanceUntil,
  advanceUntilCompleted,
  getCall,
  listAttempts,
  listEvents,
  seedCall,
} from '../../support/calls.ts'
import { doNotCallKey } from '../../support/database.ts'
import { createDatabaseProxy } from '../../support/database-proxy.ts'
import { testDeps } from '../../support/deps.ts'
import { freshNumber, seedCampaign } from '../../support/factories.ts'
import { useHttpRuntimeWorld } from '../../support/http-runtime.ts'
import { waitFor } from '../../support/wait.ts'

const world = useHttpRuntimeWorld()
const { answered, claimAsLostWorker, dial, ended, reportOnlyToRuntime, reportToBoth } = world
const { startRinging } = world

const isInProgress = (call: Call) => call.status === 'in_progress'

it('takes over a call when its worker loses the database connection, in the same attempt and without a second dial request', async () => {
  const proxy = await createDatabaseProxy(world.database.url)
  const otherDeps = testDeps(connect({ url: proxy.url, max: 4, doNotCallKey }), {
    clock: world.deps.clock,
    config: world.deps.config,
  })
  // A lease so long that it expires only when the test ends it, even on a slow machine.
  const { id, attemptId } = await startRinging({ leaseMs: 600_000 }, otherDeps)
  await reportToBoth(attemptId, answered(1))
  await advanceUntil(world.deps, world.seed, id, isInProgress)
  await Promise.all([proxy.disconnect(), otherDeps.db.destroy()])
  await sql`update call_attempt set lease_until = clock_timestamp() where id = ${attemptId}::uuid`.execute(
    world.deps.db,
  )
  dial()
  await waitFor(
    async () => (await listAttempts(world.deps, id))[0]?.fence === 2,
    () => world.deps.clock.advance(250),
  )
  await reportToBoth(attemptId, ended(2))
  const call = await advanceUntilCompleted(world.deps, world.seed, id)
  expect(call).toMatchObject({ outcome: 'answered', summary: 'Wants a visit.', attempts: 1 })
  expect(await listAttempts(world.deps, id)).toMatchObject([{ id: attemptId, fence: 2, outcome: 'answered' }])
  expect(world.runtime.dialRequests()).toHaveLength(1)
  expect(world.runtime.requestsWith('DELETE')).toEqual([])
  expect(await listEvents(world.deps, id)).toHaveLength(1)
})

it('leaves calls running when their worker stops, and lets the next worker take them over immediately', async () => {
  const { id, dialer, attemptId } = await startRinging({ leaseMs: 600_000 })
  await reportToBoth(attemptId, answered(1))
  await advanceUntil(world.deps, world.seed, id, isInProgress)
  await dialer.stop()
  expect(await getCall(world.deps, world.seed, id)).toMatchObject({ status: 'in_progress', outcome: null })
  reportOnlyToRuntime(attemptId, ended(2))
  dial()
  expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
    outcome: 'answered',
    attempts: 1,
  })
  expect(world.runtime.dialRequests()).toHaveLength(1)
  expect(world.runtime.requestsWith('DELETE')).toEqual([])
})

it('a stopping worker waits for its dial request, and the next worker then takes over the call without dialing again', async () => {
  const accepting = Promise.withResolvers<void>()
  world.runtime.readyToAccept = accepting.promise
  const { id, dialer, attemptId } = await startRinging({ leaseMs: 600_000 })
  const stopping = dialer.stop()
  dial()
  expect((await listAttempts(world.deps, id))[0]?.lease_until.getTime()).toBeGreaterThan(Date.now())
  accepting.resolve()
  await stopping
  await waitFor(
    async () => (await listAttempts(world.deps, id))[0]?.fence === 2,
    () => world.deps.clock.advance(250),
  )
  await reportToBoth(attemptId, ended(1))
  expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
    outcome: 'answered',
    attempts: 1,
  })
  expect(world.runtime.dialRequests()).toHaveLength(1)
})

it("asks the runtime about a lost worker's attempt, and if the runtime doesn't know it, dials again only if the campaign retries", async () => {
  const retry = { max_attempts: 2, delay_minutes: 1, on: ['failed' as const] }
  const campaignId = await seedCampaign(world.deps, { ...world.seed, retry })
  const retried = await seedCall(world.deps, world.seed, freshNumber(), { campaign_id: campaignId })
  await claimAsLostWorker()
  const other = await seedCall(world.deps, world.seed, freshNumber())
  await claimAsLostWorker()
  dial()
  expect(await advanceUntilCompleted(world.deps, world.seed, other.id)).toMatchObject({
    outcome: 'failed',
    ended_reason: 'worker_lost',
    attempts: 1,
  })
  await advanceUntil(world.deps, world.seed, retried.id, (call) => call.attempts === 2, 1_000)
  expect(world.runtime.requestsWith('GET')).toHaveLength(2)
  expect(await listAttempts(world.deps, retried.id)).toMatchObject([
    { ended_reason: 'worker_lost' },
    { ended_at: null },
  ])
})

it.each([
  ['ringing', []],
  ['answered', [1]],
])('two hours after a worker stops, finds out how its %s call ended', async (_, before) => {
  const { id, dialer, attemptId } = await startRinging()
  for (const sequence of before) {
    await reportToBoth(attemptId, answered(sequence))
    await advanceUntil(world.deps, world.seed, id, isInProgress)
  }
  await dialer.stop()
  reportOnlyToRuntime(attemptId, ended(2))
  world.deps.clock.advance(2 * 3_600_000)
  dial()
  const call = await advanceUntilCompleted(world.deps, world.seed, id)
  expect(call).toMatchObject({ outcome: 'answered', ended_reason: 'contact_hung_up', attempts: 1 })
  expect(call.duration_seconds).toBeLessThan(60)
  expect(world.runtime.requestsWith('DELETE')).toEqual([])
  expect(world.runtime.dialRequests()).toHaveLength(1)
})

it('keeps a call in progress while the runtime restarts, and completes the call when the runtime responds', async () => {
  const { id, dialer, attemptId } = await startRinging()
  await reportToBoth(attemptId, answered(1))
  await advanceUntil(world.deps, world.seed, id, isInProgress)
  await dialer.stop()
  await world.runtime.stop()
  dial()
  await waitFor(
    async () => (await listAttempts(world.deps, id))[0]?.fence === 2,
    () => world.deps.clock.advance(1_000),
  )
  for (let step = 0; step < 20; step += 1) world.deps.clock.advance(1_000)
  expect((await getCall(world.deps, world.seed, id)).status).toBe('in_progress')
  await world.runtime.start()
  reportOnlyToRuntime(attemptId, ended(2))
  expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
    outcome: 'answered',
    attempts: 1,
  })
})

it('uses the reports that Outdial saved even if the runtime no longer knows the attempt', async () => {
  const { id, dialer, attemptId } = await startRinging()
  await dialer.stop()
  await reportToBoth(attemptId, ended(1))
  world.runtime.reportsByAttempt.clear()
  dial()
  expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
    outcome: 'answered',
    summary: 'Wants a visit.',
  })
})

it('ends a call as failed if the runtime loses it during the conversation', async () => {
  const { id, attemptId } = await startRinging()
  await reportToBoth(attemptId, answered(1))
  await advanceUntil(world.deps, world.seed, id, isInProgress)
  world.runtime.reportsByAttempt.clear()
  expect(await advanceUntilCompleted(world.deps, world.seed, id, 1_000)).toMatchObject({
    outcome: 'failed',
    ended_reason: 'line_failed',
  })
})

it("after the time of the longest possible call, ends a lost worker's attempt that no other worker has taken over", async () => {
  const { id } = await seedCall(world.deps, world.seed, freshNumber())
  await claimAsLostWorker()
  world.workers.push(startSweeper(world.deps))
  await sql`update call_attempt set lease_until = clock_timestamp() - interval '40 minutes' where call_id = ${id}`.execute(
    world.deps.db,
  )
  expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
    outcome: 'failed',
    ended_reason: 'worker_lost',
  })
})
