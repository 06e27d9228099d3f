import { expect, it } from '@jest/globals'
import type { Call, RuntimeReport } from '@outdial/contract'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { parseConfig } from '../../../config.ts'
import { connect } from '../../../db/connect.ts'
import { claimCalls } from '../../../dialer/claim-calls.ts'
import { type DialerOptions, startDialer } from '../../../dialer/dialer.ts'
import { receiveReport } from '../../../dialer/receive-report.ts'
import { startSweeper } from '../../../dialer/sweeper.ts'
import { chooseProviders } from '../../../telephony/choose-providers.ts'
import { parseCallState } from '../../../telephony/http-runtime/parse-call-state.ts'
import {
  advanceUntil,
  advanceUntilCompleted,
  getCall,
  listAttempts,
  listEvents,
  seedCall,
} from '../../support/calls.ts'
import { type TestDeps, testDeps } from '../../support/deps.ts'
import { freshNumber, getWidgetId, seedCampaign } from '../../support/factories.ts'
import { waitFor } from '../../support/wait.ts'
import { oldRuntimeSecret, runtimeSecret, useHttpRuntimeWorld } from '../../support/http-runtime.ts'

const world = useHttpRuntimeWorld()
const { analysis, answered, busy, claimAsLostWorker, dial, ended, reportOnlyToRuntime, reportToBoth } = world
const { startRinging, timestamp, waitForDialRequest } = world

const isInProgress = (call: Call) => call.status === 'in_progress'

it('orders a call once, follows its reports, and tells of the talk', async () => {
  const { id } = await seedCall(world.deps, world.seed, freshNumber(), { variables: { product: 'a roof' } })
  dial()
  const attemptId = await waitForDialRequest(id)
  await reportToBoth(attemptId, { sequence: 1, type: 'ringing', at: timestamp() }, answered(2))
  await advanceUntil(world.deps, world.seed, id, isInProgress)
  world.deps.clock.advance(30_000)
  await reportToBoth(attemptId, ended(3))
  const call = await advanceUntilCompleted(world.deps, world.seed, id)
  expect(call).toMatchObject({
    outcome: 'answered',
    ended_reason: 'contact_hung_up',
    summary: 'Wants a visit.',
    sentiment: 'positive',
    goal_met: true,
    extracted: { visit: true },
    transcript_text: 'Agent: Hello Maya.\nTool: Searched the knowledge base.',
    recording_url: 'https://runtime.example.com/recordings/1.mp3',
    attempts: 1,
  })
  expect(call.duration_seconds).toBeGreaterThanOrEqual(30)
  expect((await listEvents(world.deps, id)).map((event) => event.data)).toEqual([call])
  expect(world.runtime.dialRequests()).toHaveLength(1)
})

it('tells the runtime what it needs, signed with every runtime secret and without any of them', async () => {
  const { id } = await seedCall(world.deps, world.seed, freshNumber(), { variables: { product: 'a roof' } })
  dial()
  const attemptId = await waitForDialRequest(id)
  const [order] = world.runtime.dialRequests()
  const [post] = world.runtime.requests
  const call = await getCall(world.deps, world.seed, id)
  const widget_id = await getWidgetId(world.deps, world.seed.agentId)
  const base = 'https://calls.example.com/api'
  expect(order).toEqual({
    attempt_id: attemptId,
    call_id: id,
    attempt: 1,
    from_number: call.from_number,
    to_number: call.to_number,
    agent: { widget_id, name: 'Ava', language: 'en-US', greeting: '' },
    campaign: { name: 'Leads' },
    contact: { first_name: 'Maya', last_name: null, variables: { product: 'a roof' } },
    tools_url: `${base}/mcp/sse?widget_id=${widget_id}&call_id=${attemptId}`,
    reports_url: `${base}/internal/attempts/${attemptId}/reports`,
    ring_limit_seconds: 45,
    call_limit_seconds: 1800,
  })
  expect(post?.headers).toMatchObject({ 'idempotency-key': attemptId, 'webhook-id': attemptId })
  const signatures = [runtimeSecret, oldRuntimeSecret].map((candidate) =>
    new Webhook(`whsec_${Buffer.from(candidate).toString('base64')}`).sign(
      attemptId,
      world.deps.clock.now(),
      post?.body ?? '',
    ),
  )
  expect(post?.headers['webhook-signature']).toBe(signatures.join(' '))
  expect(JSON.stringify(post)).not.toContain(runtimeSecret)
  await reportToBoth(attemptId, busy(1))
  expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
    outcome: 'busy',
    ended_reason: 'line_busy',
  })
})

