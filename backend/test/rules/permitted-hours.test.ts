import { beforeEach, describe, expect, it } from '@jest/globals'
import { continueRescheduling, rescheduleWorkspace } from '../../calls/reschedule-calls.ts'
import { findWaits } from '../../calls/when-and-why.ts'
import { editCampaign } from '../../campaigns/edit-campaign.ts'
import { parseConfig } from '../../config.ts'
import { emptyResult } from '../../dialer/attempt-result.ts'
import { finishAttempt } from '../../dialer/finish-attempt.ts'
import { setCallRules } from '../../rules/call-rules.ts'
import { describeWait } from '../../support/describe-waiting.ts'
import { createTimeFormats } from '../../views/format.ts'
import { getCall, listEvents, seedCall } from '../support/calls.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { everyHour } from '../support/factories.ts'
import { realCalls } from '../support/service.ts'
import { useCallsWorld } from '../support/world.ts'

const world = useCallsWorld() // its clock starts on Monday, May 4, at 11:00 in New York

const secretKey = 'test-key-of-at-least-thirty-two-characters'
const config = parseConfig({ SECRET_KEY: secretKey, LOG_LEVEL: 'silent', ...realCalls })
const deps = () => ({ ...world.deps, config })
const lease = { provider: 'http', workerId: crypto.randomUUID(), leaseMs: 60_000 }

const newYork = '+12125550101'
const miami = '+13055550101'
const louisville = '+15025550101'

const setRules = (rules: { hours_by_law?: boolean; closed_dates?: string }) =>
  setCallRules(
    deps(),
    world.seed.workspaceId,
    { countries: '', hours_by_law: false, closed_dates: '', ...rules },
    { kind: 'member', id: world.seed.userId },
  )

/** Does what the sweeper does after the rules of a workspace have changed. */
async function changeRules(rules: Parameters<typeof setRules>[0]): Promise<void> {
  await setRules(rules)
  await rescheduleWorkspace(deps(), world.seed.workspaceId)
  while (await continueRescheduling(deps(), world.seed));
}

const queue = (number: string, fields: object = {}) => seedCall(deps(), world.seed, number, fields)
const read = (id: number) => getCall(deps(), world.seed, id)
const setHours = (start: string, end: string) =>
  editCampaign(deps(), world.seed.workspaceId, world.seed.campaignId, {
    callingHours: { ...everyHour, start, end },
  })

const suppressed = { status: 'completed', outcome: 'suppressed', ended_reason: 'no_permitted_hour' }

beforeEach(async () => {
  await setRules({ hours_by_law: true })
  await editCampaign(deps(), world.seed.workspaceId, world.seed.campaignId, {
    retry: { max_attempts: 3, delay_minutes: 1, on: ['busy'] },
  })
})

describe('when a call is queued', () => {
  it('plans the call for the first hour that the law and the campaign allow', async () => {
    world.deps.clock.advance(10 * 3_600_000) // 9 PM
    expect(await read((await queue(newYork)).id)).toMatchObject({
      waiting_for: 'calling_hours',
      next_attempt_at: '2026-05-05T12:00:00.000Z',
    })
    expect(await read((await queue(louisville)).id)).toMatchObject({
      next_attempt_at: '2026-05-05T14:00:00.000Z',
    })
  })

  it('completes a call at once if the law and the campaign have no hour in common', async () => {
    await setHours('20:00', '21:00')
    const { id } = await queue(miami)
    expect(await read(id)).toMatchObject(suppressed)
    expect((await listEvents(world.deps, id)).map((event) => event.data)).toEqual([await read(id)])
    expect(await read((await queue(newYork)).id)).toMatchObject({
      next_attempt_at: '2026-05-05T00:00:00.000Z',
    })
  })

  it('says that the rules move the call', async () => {
    world.deps.clock.advance(9 * 3_600_000) // 8 PM
    const now = world.deps.clock.now()
    const { id } = await queue(miami)
    const wait = (await findWaits(deps(), world.seed.workspaceId, [id], now)).get(id)
    expect(wait && describeWait(wait, now, createTimeFormats(now, 'America/New_York'))).toMatch(
      /The hours by law or closed days move the call\. Next attempt: .*8:00 AM/,
    )
  })

  it('ignores the rules for test calls, and while calls are simulated', async () => {
    await setHours('20:00', '21:00')
    expect(await read((await queue(miami, { test: true })).id)).toMatchObject({ status: 'queued' })
    const { id } = await seedCall(world.deps, world.seed, '+13055550102')
    expect(await read(id)).toMatchObject({ next_attempt_at: '2026-05-05T00:00:00.000Z' })
  })
})

