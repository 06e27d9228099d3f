import { afterEach, describe, expect, it } from '@jest/globals'
import type { Call, RuntimeReport } from '@outdial/contract'
import { Webhook } from 'standardwebhooks'
import { chooseProviders } from '../../../calling/telephony/choose-providers.ts'
import { parseConfig } from '../../../config.ts'
import { createAttemptToken } from '../../../platform/secrets/attempt-tokens.ts'
import { advanceUntil, advanceUntilCompleted, getCall, listEvents, seedCall } from '../../support/calls.ts'
import { freshNumber, getWidgetId, seedCampaign } from '../../support/factories.ts'
import { runtimeSecret, signingKeys, useHttpRuntimeWorld } from '../../support/http-runtime.ts'
import { waitFor } from '../../support/wait.ts'

const world = useHttpRuntimeWorld()
const { analysis, answered, busy, dial, ended, reportOnlyToRuntime, reportToBoth } = world
const { startRinging, timestamp, waitForDialRequest } = world

// After every test, checks that each request to the runtime is signed with each key.
afterEach(() => {
  for (const { method, path, headers, body } of world.runtime.requests) {
    const { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures } = headers
    const content = method === 'POST' ? body : `${method} ${path}`
    const at = new Date(Number(seconds) * 1000)
    expect(signatures).toBe(
      signingKeys.map((key) => new Webhook(key).sign(String(id), at, content)).join(' '),
    )
  }
})

const isInProgress = (call: Call) => call.status === 'in_progress'

describe('the dial request', () => {
  it("is sent once, and the runtime's later reports complete the call with its transcript and analysis", async () => {
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

  it('contains a greeting in which fallbacks replace missing values, and other placeholders remain without their fallbacks', async () => {
    const greeting = 'Hi {{first_name|there}}, your {{product|project}} and {{ city }} and {{zip|{{}}'
    const update = world.deps.db.updateTable('agent').where('id', '=', world.seed.agentId)
    await update.set({ greeting }).execute()
    try {
      const { id } = await seedCall(world.deps, world.seed, freshNumber(), {
        variables: { city: '{{zip|x}}' },
      })
      dial()
      const attemptId = await waitForDialRequest(id)
      expect(world.runtime.dialRequests().at(-1)).toMatchObject({
        attempt_id: attemptId,
        agent: { greeting: 'Hi {{first_name}}, your project and {{ city }} and {{zip|{{}}' },
        contact: { variables: { city: '{{zip|x}}' } },
      })
      await reportToBoth(attemptId, busy(1))
      await advanceUntilCompleted(world.deps, world.seed, id)
    } finally {
      await update.set({ greeting: '' }).execute()
    }
  })

  it('contains the data that the runtime needs, and no secret except the attempt token', async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber(), { variables: { product: 'a roof' } })
    dial()
    const attemptId = await waitForDialRequest(id)
    const [dialRequest] = world.runtime.dialRequests()
    const [post] = world.runtime.requests
    const call = await getCall(world.deps, world.seed, id)
    const widget_id = await getWidgetId(world.deps, world.seed.agentId)
    const base = 'https://calls.example.com/api'
    expect(dialRequest).toEqual({
      attempt_id: attemptId,
      attempt_token: createAttemptToken(world.deps.attemptTokenKey, attemptId),
      call_id: id,
      attempt: 1,
      from_number: call.from_number,
      to_number: call.to_number,
      agent: {
        ...{ widget_id, version: 1, name: 'Ava', language: 'en-US', greeting: '', instructions: '' },
        ...{
          speaks_first: 'agent',
          goal: '',
          results: [],
          model: null,
          closing_line: '',
          ai_disclosure: true,
        },
      },
      campaign: { name: 'Leads' },
      contact: { first_name: 'Maya', last_name: null, variables: { product: 'a roof' } },
      tools_url: `${base}/mcp/sse?widget_id=${widget_id}&call_id=${attemptId}`,
      tools_http_url: `${base}/mcp/?widget_id=${widget_id}&call_id=${attemptId}`,
      reports_url: `${base}/internal/attempts/${attemptId}/reports`,
      ring_limit_seconds: 45,
      call_limit_seconds: 1800,
    })
    expect(post?.headers).toMatchObject({ 'idempotency-key': attemptId, 'webhook-id': attemptId })
    for (const secret of [runtimeSecret, ...signingKeys]) expect(JSON.stringify(post)).not.toContain(secret)
    await reportToBoth(attemptId, busy(1))
    expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
      outcome: 'busy',
      ended_reason: 'line_busy',
    })
  })

  it("isn't sent again after its connection is cut off, and the call continues", async () => {
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

  it('if its connection is cut off, Outdial keeps asking the unavailable runtime about the attempt until it responds', async () => {
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

  it.each([
    ['rejects the dial request', () => (world.runtime.statusByMethod.POST = 422)],
    [
      'returns 500 and does not know the attempt',
      () => Object.assign(world.runtime.statusByMethod, { POST: 500 }),
    ],
  ])('results in a failed attempt if the runtime %s', async (_, breakRuntime) => {
    breakRuntime()
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    dial()
    expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
      outcome: 'failed',
      ended_reason: 'line_failed',
    })
    expect(world.runtime.dialRequests().length).toBeLessThanOrEqual(1)
  })
})