it.each([
  [{ outcome: 'no_answer' }, 'no_answer', 'ring_timeout'],
  [{ outcome: 'busy' }, 'busy', 'line_busy'],
  [{ outcome: 'declined' }, 'declined', 'contact_declined'],
  [{ outcome: 'failed' }, 'failed', 'line_failed'],
])('takes the end %j', async (end, outcome, reason) => {
  const { id, attemptId } = await startRinging()
  await reportToBoth(attemptId, { sequence: 1, type: 'ended', at: timestamp(), ...end } as RuntimeReport)
  expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
    outcome,
    ended_reason: reason,
    answered_at: null,
  })
})

it('takes a message on a voicemail, and whoever refuses is not called again', async () => {
  const first = await startRinging()
  const { outcome, transcript, answered_at } = {
    outcome: 'voicemail',
    answered_at: timestamp(),
    transcript: [{ role: 'agent', text: 'Please call back.', at: timestamp() }],
  }
  const report = {
    sequence: 1,
    type: 'ended',
    at: timestamp(),
    outcome,
    transcript,
    answered_at,
    summary: 'Left word.',
  }
  await reportToBoth(first.attemptId, report as RuntimeReport)
  expect(await advanceUntilCompleted(world.deps, world.seed, first.id)).toMatchObject({
    outcome,
    summary: 'Left word.',
  })

  const second = await seedCall(world.deps, world.seed, freshNumber())
  await reportToBoth(await waitForDialRequest(second.id), ended(1, { do_not_call: true, analysis: null }))
  const call = await advanceUntilCompleted(world.deps, world.seed, second.id)
  expect(call).toMatchObject({ outcome: 'answered', contact: { do_not_call: true }, sentiment: 'unknown' })
})

it('waits for an analysis that is reported after the hang-up', async () => {
  const { id, attemptId } = await startRinging()
  await reportToBoth(attemptId, ended(1, {}))
  await advanceUntil(world.deps, world.seed, id, (call) => call.status === 'completed')
  expect(await listEvents(world.deps, id)).toEqual([])
  await reportToBoth(attemptId, { sequence: 2, type: 'analysis', at: timestamp(), analysis })
  expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
    summary: 'Wants a visit.',
    goal_met: true,
  })
})

it('settles an analysis whose waiting worker is gone', async () => {
  const { id, dialer, attemptId } = await startRinging()
  await reportToBoth(attemptId, ended(1, {}))
  await advanceUntil(world.deps, world.seed, id, (call) => call.status === 'completed')
  await dialer.stop()
  expect(await listEvents(world.deps, id)).toEqual([])
  await reportToBoth(attemptId, { sequence: 2, type: 'analysis', at: timestamp(), analysis })
  const [event] = await listEvents(world.deps, id)
  expect(event?.data).toMatchObject({ summary: 'Wants a visit.', goal_met: true })
})

it('asks a runtime that is silent, and so learns what no report told', async () => {
  const { id, attemptId } = await startRinging()
  reportOnlyToRuntime(attemptId, answered(1), ended(2))
  const call = await advanceUntilCompleted(world.deps, world.seed, id, 1_000)
  expect(call).toMatchObject({ outcome: 'answered', summary: 'Wants a visit.' })
  expect(world.runtime.dialRequests()).toHaveLength(1)
})

