import { describe, expect, it } from '@jest/globals'
import type { RuntimeReport } from '@outdial/contract'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { claimTestCalls } from '../../calling/dialer/claim-calls.ts'
import { finishAnalysis, finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { dayMs } from '../../platform/core/durations.ts'
import { isOnDoNotCallList } from '../../queue/calls/check-do-not-call.ts'
import { addNumbersToDoNotCallList, removeNumberFromDoNotCallList } from '../../queue/calls/do-not-call.ts'
import { dialCall, getCall, listEvents, seedCall, toCaller } from '../support/calls.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { freshNumber, seedCampaign } from '../support/factories.ts'
import { receiveReport } from '../support/receive-report.ts'
import { useCallsWorld } from '../support/world.ts'

const world = useCallsWorld()

const optOut = { ...emptyResult('answered', 'contact_hung_up'), optedOut: true, analysis: null }

/** Returns the opt-out values of a call and of its event. */
async function readOptOut(callId: number) {
  const { outcome, opted_out } = await getCall(world.deps, world.seed, callId)
  const events = await listEvents(world.deps, callId)
  return { outcome, opted_out, inEvents: events.map(({ data }) => data.opted_out) }
}

it('marks as opted out only the call in which the contact opts out, not the waiting calls that are suppressed as a result', async () => {
  const number = freshNumber()
  const { id } = await seedCall(world.deps, world.seed, number)
  const attempt = await dialCall(world.deps, world.seed, id)
  const campaign_id = await seedCampaign(world.deps, world.seed)
  const waiting = await seedCall(world.deps, world.seed, number, { campaign_id })
  expect(await finishAttempt(world.deps, attempt, optOut)).toBe('completed')
  expect(await readOptOut(id)).toEqual({ outcome: 'answered', opted_out: true, inEvents: [true] })
  expect(await readOptOut(waiting.id)).toEqual({ outcome: 'suppressed', opted_out: false, inEvents: [false] })
})

it('keeps a call marked as opted out while its event waits for the analysis', async () => {
  const { id } = await seedCall(world.deps, world.seed, freshNumber())
  const attempt = await dialCall(world.deps, world.seed, id)
  expect(await finishAttempt(world.deps, attempt, { ...optOut, analysis: undefined })).toBe('analyzing')
  await finishAnalysis(world.deps, { workspaceId: world.seed.workspaceId, callId: id }, undefined)
  expect(await readOptOut(id)).toEqual({ outcome: 'answered', opted_out: true, inEvents: [true] })
})

it('marks a requeued call and its event as opted out if a stale result reports the opt-out', async () => {
  const retry = { max_attempts: 3, delay_minutes: 60, on: ['busy' as const] }
  const campaign_id = await seedCampaign(world.deps, { ...world.seed, retry })
  const { id } = await seedCall(world.deps, world.seed, freshNumber(), { campaign_id })
  const attempt = await dialCall(world.deps, world.seed, id)
  expect(await finishAttempt(world.deps, attempt, emptyResult('busy', 'line_busy'))).toBe('requeued')
  expect(await finishAttempt(world.deps, attempt, optOut)).toBe('stale')
  expect(await readOptOut(id)).toEqual({ outcome: 'suppressed', opted_out: true, inEvents: [true] })
})

it('marks a completed call as opted out if a stale result reports the opt-out after the event was written', async () => {
  const { id } = await seedCall(world.deps, world.seed, freshNumber())
  const attempt = await dialCall(world.deps, world.seed, id)
  await finishAttempt(world.deps, attempt, emptyResult('failed', 'worker_lost'))
  expect(await finishAttempt(world.deps, attempt, optOut)).toBe('stale')
  expect(await readOptOut(id)).toEqual({ outcome: 'failed', opted_out: true, inEvents: [false] })
})

describe('an opt-out that a runtime reports after the attempt has ended', () => {
  /** Ends an attempt as if its worker was lost. Returns the report that the runtime sends afterward. */
  async function loseAttempt() {
    const number = freshNumber()
    const { id } = await seedCall(world.deps, world.seed, number)
    const lease = { provider: 'http', workerId: crypto.randomUUID(), leaseMs: 60_000 }
    const [attempt] = await claimAndSettle(world.deps, lease, 1)
    if (attempt === undefined) throw new Error('the call was not claimed')
    await finishAttempt(world.deps, attempt, emptyResult('failed', 'worker_lost'))
    const at = world.deps.clock.now().toISOString()
    const report: RuntimeReport = {
      ...{ sequence: 1, type: 'ended', at, outcome: 'answered', ended_reason: 'contact_hung_up' },
      ...{ answered_at: at, transcript: [], do_not_call: true },
    }
    const isListed = () => isOnDoNotCallList(world.deps.db, world.seed.workspaceId, number)
    return { callId: id, attemptId: attempt.id, number, report, isListed }
  }

  it.each([false, true])(
    'marks the call as opted out, and adds the number to the do-not-call list (reported with the attempt token: %s)',
    async (byToken) => {
      const { callId, attemptId, report, isListed } = await loseAttempt()
      expect(await receiveReport(world.deps, attemptId, report, { byToken })).toBe('ended')
      expect(await readOptOut(callId)).toEqual({ outcome: 'failed', opted_out: true, inEvents: [false] })
      expect(await isListed()).toBe(true)
    },
  )

  it('with the attempt token, is rejected after a day, while a report without an opt-out is rejected immediately', async () => {
    const { attemptId, report, isListed } = await loseAttempt()
    const byToken = { byToken: true }
    const other = { ...report, do_not_call: false }
    await expect(receiveReport(world.deps, attemptId, other, byToken)).rejects.toThrow()
    world.deps.clock.advance(dayMs)
    await expect(receiveReport(world.deps, attemptId, report, byToken)).rejects.toThrow()
    expect(await isListed()).toBe(false)
  })

  it("doesn't put the number back on the do-not-call list after a member has removed it", async () => {
    const { attemptId, report, number, isListed } = await loseAttempt()
    await receiveReport(world.deps, attemptId, report)
    world.deps.clock.advance(1_000)
    const phoneNumber = { phoneNumber: number }
    await removeNumberFromDoNotCallList(world.deps, toCaller(world.seed), phoneNumber, 'Agreed again')
    expect(await receiveReport(world.deps, attemptId, report)).toBe('ended')
    expect(await isListed()).toBe(false)
  })
})

it("doesn't mark a test call as opted out, even if its result contains an opt-out", async () => {
  const { id } = await seedCall(world.deps, world.seed, freshNumber(), { test: true })
  const lease = { provider: 'simulated', workerId: crypto.randomUUID(), leaseMs: 60_000 }
  const [attempt] = await claimTestCalls(world.deps, lease, 1)
  if (attempt === undefined) throw new Error('the test call was not claimed')
  expect(await finishAttempt(world.deps, attempt, optOut)).toBe('completed')
  expect(await readOptOut(id)).toEqual({ outcome: 'answered', opted_out: false, inEvents: [false] })
})

it("doesn't mark a call as opted out if it's suppressed because the API put its number on the do-not-call list", async () => {
  const { id, to_number: phoneNumber } = await seedCall(world.deps, world.seed, freshNumber())
  const entry = { source: 'api', reason: null } as const
  await addNumbersToDoNotCallList(world.deps, world.seed.workspaceId, { phoneNumber }, entry)
  expect(await readOptOut(id)).toEqual({ outcome: 'suppressed', opted_out: false, inEvents: [false] })
})