describe('an unavailable runtime', () => {
  const callCount = 25 // more than the consecutive failures that pause a campaign
  const isOpen = ({ status }: Call) => status === 'queued' || status === 'dialing'
  const listCalls = (ids: number[]) => Promise.all(ids.map((id) => getCall(world.deps, world.seed, id)))

  it.each<[string, () => unknown, () => unknown]>([
    ['refuses connections', () => world.runtime.stop(), () => world.runtime.start()],
    [
      'returns 503',
      () => (world.runtime.statusByMethod.POST = 503),
      () => delete world.runtime.statusByMethod.POST,
    ],
    [
      'is behind a gateway that returns 502',
      () => (world.runtime.statusByMethod.POST = 502),
      () => delete world.runtime.statusByMethod.POST,
    ],
    [
      'closes connections without a response',
      () => (world.runtime.statusByMethod.POST = 'lost'),
      () => delete world.runtime.statusByMethod.POST,
    ],
  ])(
    "leaves every call in the queue while it %s, and gets each call once when it's available again",
    async (_, leave, come) => {
      const retry = { max_attempts: 1, delay_minutes: 1, on: [] }
      const campaignId = await seedCampaign(world.deps, { ...world.seed, retry, maxConcurrentCalls: 50 })
      const ids: number[] = []
      for (let index = 0; index < callCount; index += 1)
        ids.push((await seedCall(world.deps, world.seed, freshNumber(), { campaign_id: campaignId })).id)
      await leave()
      dial()
      const isUp = async () => (await world.deps.metrics.runtimeUp.get()).values[0]?.value === 1
      await waitFor(
        async () => !(await isUp()),
        () => world.deps.clock.advance(250),
      )
      const leftAt = world.deps.clock.now().getTime()
      await waitFor(
        async () => world.deps.clock.now().getTime() > leftAt + 10 * 60_000,
        () => world.deps.clock.advance(2_000),
      )
      const waiting = await waitFor(
        async () => {
          const calls = await listCalls(ids)
          return calls.filter(({ attempts }) => attempts > 0).length <= 1 && calls
        },
        () => world.deps.clock.advance(2_000),
      )
      expect(await isUp()).toBe(false)
      expect(waiting.filter(isOpen)).toHaveLength(callCount)
      // At most about one dial request a minute, after the first batch.
      expect(world.runtime.dialRequests().length).toBeLessThan(callCount + 25)
      const campaign = world.deps.db.selectFrom('campaign').select(['status', 'provider_failures'])
      expect(await campaign.where('id', '=', campaignId).executeTakeFirst()).toEqual({
        status: 'active',
        provider_failures: 0,
      })
      const test = await seedCall(world.deps, world.seed, '+12025550102', { test: true })
      expect(await advanceUntilCompleted(world.deps, world.seed, test.id)).toMatchObject({ outcome: 'busy' })

      world.runtime.requests.length = 0
      await come()
      await waitFor(
        async () => world.runtime.dialRequests().length >= callCount,
        () => world.deps.clock.advance(250),
      )
      const calls = await listCalls(ids)
      expect(calls.map(({ status, attempts }) => [status, attempts])).toEqual(ids.map(() => ['dialing', 1]))
      const dialed = world.runtime.dialRequests().map((request) => request.call_id)
      expect(new Set(dialed)).toEqual(new Set(ids))
      expect(await isUp()).toBe(true)
      expect(world.logLines.filter((line) => line.includes("can't reach the agent runtime"))).toHaveLength(1)
    },
  )

  /**
   * Waits until the service has asked about at least `attempts` call attempts more than once, and has therefore read the first
   * response about each of them. Then waits another three hours.
   */
  const stayAway = async (attempts: number) => {
    const timesAsked = () => {
      const paths = world.runtime.requestsWith('GET').map(({ path }) => path)
      return [...new Set(paths)].map((path) => paths.filter((other) => other === path).length)
    }
    await waitFor(
      async () => timesAsked().filter((times) => times > 1).length >= attempts,
      () => world.deps.clock.advance(250),
    )
    const leftAt = world.deps.clock.now().getTime()
    await waitFor(
      async () => world.deps.clock.now().getTime() > leftAt + 3 * 3_600_000,
      () => world.deps.clock.advance(30_000),
    )
  }

  it('uses up no call attempts, however long it responds to every request with 503', async () => {
    const retry = { max_attempts: 1, delay_minutes: 1, on: [] }
    const campaignId = await seedCampaign(world.deps, { ...world.seed, retry, maxConcurrentCalls: 3 })
    const ids: number[] = []
    for (let index = 0; index < 3; index += 1)
      ids.push((await seedCall(world.deps, world.seed, freshNumber(), { campaign_id: campaignId })).id)
    Object.assign(world.runtime.statusByMethod, { POST: 503, GET: 503 })
    dial()
    await stayAway(1)
    expect((await listCalls(ids)).filter(isOpen)).toHaveLength(3)

    delete world.runtime.statusByMethod.GET
    await waitFor(
      async () => (await listCalls(ids)).some((call) => call.status === 'queued' && call.attempts === 0),
      () => world.deps.clock.advance(1_000),
    )
    world.runtime.requests.length = 0
    delete world.runtime.statusByMethod.POST
    await waitFor(
      async () => world.runtime.dialRequests().length >= 3,
      () => world.deps.clock.advance(250),
    )
    const calls = await listCalls(ids)
    expect(calls.map(({ status, attempts }) => [status, attempts])).toEqual(ids.map(() => ['dialing', 1]))
    expect(new Set(world.runtime.dialRequests().map((request) => request.call_id))).toEqual(new Set(ids))
  })

  it('uses up no call attempt if it responds to a dial request with 503 only after the ring limit', async () => {
    const accepting = Promise.withResolvers<void>()
    world.runtime.readyToAccept = accepting.promise
    world.runtime.statusByMethod.POST = 503
    const { id } = await startRinging()
    const ringingAt = world.deps.clock.now().getTime()
    await waitFor(
      async () => world.deps.clock.now().getTime() > ringingAt + 60_000,
      () => world.deps.clock.advance(1_000),
    )
    expect(world.runtime.requestsWith('GET')).toEqual([])
    accepting.resolve()
    const queued = await advanceUntil(world.deps, world.seed, id, (call) => call.status !== 'dialing')
    expect(queued).toMatchObject({ status: 'queued', attempts: 0 })
  })

  it("doesn't get a call again that it may have accepted before it became unavailable", async () => {
    Object.assign(world.runtime.statusByMethod, { POST: 'cut', GET: 503 })
    const { id, attemptId } = await startRinging()
    await stayAway(1)
    expect(await getCall(world.deps, world.seed, id)).toMatchObject({ status: 'dialing', attempts: 1 })
    delete world.runtime.statusByMethod.GET
    reportOnlyToRuntime(attemptId, busy(1))
    expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({ outcome: 'busy' })
    expect(world.runtime.dialRequests()).toHaveLength(1)
  })
})

