import type { Call, RuntimeReport } from '@outdial/contract'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import pino from 'pino'
import { Webhook } from 'standardwebhooks'
import { claimCalls } from '../../../dialer/claim-calls.ts'
import { type DialerOptions, startDialer } from '../../../dialer/dialer.ts'
import { chooseLines } from '../../../telephony/choose-providers.ts'
import { readCallState } from '../../../telephony/http-runtime/parse-call-state.ts'
import { takeReport } from '../../../dialer/receive-report.ts'
import { startSweeper } from '../../../dialer/sweeper.ts'
import { parseConfig } from '../../../config.ts'
import { connect } from '../../../db/connect.ts'
import type { Worker } from '../../../core/worker.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { testDeps, type TestDeps } from '../../support/deps.ts'
import { type Seed, seedCampaign, seedWorkspace, widgetOf } from '../../support/seed.ts'
import { startRuntime, type TestRuntime } from '../../support/test-runtime.ts'
import { attemptsOf, callOf, callUntil, completed, eventsOf, freshNumber, queue, until } from '../../support/calls.ts'

const secret = 'runtime-secret-of-at-least-thirty-two-characters'
const oldSecret = 'another-runtime-secret-of-thirty-two-characters'

let database: TestDatabase
let deps: TestDeps
let seed: Seed
let runtime: TestRuntime
let workers: Pick<Worker, 'stop'>[]
let troubles: string[]
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  await database.db.updateTable('campaign').set({ status: 'archived' }).execute()
  runtime = await startRuntime()
  const config = parseConfig({
    LINE: 'http',
    RUNTIME_URL: runtime.url,
    RUNTIME_SECRET: `${secret},${oldSecret}`,
    PUBLIC_URL: 'https://calls.example.com',
    LOG_LEVEL: 'silent',
  })
  troubles = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void troubles.push(line) })
  deps = testDeps(database.db, { config, log })
  seed = await seedWorkspace(deps)
  workers = []
})
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
  await runtime.stop()
})

const dial = (options: Partial<DialerOptions> = {}, using: TestDeps = deps) => {
  const dialer = startDialer(using, options)
  workers.push(dialer)
  return dialer
}
/** The attempt of the call, once the runtime was ordered to make it. */
const ordered = async (callId: number): Promise<string> => {
  const order = await until(
    async () => runtime.orders().find((one) => one.call_id === callId),
    () => deps.clock.advance(50),
  )
  return order.attempt_id
}
/** What a runtime would say now. */
const at = (secondsAgo = 0) => new Date(deps.clock.now().getTime() - secondsAgo * 1000).toISOString()
const answered = (sequence: number): RuntimeReport => ({ sequence, type: 'answered', at: at() })
const analysis = {
  summary: 'Wants a visit.',
  sentiment: 'positive' as const,
  goal_met: true,
  extracted: { visit: true },
}
const ended = (sequence: number, more: object = { analysis }) =>
  ({
    sequence,
    type: 'ended',
    outcome: 'answered',
    ended_reason: 'contact_hung_up',
    at: at(),
    answered_at: at(20),
    transcript: [
      { role: 'agent', text: 'Hello Maya.', at: at(20) },
      { role: 'tool', text: 'Searched the knowledge base.', at: at(10) },
    ],
    recording_url: 'https://runtime.example.com/recordings/1.mp3',
    ...more,
  }) as RuntimeReport
const busy = (sequence: number): RuntimeReport => ({ sequence, type: 'ended', outcome: 'busy', at: at() })

/** It happens at the runtime, and its report arrives. */
const happen = async (attemptId: string, ...reports: RuntimeReport[]) => {
  runtime.calls.get(attemptId)?.push(...reports)
  for (const report of reports) await takeReport(deps)(attemptId, report)
}
/** It happens at the runtime, and no report of it arrives. */
const happenUnheard = (attemptId: string, ...reports: RuntimeReport[]) =>
  runtime.calls.set(attemptId, [...(runtime.calls.get(attemptId) ?? []), ...reports])

