import { beforeEach, expect, it } from '@jest/globals'
import { type Call, Call as CallSchema, type CallOutcome, type EndedReason } from '@outdial/contract'
import { startDialer } from '../../../calling/dialer/dialer.ts'
import {
  advanceUntil,
  advanceUntilCompleted,
  listAttempts,
  listEvents,
  seedCall,
} from '../../support/calls.ts'
import { freshNumber } from '../../support/factories.ts'
import { useCallsWorld } from '../../support/world.ts'

const world = useCallsWorld()
beforeEach(() => {
  world.workers.push(startDialer(world.deps))
})

const outcomes: [string, CallOutcome, EndedReason][] = [
  ['+12025550100', 'answered', 'agent_hung_up'],
  ['+12025550101', 'no_answer', 'ring_timeout'],
  ['+12025550102', 'busy', 'line_busy'],
  ['+12025550103', 'voicemail', 'voicemail_reached'],
  ['+12025550104', 'declined', 'contact_declined'],
  ['+12025550105', 'failed', 'line_failed'],
  ['+12025550106', 'answered', 'contact_hung_up'],
]

it.each(outcomes)(
  'ends a call to %s with outcome %s and reason %s, and publishes one event',
  async (number, outcome, endedReason) => {
    const { id } = await seedCall(world.deps, world.seed, number)
    const call = await advanceUntilCompleted(world.deps, world.seed, id)
    expect(call).toMatchObject({ outcome, ended_reason: endedReason, attempts: 1, waiting_for: null })
    expect(CallSchema.parse(call)).toEqual(call)
    const events = await listEvents(world.deps, id)
    expect(events.map((event) => event.data)).toEqual([call])
    expect(await listAttempts(world.deps, id)).toMatchObject([{ outcome, ended_reason: endedReason }])
  },
)

it('completes a call with a transcript, summary, sentiment, and extracted values that agree with one another', async () => {
  const { id } = await seedCall(world.deps, world.seed, '+12025550100', {
    variables: { product: 'a roof inspection' },
  })
  const call = await advanceUntilCompleted(world.deps, world.seed, id)
  expect(call.transcript_text).toContain('Agent: Hello Maya, this is Ava about a roof inspection.')
  expect(call.transcript_text).toContain(
    'Contact: Yes, please. Could I get an appointment on Thursday morning?',
  )
  expect(call).toMatchObject({
    summary: 'Maya is interested in a roof inspection and asked for an appointment on Thursday morning.',
    sentiment: 'positive',
    goal_met: true,
    extracted: { interested: true, preferred_time: 'Thursday morning' },
  })
  const times = [call.answered_at, ...call.transcript.map((turn) => turn.at), call.ended_at]
  expect(times).toEqual([...times].sort())
  const conversation = Date.parse(call.ended_at ?? '') - Date.parse(call.answered_at ?? '')
  expect(call.duration_seconds).toBe(Math.round(conversation / 1000))
})

it('if voicemail answers, leaves a message and mentions voicemail in the summary', async () => {
  const { id } = await seedCall(world.deps, world.seed, '+12025550103')
  const call = await advanceUntilCompleted(world.deps, world.seed, id)
  expect(call.transcript).toMatchObject([{ role: 'agent', text: expect.stringContaining('Hello Maya') }])
  expect(call.summary).toMatch(/voicemail/)
})

it('moves a call through dialing and in_progress, and saves when it was answered', async () => {
  const { id } = await seedCall(world.deps, world.seed, '+12025550100')
  const ringing = await advanceUntil(world.deps, world.seed, id, (call) => call.status === 'dialing')
  expect(ringing).toMatchObject({ answered_at: null, next_attempt_at: null, attempts: 1 })
  const inProgress = await advanceUntil(world.deps, world.seed, id, (call) => call.status === 'in_progress')
  expect(inProgress.answered_at).not.toBeNull()
})

it('gives every call to the same number the same outcome and the same conversation', async () => {
  const number = freshNumber()
  const results: Partial<Call>[] = []
  for (let round = 0; round < 2; round += 1) {
    const { id } = await seedCall(world.deps, world.seed, number)
    const { outcome, summary, extracted, transcript } = await advanceUntilCompleted(
      world.deps,
      world.seed,
      id,
    )
    results.push({ outcome, summary, extracted, transcript: transcript.map((turn) => ({ ...turn, at: '' })) })
  }
  expect(results[0]).toEqual(results[1])
})

it('if a contact opts out, adds the number to the do-not-call list and suppresses their queued calls', async () => {
  const number = '+12025560106'
  const { id } = await seedCall(world.deps, world.seed, number)
  const later = new Date(world.deps.clock.now().getTime() + 3_600_000).toISOString()
  const waiting = await seedCall(world.deps, world.seed, number, {
    scheduled_at: later,
    if_already_queued: 'queue',
  })
  const call = await advanceUntilCompleted(world.deps, world.seed, id)
  expect(call.contact.do_not_call).toBe(true)
  expect(await advanceUntilCompleted(world.deps, world.seed, waiting.id)).toMatchObject({
    outcome: 'suppressed',
    ended_reason: 'do_not_call',
    attempts: 0,
  })
  expect(await listEvents(world.deps, waiting.id)).toHaveLength(1)
})

it('ignores an opt-out in a test call', async () => {
  const { id } = await seedCall(world.deps, world.seed, '+12025570106', { test: true })
  const call = await advanceUntilCompleted(world.deps, world.seed, id)
  expect(call).toMatchObject({ outcome: 'answered', test: true, contact: { do_not_call: false } })
})
