import { describe, expect, it } from '@jest/globals'
import { emptyResult, lostResult } from '../../calling/dialer/attempt-result.ts'
import {
  type AttemptEvent,
  type AttemptState,
  initialState,
  msUntilLimit,
  nextState,
  type SupervisedAttempt,
} from '../../calling/dialer/attempt-state.ts'
import type { ProviderResult } from '../../calling/telephony/provider.ts'

const startedAt = new Date('2026-05-04T15:00:00.000Z')
const after = (seconds: number) => new Date(startedAt.getTime() + seconds * 1000)
const now = after(60)
const simulated: SupervisedAttempt = {
  startedAt,
  takenOverAt: null,
  provider: { resumable: false, speed: 1 },
}
const resumable: SupervisedAttempt = { ...simulated, provider: { resumable: true, speed: 1 } }
const takenOver: SupervisedAttempt = { ...resumable, takenOverAt: after(50) }

const ringing: AttemptState = { name: 'ringing' }
const checking: AttemptState = { name: 'checking' }
const unclear: AttemptState = { name: 'unclear' }
const answered: AttemptState = { name: 'answered', answeredAt: after(10) }
const cutShort: AttemptState = { name: 'cut_short', answeredAt: after(10) }
const detaching: AttemptState = { name: 'detaching' }

const conversation: ProviderResult = {
  outcome: 'answered',
  endedReason: 'contact_hung_up',
  transcript: [{ role: 'agent', text: 'Hello.', at: after(11).toISOString() }],
  recordingUrl: null,
  optedOut: false,
}
const next = (state: AttemptState, event: AttemptEvent, attempt = simulated) =>
  nextState(state, event, attempt, now)
const afterLimit = (since: AttemptState, attempt = simulated) =>
  next(since, { type: 'limit_reached', since }, attempt)

describe('an answer', () => {
  it.each([ringing, checking, unclear])(
    'starts the conversation of an attempt in the state $name',
    (state) => {
      expect(next(state, { type: 'answered', at: after(10) })).toEqual(answered)
    },
  )
  it.each([answered, cutShort, detaching])('does not change an attempt in the state $name', (state) => {
    expect(next(state, { type: 'answered', at: after(20) })).toBe(state)
  })
  it('gets a time between the start of the attempt and now, even if the provider reports an earlier or later time', () => {
    expect(next(ringing, { type: 'answered', at: after(-5) })).toMatchObject({ answeredAt: startedAt })
    expect(next(ringing, { type: 'answered', at: after(90) })).toMatchObject({ answeredAt: now })
  })
})

describe('a hang-up', () => {
  it("ends an attempt with the provider's result", () => {
    expect(next(answered, { type: 'provider_ended', result: conversation })).toMatchObject({
      name: 'ended',
      result: { outcome: 'answered', endedReason: 'contact_hung_up', answeredAt: after(10) },
    })
  })
})

describe('the ring limit', () => {
  it('ends the attempt of a provider that is not resumable', () => {
    const result = emptyResult('no_answer', 'ring_timeout')
    expect(afterLimit(ringing)).toEqual({ name: 'ended', result, hangUp: 'ring_timeout' })
  })
  it('makes the dialer check with a resumable provider, and ends the attempt only when the longest possible call would be over', () => {
    expect(afterLimit(ringing, resumable)).toEqual(checking)
    expect(msUntilLimit({ name: 'checking' }, resumable, now)).toBe((45 + 30 * 60 - 60) * 1000)
    const failed = emptyResult('failed', 'line_failed')
    expect(afterLimit(checking, resumable)).toMatchObject({ result: failed, hangUp: 'no_report' })
    expect(afterLimit(checking, takenOver)).toMatchObject({ result: lostResult, hangUp: 'no_report' })
  })
  it('does not apply to an attempt that was answered in time', () => {
    expect(next(answered, { type: 'limit_reached', since: ringing })).toBe(answered)
  })
})

describe('a dial request whose acceptance is unclear', () => {
  const nextAcceptance = (state: AttemptState, acceptance: 'unclear' | 'confirmed') =>
    next(state, { type: 'acceptance', acceptance }, resumable)

  it.each([ringing, checking])('removes the time limit of an attempt in the state $name', (state) => {
    expect(nextAcceptance(state, 'unclear')).toEqual(unclear)
    expect(msUntilLimit({ name: 'unclear' }, resumable, now)).toBe(Infinity)
  })
  it.each([answered, cutShort, detaching])('does not change an attempt in the state $name', (state) => {
    expect(nextAcceptance(state, 'unclear')).toBe(state)
    expect(nextAcceptance(state, 'confirmed')).toBe(state)
  })
  it('once the provider confirms the call, lets the attempt ring for 20 more seconds, so that reports can arrive', () => {
    expect(nextAcceptance(unclear, 'confirmed')).toEqual({ name: 'ringing', confirmedAt: now })
    expect(msUntilLimit({ name: 'ringing', confirmedAt: now }, resumable, now)).toBe(20_000)
  })
})

describe('the call limit', () => {
  it('cuts the call short, and keeps the transcript that the provider sends', () => {
    expect(afterLimit(answered)).toEqual(cutShort)
    const result = { outcome: 'answered', endedReason: 'call_limit_reached', answeredAt: after(10) }
    const { transcript } = conversation
    const handedOver = next(cutShort, { type: 'provider_ended', result: conversation })
    expect(handedOver).toMatchObject({ name: 'ended', result: { ...result, transcript } })
    expect(afterLimit(cutShort)).toMatchObject({ name: 'ended', result: { ...result, transcript: [] } })
  })
})

describe('a worker that loses its lease or stops', () => {
  it.each([ringing, checking, unclear, answered])(
    'leaves a resumable call in the state $name to the next worker',
    (state) => {
      expect(next(state, { type: 'abandoned' }, resumable)).toEqual(detaching)
    },
  )
  it.each([ringing, answered])(
    'hangs up a call in the state $name if its provider is not resumable',
    (state) => {
      const ended = { name: 'ended', result: 'abandoned', hangUp: 'abandoned' }
      expect(next(state, { type: 'abandoned' })).toEqual(ended)
    },
  )
  it('never hangs up a call that it leaves to the next worker', () => {
    const ended = { name: 'ended', result: 'abandoned' }
    expect(next(detaching, { type: 'provider_ended', result: conversation }, resumable)).toEqual(ended)
    expect(afterLimit(detaching, resumable)).toEqual(ended)
  })
  it('still waits for the transcript of a call that was cut short', () => {
    expect(next(cutShort, { type: 'abandoned' }, resumable)).toBe(cutShort)
  })
})

describe('an attempt that was taken over', () => {
  it('continues as answered if it has an answer time, and otherwise as ringing', () => {
    expect(initialState(null)).toEqual(ringing)
    expect(initialState(after(10))).toEqual(answered)
  })
  it("reaches no limit until the worker has had time to ask the provider for the attempt's state", () => {
    expect(msUntilLimit({ name: 'ringing' }, takenOver, now)).toBe((20 - 10) * 1000)
  })
})