const talking = (call: Call) => call.status === 'in_progress'
/** A call that the runtime is ringing for, held by a dialer of its own. */
const ringing = async (options: Partial<DialerOptions> = {}, using: TestDeps = deps) => {
  const { id } = await queue(deps, seed, freshNumber())
  const dialer = dial(options, using)
  return { id, dialer, attemptId: await ordered(id) }
}
/** A worker that claims and is never heard of again. */
const claimAndDie = async () => {
  const lease = { line: 'http', workerId: crypto.randomUUID(), leaseMs: 1 }
  const [attempt] = await claimCalls(deps, lease)(1)
  if (attempt === undefined) throw new Error('there was nothing to claim')
  return attempt
}

it('orders a call once, follows its reports, and tells of the talk', async () => {
  const { id } = await queue(deps, seed, freshNumber(), { variables: { product: 'a roof' } })
  dial()
  const attemptId = await ordered(id)
  await happen(attemptId, { sequence: 1, type: 'ringing', at: at() }, answered(2))
  await callUntil(deps, seed, id, talking)
  deps.clock.advance(30_000)
  await happen(attemptId, ended(3))
  const call = await completed(deps, seed, id)
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
  expect((await eventsOf(deps, id)).map((event) => event.data)).toEqual([call])
  expect(runtime.orders()).toHaveLength(1)
})

it('tells the runtime what it needs, signed with every runtime secret and without any of them', async () => {
  const { id } = await queue(deps, seed, freshNumber(), { variables: { product: 'a roof' } })
  dial()
  const attemptId = await ordered(id)
  const [order] = runtime.orders()
  const [post] = runtime.requests
  const call = await callOf(deps, seed, id)
  const widget_id = await widgetOf(deps, seed.agentId)
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
  const signatures = [secret, oldSecret].map((one) =>
    new Webhook(`whsec_${Buffer.from(one).toString('base64')}`).sign(
      attemptId,
      deps.clock.now(),
      post?.body ?? '',
    ),
  )
  expect(post?.headers['webhook-signature']).toBe(signatures.join(' '))
  expect(JSON.stringify(post)).not.toContain(secret)
  await happen(attemptId, busy(1))
  expect(await completed(deps, seed, id)).toMatchObject({ outcome: 'busy', ended_reason: 'line_busy' })
})

it.each([
  [{ outcome: 'no_answer' }, 'no_answer', 'ring_timeout'],
  [{ outcome: 'busy' }, 'busy', 'line_busy'],
  [{ outcome: 'declined' }, 'declined', 'contact_declined'],
  [{ outcome: 'failed' }, 'failed', 'line_failed'],
])('takes the end %j', async (end, outcome, reason) => {
  const { id, attemptId } = await ringing()
  await happen(attemptId, { sequence: 1, type: 'ended', at: at(), ...end } as RuntimeReport)
  expect(await completed(deps, seed, id)).toMatchObject({ outcome, ended_reason: reason, answered_at: null })
})

it('takes a message on a voicemail, and whoever refuses is not called again', async () => {
  const first = await ringing()
  const { outcome, transcript, answered_at } = {
    outcome: 'voicemail',
    answered_at: at(),
    transcript: [{ role: 'agent', text: 'Please call back.', at: at() }],
  }
  const report = {
    sequence: 1,
    type: 'ended',
    at: at(),
    outcome,
    transcript,
    answered_at,
    summary: 'Left word.',
  }
  await happen(first.attemptId, report as RuntimeReport)
  expect(await completed(deps, seed, first.id)).toMatchObject({ outcome, summary: 'Left word.' })

  const second = await queue(deps, seed, freshNumber())
  await happen(await ordered(second.id), ended(1, { do_not_call: true, analysis: null }))
  const call = await completed(deps, seed, second.id)
  expect(call).toMatchObject({ outcome: 'answered', contact: { do_not_call: true }, sentiment: 'unknown' })
})

it('waits for an analysis that is reported after the hang-up', async () => {
  const { id, attemptId } = await ringing()
  await happen(attemptId, ended(1, {}))
  await callUntil(deps, seed, id, (call) => call.status === 'completed')
  expect(await eventsOf(deps, id)).toEqual([])
  await happen(attemptId, { sequence: 2, type: 'analysis', at: at(), analysis })
  expect(await completed(deps, seed, id)).toMatchObject({ summary: 'Wants a visit.', goal_met: true })
})