it('learns the end of a call from a runtime whose texts hold what cannot be kept', async () => {
  const { id, attemptId } = await startRinging()
  const turn = { role: 'contact' as const, text: 'Yes\u0000\ud800', at: new Date().toISOString() }
  reportOnlyToRuntime(attemptId, answered(1), ended(2, { analysis, transcript: [turn] }))
  const call = await advanceUntilCompleted(world.deps, world.seed, id, 1_000)
  expect(call).toMatchObject({ outcome: 'answered', transcript: [{ text: 'Yes\uFFFD\uFFFD' }] })
})

it.each([
  ['a name that cannot be kept', { analysis: { ...analysis, extracted: { 'a\u0000\ud800': 1 } } }, {}],
  ['an empty address', { analysis, recording_url: '' }, { recording_url: null }],
  ['an address that is none', { analysis, recording_url: 'later' }, { recording_url: null }],
  ['fields of its own', { analysis, cost: 3 }, {}],
  ['a talk of another shape', { analysis, transcript: 'Hello.' }, { transcript: [] }],
  ['an analysis of another shape', { analysis: 'good' }, { sentiment: 'unknown' }],
])('learns the end of a call from a runtime that tells it with %s', async (_, more, turns) => {
  const { id, attemptId } = await startRinging()
  reportOnlyToRuntime(attemptId, answered(1), ended(2, more))
  const call = await advanceUntilCompleted(world.deps, world.seed, id, 1_000)
  expect(call).toMatchObject({ outcome: 'answered', attempts: 1, ...turns })
})

it('takes a person for one who refused where the runtime’s word on it cannot be read', async () => {
  const { id, attemptId } = await startRinging()
  reportOnlyToRuntime(attemptId, answered(1), ended(2, { analysis, do_not_call: 'yes' }))
  expect(await advanceUntilCompleted(world.deps, world.seed, id, 1_000)).toMatchObject({
    contact: { do_not_call: true },
  })
})

it('hangs up on nobody while one report of several cannot be read, and quotes none of it', async () => {
  const { id, attemptId } = await startRinging()
  reportOnlyToRuntime(
    attemptId,
    { sequence: 1, type: 'ringing', at: timestamp() },
    { ...answered(2), at: '+12025550199' },
  )
  await waitFor(
    async () => world.logLines.length > 2,
    () => world.deps.clock.advance(20_000),
  )
  expect(world.runtime.requestsWith('DELETE')).toEqual([])
  expect(world.logLines.join()).toContain('reports.1.at')
  expect(world.logLines.join()).not.toContain('2025550199')
  reportOnlyToRuntime(attemptId, ended(3))
  expect(await advanceUntilCompleted(world.deps, world.seed, id, 1_000)).toMatchObject({
    outcome: 'answered',
  })
})

it.each(['{"reports":[],"to":+12025550199}', '+12025550199', '{"to":"+12025550199"}'])(
  'quotes nothing of an answer that is no list of reports: %s',
  (body) => {
    const reading = () => parseCallState(body)
    expect(reading).toThrow(/^the runtime told [a-zA-Z ]+$/)
  },
)

it('goes on with a call whose order was cut off, without a second order', async () => {
  world.runtime.statusByMethod.POST = 'cut'
  const { id, attemptId } = await startRinging()
  await waitFor(
    async () => world.runtime.requestsWith('GET').length > 0,
    () => world.deps.clock.advance(250),
  )
  await reportToBoth(attemptId, answered(1))
  await advanceUntil(world.deps, world.seed, id, isInProgress)
  await reportToBoth(attemptId, ended(2))
  expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
    outcome: 'answered',
    attempts: 1,
  })
  expect(world.runtime.dialRequests()).toHaveLength(1)
})

