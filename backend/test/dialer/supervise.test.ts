import { describe, expect, it } from '@jest/globals'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { startDialer } from '../../calling/dialer/dialer.ts'
import { finishAnalysis, finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { startSweeper } from '../../calling/dialer/sweeper.ts'
import type { TelephonyProvider } from '../../calling/telephony/provider.ts'
import { advanceUntil, advanceUntilCompleted, getCall, listEvents, seedCall } from '../support/calls.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { freshNumber } from '../support/factories.ts'
import { createTestProvider, neverSettle, shortConversation } from '../support/telephony-provider.ts'
import { waitFor } from '../support/wait.ts'
import { useCallsWorld } from '../support/world.ts'

const world = useCallsWorld()

const dial = (overrides: Partial<TelephonyProvider>) => {
  const provider = createTestProvider(overrides)
  world.workers.push(startDialer(world.deps, { providers: { real: provider, test: provider } }))
}
const answeredConversation = {
  ...emptyResult('answered', 'agent_hung_up'),
  transcript: [{ role: 'agent' as const, text: 'Hello.', at: '2026-05-04T15:00:00.000Z' }],
}
/** Makes a call whose worker dies between the hang-up and the analysis. */
const hangUpAsLostWorker = async (): Promise<number> => {
  const { id } = await seedCall(world.deps, world.seed, freshNumber())
  const [attempt] = await claimAndSettle(
    world.deps,
    {
      provider: 'simulated',
      workerId: crypto.randomUUID(),
      leaseMs: 60_000,
    },
    1,
  )
  if (attempt === undefined) throw new Error('there was nothing to claim')
  expect(await finishAttempt(world.deps, attempt, answeredConversation)).toBe('analyzing')
  return id
}

describe('the call attempt', () => {
  it('stops ringing after 45 seconds, even if the provider never responds', async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    dial({ dial: neverSettle })
    await advanceUntil(world.deps, world.seed, id, (call) => call.status === 'dialing', 0)
    const ringingAt = world.deps.clock.now().getTime()
    const call = await advanceUntilCompleted(world.deps, world.seed, id, 1_000)
    expect(call).toMatchObject({ outcome: 'no_answer', ended_reason: 'ring_timeout', answered_at: null })
    expect(Date.parse(call.ended_at ?? '') - ringingAt).toBeGreaterThanOrEqual(45_000)
  })

  it('ends 30 minutes after the call was answered, even if the provider never ends the call', async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    dial({})
    const inProgress = await advanceUntil(
      world.deps,
      world.seed,
      id,
      (call) => call.status === 'in_progress',
      0,
    )
    const call = await advanceUntilCompleted(world.deps, world.seed, id, 60_000)
    expect(call).toMatchObject({ outcome: 'answered', ended_reason: 'call_limit_reached' })
    expect(call.answered_at).toBe(inProgress.answered_at)
    expect(call.duration_seconds).toBeGreaterThanOrEqual(30 * 60)
  })

  it('gives a conversation at least 30 seconds of real time, regardless of simulation speed', async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    dial({ speed: 10_000 })
    const inProgress = await advanceUntil(
      world.deps,
      world.seed,
      id,
      (call) => call.status === 'in_progress',
      0,
    )
    const call = await advanceUntilCompleted(world.deps, world.seed, id, 1_000)
    expect(Date.parse(call.ended_at ?? '') - Date.parse(inProgress.answered_at ?? '')).toBeGreaterThanOrEqual(
      30_000,
    )
  })

  it('keeps the transcript when the call limit ends the call', async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    dial({
      dial: async (_, { signal, onAnswer }) => {
        onAnswer()
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        return {
          ...answeredConversation,
          outcome: 'answered',
          endedReason: 'agent_hung_up',
          recordingUrl: null,
        }
      },
    })
    await advanceUntil(world.deps, world.seed, id, (call) => call.status === 'in_progress', 0)
    expect(await advanceUntilCompleted(world.deps, world.seed, id, 60_000)).toMatchObject({
      ended_reason: 'call_limit_reached',
      transcript_text: 'Agent: Hello.',
    })
  })

  it('fails if the provider throws an error', async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    dial({ dial: () => Promise.reject(new Error('the trunk is down')) })
    expect(await advanceUntilCompleted(world.deps, world.seed, id)).toMatchObject({
      outcome: 'failed',
      ended_reason: 'line_failed',
    })
  })
})