it('settles an analysis whose waiting worker is gone', async () => {
  const { id, dialer, attemptId } = await ringing()
  await happen(attemptId, ended(1, {}))
  await callUntil(deps, seed, id, (call) => call.status === 'completed')
  await dialer.stop()
  expect(await eventsOf(deps, id)).toEqual([])
  await happen(attemptId, { sequence: 2, type: 'analysis', at: at(), analysis })
  const [event] = await eventsOf(deps, id)
  expect(event?.data).toMatchObject({ summary: 'Wants a visit.', goal_met: true })
})

it('asks a runtime that is silent, and so learns what no report told', async () => {
  const { id, attemptId } = await ringing()
  happenUnheard(attemptId, answered(1), ended(2))
  const call = await completed(deps, seed, id, 1_000)
  expect(call).toMatchObject({ outcome: 'answered', summary: 'Wants a visit.' })
  expect(runtime.orders()).toHaveLength(1)
})

it('learns the end of a call from a runtime whose texts hold what cannot be kept', async () => {
  const { id, attemptId } = await ringing()
  const said = { role: 'contact' as const, text: 'Yes\u0000\ud800', at: new Date().toISOString() }
  happenUnheard(attemptId, answered(1), ended(2, { analysis, transcript: [said] }))
  const call = await completed(deps, seed, id, 1_000)
  expect(call).toMatchObject({ outcome: 'answered', transcript: [{ text: 'Yes\uFFFD\uFFFD' }] })
})

it.each([
  ['a name that cannot be kept', { analysis: { ...analysis, extracted: { 'a\u0000\ud800': 1 } } }, {}],
  ['an empty address', { analysis, recording_url: '' }, { recording_url: null }],
  ['an address that is none', { analysis, recording_url: 'later' }, { recording_url: null }],
  ['fields of its own', { analysis, cost: 3 }, {}],
  ['a talk of another shape', { analysis, transcript: 'Hello.' }, { transcript: [] }],
  ['an analysis of another shape', { analysis: 'good' }, { sentiment: 'unknown' }],
])('learns the end of a call from a runtime that tells it with %s', async (_, more, told) => {
  const { id, attemptId } = await ringing()
  happenUnheard(attemptId, answered(1), ended(2, more))
  const call = await completed(deps, seed, id, 1_000)
  expect(call).toMatchObject({ outcome: 'answered', attempts: 1, ...told })
})

it('takes a person for one who refused where the runtime’s word on it cannot be read', async () => {
  const { id, attemptId } = await ringing()
  happenUnheard(attemptId, answered(1), ended(2, { analysis, do_not_call: 'yes' }))
  expect(await completed(deps, seed, id, 1_000)).toMatchObject({ contact: { do_not_call: true } })
})

it('hangs up on nobody while one report of several cannot be read, and quotes none of it', async () => {
  const { id, attemptId } = await ringing()
  happenUnheard(attemptId, { sequence: 1, type: 'ringing', at: at() }, { ...answered(2), at: '+12025550199' })
  await until(
    async () => troubles.length > 2,
    () => deps.clock.advance(20_000),
  )
  expect(runtime.asked('DELETE')).toEqual([])
  expect(troubles.join()).toContain('reports.1.at')
  expect(troubles.join()).not.toContain('2025550199')
  happenUnheard(attemptId, ended(3))
  expect(await completed(deps, seed, id, 1_000)).toMatchObject({ outcome: 'answered' })
})

it.each(['{"reports":[],"to":+12025550199}', '+12025550199', '{"to":"+12025550199"}'])(
  'quotes nothing of an answer that is no list of reports: %s',
  (body) => {
    const reading = () => readCallState(body)
    expect(reading).toThrow(/^the runtime told [a-zA-Z ]+$/)
  },
)