it('asks again while it is unclear whether the order arrived, and the runtime is away', async () => {
  Object.assign(world.runtime.statusByMethod, { POST: 'cut', GET: 503 })
  const { id, attemptId } = await startRinging()
  const requestedAt = world.deps.clock.now().getTime()
  await waitFor(
    async () => world.runtime.requestsWith('GET').length > 2,
    () => world.deps.clock.advance(250),
  )
  expect(world.deps.clock.now().getTime() - requestedAt).toBeLessThan(15_000)
  delete world.runtime.statusByMethod.GET
  reportOnlyToRuntime(attemptId, busy(1))
  expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
    outcome: 'busy',
    attempts: 1,
  })
})

it('draws no conclusion from reports that cannot be read', async () => {
  const { id, attemptId } = await startRinging()
  await reportToBoth(attemptId, answered(1))
  await advanceUntil(world.deps, world.seed, id, isInProgress)
  await sql`alter table attempt_report rename to attempt_report_away`.execute(world.deps.db)
  world.runtime.reportsByAttempt.clear()
  const before = world.logLines.length
  await waitFor(
    async () => world.logLines.length > before + 2,
    () => world.deps.clock.advance(10_000),
  )
  expect((await getCall(world.deps, world.seed, id)).status).toBe('in_progress')
  await sql`alter table attempt_report_away rename to attempt_report`.execute(world.deps.db)
  await receiveReport(world.deps, attemptId, ended(2))
  expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
    outcome: 'answered',
    summary: 'Wants a visit.',
  })
})

it.each([
  ['refuses the order', () => (world.runtime.statusByMethod.POST = 422)],
  ['cannot be reached', () => world.runtime.stop()],
  [
    'broke while it was ordered, and knows nothing of it',
    () => Object.assign(world.runtime.statusByMethod, { POST: 500 }),
  ],
])('takes it for a failure of the line when the runtime %s', async (_, breakRuntime) => {
  await breakRuntime()
  const { id } = await seedCall(world.deps, world.seed, freshNumber())
  dial()
  expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
    outcome: 'failed',
    ended_reason: 'line_failed',
  })
  if (world.runtime.requests.length === 0) await world.runtime.start()
  expect(world.runtime.dialRequests().length).toBeLessThanOrEqual(1)
})

it('hangs up after 45 seconds of ringing, when the runtime has said that nobody answered', async () => {
  const { id } = await startRinging()
  const call = await advanceUntilCompleted(world.deps, world.seed, id, 1_000)
  expect(call).toMatchObject({ outcome: 'no_answer', ended_reason: 'ring_timeout' })
  expect(world.runtime.requestsWith('DELETE')).toHaveLength(1)
})

it('hangs up on nobody who answered while the word of it was on its way', async () => {
  const { id, attemptId } = await startRinging()
  world.runtime.statusByMethod.GET = 503
  world.deps.clock.advance(44_000)
  reportOnlyToRuntime(attemptId, answered(1))
  await waitFor(
    async () => world.runtime.requestsWith('GET').length > 1,
    () => world.deps.clock.advance(1_000),
  )
  delete world.runtime.statusByMethod.GET
  await advanceUntil(world.deps, world.seed, id, isInProgress, 1_000)
  expect(world.runtime.requestsWith('DELETE')).toEqual([])
  await reportToBoth(attemptId, ended(2))
  expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({ outcome: 'answered' })
})