describe('the end of a call', () => {
  it.each([
    [{ outcome: 'no_answer' }, 'no_answer', 'ring_timeout'],
    [{ outcome: 'busy' }, 'busy', 'line_busy'],
    [{ outcome: 'declined' }, 'declined', 'contact_declined'],
    [{ outcome: 'failed' }, 'failed', 'line_failed'],
  ])('saves the outcome in the end report %j and the matching ended_reason', async (end, outcome, reason) => {
    const { id, attemptId } = await startRinging()
    await reportToBoth(attemptId, { sequence: 1, type: 'ended', at: timestamp(), ...end } as RuntimeReport)
    expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
      outcome,
      ended_reason: reason,
      answered_at: null,
    })
  })

  it("saves the runtime's summary of a voicemail call, and adds a contact to the do-not-call list if the runtime reports an opt-out", async () => {
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
      summary: 'Left a message.',
    }
    await reportToBoth(first.attemptId, report as RuntimeReport)
    expect(await advanceUntilCompleted(world.deps, world.seed, first.id)).toMatchObject({
      outcome,
      summary: 'Left a message.',
    })

    const second = await seedCall(world.deps, world.seed, freshNumber())
    await reportToBoth(await waitForDialRequest(second.id), ended(1, { do_not_call: true, analysis: null }))
    const call = await advanceUntilCompleted(world.deps, world.seed, second.id)
    expect(call).toMatchObject({ outcome: 'answered', opted_out: true, sentiment: 'unknown' })
    expect(call.contact.do_not_call).toBe(true)
  })

  it('publishes the event only after the analysis, even if the runtime reports the analysis after the hang-up', async () => {
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

  it("publishes an analysis that arrives after the call's worker has stopped", async () => {
    const { id, dialer, attemptId } = await startRinging()
    await reportToBoth(attemptId, ended(1, {}))
    await advanceUntil(world.deps, world.seed, id, (call) => call.status === 'completed')
    await dialer.stop()
    expect(await listEvents(world.deps, id)).toEqual([])
    await reportToBoth(attemptId, { sequence: 2, type: 'analysis', at: timestamp(), analysis })
    const [event] = await listEvents(world.deps, id)
    expect(event?.data).toMatchObject({ summary: 'Wants a visit.', goal_met: true })
  })

  it("hangs up after 45 seconds of ringing if the runtime confirms that the call wasn't answered", async () => {
    const { id } = await startRinging()
    const call = await advanceUntilCompleted(world.deps, world.seed, id, 1_000)
    expect(call).toMatchObject({ outcome: 'no_answer', ended_reason: 'ring_timeout' })
    expect(world.runtime.requestsWith('DELETE')).toHaveLength(1)
  })

  it("doesn't hang up at the ring limit on a contact who has answered, even if the answer hasn't been reported yet", async () => {
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

  it('if the runtime is unreachable, calls again only after the time of the longest possible call', async () => {
    // A delay so long that the test sees the call in the queue, even if the clock has advanced far when the result is saved.
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

  it('ends a call after 30 minutes, and keeps the transcript that the runtime sends', async () => {
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
})

describe('settings', () => {
  it('with TELEPHONY=http, test calls still use the simulated provider instead of the runtime', async () => {
    const { id } = await seedCall(world.deps, world.seed, '+12025550102', { test: true })
    dial()
    expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
      outcome: 'busy',
      test: true,
    })
    expect(world.runtime.requests).toEqual([])
  })

  it('with TELEPHONY=http, calls run in real time regardless of SIMULATION_SPEED', () => {
    const config = { TELEPHONY: 'http', RUNTIME_URL: world.runtime.url, SIMULATION_SPEED: '100' }
    expect(parseConfig(config).simulationSpeed).toBe(1)
    expect(chooseProviders({ ...world.deps, config: parseConfig(config) }).real).toMatchObject({
      name: 'http',
      speed: 1,
    })
  })

  it('with TELEPHONY=http, a missing RUNTIME_URL is a configuration error', () => {
    expect(() => parseConfig({ TELEPHONY: 'http' })).toThrow(
      /^TELEPHONY=http needs RUNTIME_URL: the address of/,
    )
  })
})