it('goes on with a call whose order was cut off, without a second order', async () => {
  runtime.answers.POST = 'cut'
  const { id, attemptId } = await ringing()
  await until(
    async () => runtime.asked('GET').length > 0,
    () => deps.clock.advance(250),
  )
  await happen(attemptId, answered(1))
  await callUntil(deps, seed, id, talking)
  await happen(attemptId, ended(2))
  expect(await completed(deps, seed, id)).toMatchObject({ outcome: 'answered', attempts: 1 })
  expect(runtime.orders()).toHaveLength(1)
})

it('asks again while it is unclear whether the order arrived, and the runtime is away', async () => {
  Object.assign(runtime.answers, { POST: 'cut', GET: 503 })
  const { id, attemptId } = await ringing()
  const orderedAt = deps.clock.now().getTime()
  await until(
    async () => runtime.asked('GET').length > 2,
    () => deps.clock.advance(250),
  )
  expect(deps.clock.now().getTime() - orderedAt).toBeLessThan(15_000)
  delete runtime.answers.GET
  happenUnheard(attemptId, busy(1))
  expect(await completed(deps, seed, id)).toMatchObject({ outcome: 'busy', attempts: 1 })
})

it('draws no conclusion from reports that cannot be read', async () => {
  const { id, attemptId } = await ringing()
  await happen(attemptId, answered(1))
  await callUntil(deps, seed, id, talking)
  await sql`alter table attempt_report rename to attempt_report_away`.execute(deps.db)
  runtime.calls.clear()
  const before = troubles.length
  await until(
    async () => troubles.length > before + 2,
    () => deps.clock.advance(10_000),
  )
  expect((await callOf(deps, seed, id)).status).toBe('in_progress')
  await sql`alter table attempt_report_away rename to attempt_report`.execute(deps.db)
  await takeReport(deps)(attemptId, ended(2))
  expect(await completed(deps, seed, id)).toMatchObject({ outcome: 'answered', summary: 'Wants a visit.' })
})

it.each([
  ['refuses the order', () => (runtime.answers.POST = 422)],
  ['cannot be reached', () => runtime.stop()],
  [
    'broke while it was ordered, and knows nothing of it',
    () => Object.assign(runtime.answers, { POST: 500 }),
  ],
])('takes it for a failure of the line when the runtime %s', async (_, goWrong) => {
  await goWrong()
  const { id } = await queue(deps, seed, freshNumber())
  dial()
  expect(await completed(deps, seed, id)).toMatchObject({ outcome: 'failed', ended_reason: 'line_failed' })
  if (runtime.requests.length === 0) await runtime.start()
  expect(runtime.orders().length).toBeLessThanOrEqual(1)
})

it('hangs up after 45 seconds of ringing, when the runtime has said that nobody answered', async () => {
  const { id } = await ringing()
  const call = await completed(deps, seed, id, 1_000)
  expect(call).toMatchObject({ outcome: 'no_answer', ended_reason: 'ring_timeout' })
  expect(runtime.asked('DELETE')).toHaveLength(1)
})

it('hangs up on nobody who answered while the word of it was on its way', async () => {
  const { id, attemptId } = await ringing()
  runtime.answers.GET = 503
  deps.clock.advance(44_000)
  happenUnheard(attemptId, answered(1))
  await until(
    async () => runtime.asked('GET').length > 1,
    () => deps.clock.advance(1_000),
  )
  delete runtime.answers.GET
  await callUntil(deps, seed, id, talking, 1_000)
  expect(runtime.asked('DELETE')).toEqual([])
  await happen(attemptId, ended(2))
  expect(await completed(deps, seed, id)).toMatchObject({ outcome: 'answered' })
})

it('calls nobody again while the runtime is away, until a call would be over', async () => {
  // Long enough to be seen in between, however far the clock has turned when the end is written.
  const retry = { max_attempts: 2, delay_minutes: 20, on: ['failed' as const] }
  const campaignId = await seedCampaign(deps, { ...seed, retry })
  const { id } = await queue(deps, seed, freshNumber(), { campaign_id: campaignId })
  dial()
  await ordered(id)
  const rangAt = deps.clock.now().getTime()
  await runtime.stop()
  deps.clock.advance(60_000)
  const queued = await callUntil(deps, seed, id, (call) => call.status === 'queued', 20_000)
  expect(deps.clock.now().getTime() - rangAt).toBeGreaterThanOrEqual(30 * 60_000)
  expect(queued).toMatchObject({ attempts: 1, outcome: null })
  await runtime.start()
  await callUntil(deps, seed, id, (call) => call.attempts === 2, 20_000)
  await until(async () => runtime.orders().length === 2)
})