describe('when a conversation ends', () => {
  it('completes the call at the hang-up, and delays its event until the analysis arrives', async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    const analyzed = Promise.withResolvers<void>()
    dial({
      dial: shortConversation,
      analyze: async () => {
        await analyzed.promise
        return { summary: 'Wants a visit.', sentiment: 'positive', goalMet: true, extracted: { visit: true } }
      },
    })
    await advanceUntil(world.deps, world.seed, id, (call) => call.status === 'completed', 0)
    expect(await listEvents(world.deps, id)).toEqual([])
    analyzed.resolve()
    const call = await advanceUntilCompleted(world.deps, world.seed, id, 0)
    expect(call).toMatchObject({
      summary: 'Wants a visit.',
      sentiment: 'positive',
      extracted: { visit: true },
    })
    expect((await listEvents(world.deps, id)).map((event) => event.data)).toEqual([call])
  })

  it('publishes the event when the call ends if the provider already has the analysis', async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    const analysis = {
      summary: 'Wants a visit.',
      sentiment: 'positive' as const,
      goalMet: true,
      extracted: {},
    }
    dial({
      dial: async (...args) => ({ ...(await shortConversation(...args)), analysis }),
      analyze: neverSettle,
    })
    const call = await advanceUntil(world.deps, world.seed, id, ({ status }) => status === 'completed', 0)
    expect(call).toMatchObject({ summary: 'Wants a visit.', sentiment: 'positive', goal_met: true })
    expect((await listEvents(world.deps, id)).map((event) => event.data)).toEqual([call])
  })

  it("publishes the event two minutes after the hang-up if the analysis hasn't arrived", async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    dial({ dial: shortConversation, analyze: neverSettle })
    const { ended_at } = await advanceUntil(
      world.deps,
      world.seed,
      id,
      (call) => call.status === 'completed',
      0,
    )
    const call = await advanceUntilCompleted(world.deps, world.seed, id, 1_000)
    expect(call).toMatchObject({ outcome: 'answered', summary: null, sentiment: 'unknown', goal_met: null })
    const [event] = await listEvents(world.deps, id)
    expect(Date.parse(event?.timestamp ?? '') - Date.parse(ended_at ?? '')).toBeGreaterThanOrEqual(120_000)
  })

  it('publishes the event immediately if the analysis fails', async () => {
    const { id } = await seedCall(world.deps, world.seed, freshNumber())
    dial({ dial: shortConversation, analyze: () => Promise.reject(new Error('no model')) })
    await advanceUntil(world.deps, world.seed, id, (call) => call.status === 'completed', 0)
    expect(await advanceUntilCompleted(world.deps, world.seed, id, 0)).toMatchObject({
      outcome: 'answered',
      summary: null,
    })
  })

  it('publishes the event two minutes after the hang-up if the worker died before the analysis', async () => {
    const id = await hangUpAsLostWorker()
    world.workers.push(startSweeper(world.deps))
    world.deps.clock.advance(119_000)
    const other = await hangUpAsLostWorker()
    world.deps.clock.advance(1_000)
    await waitFor(
      async () => (await listEvents(world.deps, id)).length > 0,
      () => world.deps.clock.advance(1),
    )
    expect(await getCall(world.deps, world.seed, id)).toMatchObject({
      outcome: 'answered',
      transcript_text: 'Agent: Hello.',
    })
    expect(await listEvents(world.deps, other)).toEqual([])
  })

  it('publishes one event when two analyses of a call are saved at the same time', async () => {
    const callId = await hangUpAsLostWorker()
    const key = { workspaceId: world.seed.workspaceId, callId }
    const analysis = { summary: 'Talked.', sentiment: 'neutral' as const, goalMet: null, extracted: {} }
    await Promise.all([finishAnalysis(world.deps, key, analysis), finishAnalysis(world.deps, key, undefined)])
    await finishAnalysis(world.deps, key, undefined)
    expect(await listEvents(world.deps, callId)).toHaveLength(1)
  })
})