it('calls nobody again while the runtime is away, until a call would be over', async () => {
  // Long enough to be seen in between, however far the clock has turned when the end is written.
  const retry = { max_attempts: 2, delay_minutes: 20, on: ['failed' as const] }
  const campaignId = await seedCampaign(world.deps, { ...world.seed, retry })
  const { id } = await seedCall(world.deps, world.seed, freshNumber(), { campaign_id: campaignId })
  dial()
  await waitForDialRequest(id)
  const ringingAt = world.deps.clock.now().getTime()
  await world.runtime.stop()
  world.deps.clock.advance(60_000)
  const queued = await advanceUntil(world.deps, world.seed, id, (call) => call.status === 'queued', 20_000)
  expect(world.deps.clock.now().getTime() - ringingAt).toBeGreaterThanOrEqual(30 * 60_000)
  expect(queued).toMatchObject({ attempts: 1, outcome: null })
  await world.runtime.start()
  await advanceUntil(world.deps, world.seed, id, (call) => call.attempts === 2, 20_000)
  await waitFor(async () => world.runtime.dialRequests().length === 2)
})

it('ends a call after 30 minutes, and keeps what the runtime hands over', async () => {
  const { id, attemptId } = await startRinging()
  await reportToBoth(attemptId, answered(1))
  await advanceUntil(world.deps, world.seed, id, isInProgress)
  world.deps.clock.advance(30 * 60_000)
  await waitFor(
    async () => world.runtime.requestsWith('DELETE').length > 0,
    () => world.deps.clock.advance(100),
  )
  await reportToBoth(attemptId, ended(2))
  const call = await advanceUntilCompleted(world.deps, world.seed, id, 100)
  expect(call).toMatchObject({ outcome: 'answered', ended_reason: 'call_limit_reached' })
  expect(call.transcript_text).toContain('Hello Maya.')
})

it('takes up the call of a worker that lost its database: one order, the same attempt', async () => {
  const otherDeps = testDeps(connect({ url: world.database.url, max: 4 }), {
    clock: world.deps.clock,
    config: world.deps.config,
  })
  const { id, attemptId } = await startRinging({ leaseMs: 400, heartbeatMs: 20 }, otherDeps)
  await reportToBoth(attemptId, answered(1))
  await advanceUntil(world.deps, world.seed, id, isInProgress)
  await otherDeps.db.destroy()
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

it('leaves its calls running when it stops, and the next worker has them at once', async () => {
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

it('does not stop in the middle of an order: the next worker finds the call', async () => {
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

it('asks for what was never ordered, and calls again only as the campaign retries', async () => {
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
  ['rang', []],
  ['was answered', [1]],
])('learns how a call ended that %s two hours before anybody could ask', async (_, before) => {
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

it('asks a runtime that is starting again until it answers, and goes on', async () => {
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

it('believes what a runtime has reported, though it remembers nothing of it', async () => {
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

it('takes a call for failed that a runtime has forgotten in the middle', async () => {
  const { id, attemptId } = await startRinging()
  await reportToBoth(attemptId, answered(1))
  await advanceUntil(world.deps, world.seed, id, isInProgress)
  world.runtime.reportsByAttempt.clear()
  expect(await advanceUntilCompleted(world.deps, world.seed, id, 1_000)).toMatchObject({
    outcome: 'failed',
    ended_reason: 'line_failed',
  })
})

it('ends an attempt that no dialer asks for, when a call would long be over', async () => {
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

it('makes test calls on the simulated line', async () => {
  const { id } = await seedCall(world.deps, world.seed, '+12025550102', { test: true })
  dial()
  expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
    outcome: 'busy',
    test: true,
  })
  expect(world.runtime.requests).toEqual([])
})

it('waits a real hour between attempts, whatever SIMULATION_SPEED says', () => {
  const config = { TELEPHONY: 'http', RUNTIME_URL: world.runtime.url, SIMULATION_SPEED: '100' }
  expect(parseConfig(config).simulationSpeed).toBe(1)
  expect(chooseProviders({ ...world.deps, config: parseConfig(config) }).real).toMatchObject({
    name: 'http',
    speed: 1,
  })
})

it('stops at the start without the address of the runtime', () => {
  expect(() => parseConfig({ TELEPHONY: 'http' })).toThrow(
    /^TELEPHONY=http needs RUNTIME_URL: the address of/,
  )
})