it('ends a call after 30 minutes, and keeps what the runtime hands over', async () => {
  const { id, attemptId } = await ringing()
  await happen(attemptId, answered(1))
  await callUntil(deps, seed, id, talking)
  deps.clock.advance(30 * 60_000)
  await until(
    async () => runtime.asked('DELETE').length > 0,
    () => deps.clock.advance(100),
  )
  await happen(attemptId, ended(2))
  const call = await completed(deps, seed, id, 100)
  expect(call).toMatchObject({ outcome: 'answered', ended_reason: 'call_limit_reached' })
  expect(call.transcript_text).toContain('Hello Maya.')
})

it('takes up the call of a worker that lost its database: one order, the same attempt', async () => {
  const apart = testDeps(connect({ url: database.url, max: 4 }), { clock: deps.clock, config: deps.config })
  const { id, attemptId } = await ringing({ leaseMs: 400, heartbeatMs: 20 }, apart)
  await happen(attemptId, answered(1))
  await callUntil(deps, seed, id, talking)
  await apart.db.destroy()
  dial()
  await until(
    async () => (await attemptsOf(deps, id))[0]?.fence === 2,
    () => deps.clock.advance(250),
  )
  await happen(attemptId, ended(2))
  const call = await completed(deps, seed, id)
  expect(call).toMatchObject({ outcome: 'answered', summary: 'Wants a visit.', attempts: 1 })
  expect(await attemptsOf(deps, id)).toMatchObject([{ id: attemptId, fence: 2, outcome: 'answered' }])
  expect(runtime.orders()).toHaveLength(1)
  expect(runtime.asked('DELETE')).toEqual([])
  expect(await eventsOf(deps, id)).toHaveLength(1)
})

it('leaves its calls running when it stops, and the next worker has them at once', async () => {
  const { id, dialer, attemptId } = await ringing({ leaseMs: 600_000 })
  await happen(attemptId, answered(1))
  await callUntil(deps, seed, id, talking)
  await dialer.stop()
  expect(await callOf(deps, seed, id)).toMatchObject({ status: 'in_progress', outcome: null })
  happenUnheard(attemptId, ended(2))
  dial()
  expect(await completed(deps, seed, id)).toMatchObject({ outcome: 'answered', attempts: 1 })
  expect(runtime.orders()).toHaveLength(1)
  expect(runtime.asked('DELETE')).toEqual([])
})

it('does not stop in the middle of an order: the next worker finds the call', async () => {
  const held = Promise.withResolvers<void>()
  runtime.held = held.promise
  const { id, dialer, attemptId } = await ringing({ leaseMs: 600_000 })
  const stopping = dialer.stop()
  dial()
  expect((await attemptsOf(deps, id))[0]?.lease_until.getTime()).toBeGreaterThan(Date.now())
  held.resolve()
  await stopping
  await until(
    async () => (await attemptsOf(deps, id))[0]?.fence === 2,
    () => deps.clock.advance(250),
  )
  await happen(attemptId, ended(1))
  expect(await completed(deps, seed, id)).toMatchObject({ outcome: 'answered', attempts: 1 })
  expect(runtime.orders()).toHaveLength(1)
})

it('asks for what was never ordered, and calls again only as the campaign retries', async () => {
  const retry = { max_attempts: 2, delay_minutes: 1, on: ['failed' as const] }
  const campaignId = await seedCampaign(deps, { ...seed, retry })
  const retried = await queue(deps, seed, freshNumber(), { campaign_id: campaignId })
  await claimAndDie()
  const other = await queue(deps, seed, freshNumber())
  await claimAndDie()
  dial()
  expect(await completed(deps, seed, other.id)).toMatchObject({
    outcome: 'failed',
    ended_reason: 'worker_lost',
    attempts: 1,
  })
  await callUntil(deps, seed, retried.id, (call) => call.attempts === 2, 1_000)
  expect(runtime.asked('GET')).toHaveLength(2)
  expect(await attemptsOf(deps, retried.id)).toMatchObject([
    { ended_reason: 'worker_lost' },
    { ended_at: null },
  ])
})