describe('when a call is claimed', () => {
  it('plans a call again that is no longer permitted now', async () => {
    const { id } = await queue(miami)
    world.deps.clock.advance(9 * 3_600_000) // 8 PM
    expect(await claimAndSettle(deps(), lease, 10)).toEqual([])
    expect(await read(id)).toMatchObject({ next_attempt_at: '2026-05-05T12:00:00.000Z' })
  })

  it('completes a call that has no permitted hour any more', async () => {
    await setRules({})
    const { id } = await queue(newYork)
    const closed_dates = Array.from({ length: 9 }, (_, day) => `2026-05-${String(day + 4).padStart(2, '0')}`)
    await setRules({ closed_dates: closed_dates.join(' ') })
    expect(await claimAndSettle(deps(), lease, 10)).toEqual([])
    expect(await read(id)).toMatchObject(suppressed)
  })

  it('places a call in a permitted hour', async () => {
    const { id } = await queue(miami)
    expect((await claimAndSettle(deps(), lease, 10)).map(({ request }) => request.callId)).toEqual([id])
  })
})

describe('when an attempt ends', () => {
  it('plans the retry for a permitted hour', async () => {
    const { id } = await queue(miami)
    const [attempt] = await claimAndSettle(deps(), lease, 10)
    if (attempt === undefined) throw new Error('the call was not claimed')
    world.deps.clock.advance(9 * 3_600_000)
    await finishAttempt(deps(), attempt, emptyResult('busy', 'line_busy'))
    expect(await read(id)).toMatchObject({ status: 'queued', next_attempt_at: '2026-05-05T12:00:00.000Z' })
  })

  it("ends the call with the attempt's outcome if no retry is permitted", async () => {
    const { id } = await queue(miami)
    const [attempt] = await claimAndSettle(deps(), lease, 10)
    if (attempt === undefined) throw new Error('the call was not claimed')
    await setHours('20:00', '21:00')
    await finishAttempt(deps(), attempt, emptyResult('busy', 'line_busy'))
    expect(await read(id)).toMatchObject({ status: 'completed', outcome: 'busy', ended_reason: 'line_busy' })
  })
})

describe('when the rules change while calls wait', () => {
  it('moves the calls later, and back', async () => {
    await setRules({})
    const { id } = await queue(newYork)
    await changeRules({ closed_dates: '2026-05-04' })
    expect(await read(id)).toMatchObject({
      waiting_for: 'calling_hours',
      next_attempt_at: '2026-05-05T04:00:00.000Z',
    })
    await changeRules({})
    expect(await read(id)).toMatchObject({ waiting_for: null })
  })

  it('completes the calls that can never be placed, and keeps the outcome of those that were attempted', async () => {
    await setRules({})
    await setHours('20:00', '21:00')
    const { id } = await queue(miami)
    const attempted = await queue('+13055550103')
    world.deps.clock.advance(9 * 3_600_000)
    const claimed = await claimAndSettle(deps(), lease, 10)
    for (const attempt of claimed) await finishAttempt(deps(), attempt, emptyResult('busy', 'line_busy'))
    const other = await queue('+13055550104')
    await changeRules({ hours_by_law: true })
    expect(await read(other.id)).toMatchObject(suppressed)
    for (const each of [id, attempted.id])
      expect(await read(each)).toMatchObject({ status: 'completed', outcome: 'busy', attempts: 1 })
  })
})