it.each([
  ['rang', []],
  ['was answered', [1]],
])('learns how a call ended that %s two hours before anybody could ask', async (_, before) => {
  const { id, dialer, attemptId } = await ringing()
  for (const sequence of before) {
    await happen(attemptId, answered(sequence))
    await callUntil(deps, seed, id, talking)
  }
  await dialer.stop()
  happenUnheard(attemptId, ended(2))
  deps.clock.advance(2 * 3_600_000)
  dial()
  const call = await completed(deps, seed, id)
  expect(call).toMatchObject({ outcome: 'answered', ended_reason: 'contact_hung_up', attempts: 1 })
  expect(call.duration_seconds).toBeLessThan(60)
  expect(runtime.asked('DELETE')).toEqual([])
  expect(runtime.orders()).toHaveLength(1)
})

it('asks a runtime that is starting again until it answers, and goes on', async () => {
  const { id, dialer, attemptId } = await ringing()
  await happen(attemptId, answered(1))
  await callUntil(deps, seed, id, talking)
  await dialer.stop()
  await runtime.stop()
  dial()
  await until(
    async () => (await attemptsOf(deps, id))[0]?.fence === 2,
    () => deps.clock.advance(1_000),
  )
  for (let step = 0; step < 20; step += 1) deps.clock.advance(1_000)
  expect((await callOf(deps, seed, id)).status).toBe('in_progress')
  await runtime.start()
  happenUnheard(attemptId, ended(2))
  expect(await completed(deps, seed, id)).toMatchObject({ outcome: 'answered', attempts: 1 })
})

it('believes what a runtime has reported, though it remembers nothing of it', async () => {
  const { id, dialer, attemptId } = await ringing()
  await dialer.stop()
  await happen(attemptId, ended(1))
  runtime.calls.clear()
  dial()
  expect(await completed(deps, seed, id)).toMatchObject({ outcome: 'answered', summary: 'Wants a visit.' })
})

it('takes a call for failed that a runtime has forgotten in the middle', async () => {
  const { id, attemptId } = await ringing()
  await happen(attemptId, answered(1))
  await callUntil(deps, seed, id, talking)
  runtime.calls.clear()
  expect(await completed(deps, seed, id, 1_000)).toMatchObject({
    outcome: 'failed',
    ended_reason: 'line_failed',
  })
})

it('ends an attempt that no dialer asks for, when a call would long be over', async () => {
  const { id } = await queue(deps, seed, freshNumber())
  await claimAndDie()
  workers.push(startSweeper(deps))
  await sql`update attempt set lease_until = clock_timestamp() - interval '40 minutes' where call_id = ${id}`.execute(
    deps.db,
  )
  expect(await completed(deps, seed, id)).toMatchObject({ outcome: 'failed', ended_reason: 'worker_lost' })
})

it('makes test calls on the simulated line', async () => {
  const { id } = await queue(deps, seed, '+12025550102', { test: true })
  dial()
  expect(await completed(deps, seed, id)).toMatchObject({ outcome: 'busy', test: true })
  expect(runtime.requests).toEqual([])
})

it('waits a real hour between attempts, whatever LINE_SPEED says', () => {
  const config = { LINE: 'http', RUNTIME_URL: runtime.url, LINE_SPEED: '100' }
  expect(parseConfig(config).lineSpeed).toBe(1)
  expect(chooseLines({ ...deps, config: parseConfig(config) }).real).toMatchObject({ name: 'http', speed: 1 })
})

it('stops at the start without the address of the runtime', () => {
  expect(() => parseConfig({ LINE: 'http' })).toThrow(/^LINE=http needs RUNTIME_URL: the address of/)
})
