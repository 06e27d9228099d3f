import { beforeEach, describe, expect, it } from '@jest/globals'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { describeWait } from '../../dashboard/stories/describe-waiting.ts'
import { createTimeFormats } from '../../platform/views/format.ts'
import { findWaits } from '../../queue/calls/when-and-why.ts'
import { editCampaign } from '../../queue/campaigns/edit-campaign.ts'
import { useRulesWorld } from '../support/call-rules.ts'
import { listEvents, seedCall } from '../support/calls.ts'
import { everyHour } from '../support/factories.ts'

const world = useRulesWorld() // its clock starts on Monday, May 4, at 11:00 in New York
const { setRules, changeRules, queue, read, claim, claimOne } = world

const newYork = '+12125550101'
const miami = '+13055550101'
const louisville = '+15025550101'

const setHours = (start: string, end: string) =>
  editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, {
    callingHours: { ...everyHour, start, end },
  })

/** Returns the sentence that explains why a call waits. */
async function readWait(id: number): Promise<string | undefined> {
  const now = world.deps.clock.now()
  const wait = (await findWaits(world.deps, world.seed.workspaceId, [id], now)).get(id)
  return wait && describeWait(wait, now, createTimeFormats(now, 'America/New_York'))
}

const suppressed = { status: 'completed', outcome: 'suppressed', ended_reason: 'no_permitted_hour' }

beforeEach(async () => {
  await setRules({ hours_by_law: true })
  await editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, {
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

  it('if the law and the campaign have no hour in common, immediately suppresses the call and creates its event', async () => {
    await setHours('20:00', '21:00')
    const { id } = await queue(miami)
    expect(await read(id)).toMatchObject(suppressed)
    expect((await listEvents(world.deps, id)).map((event) => event.data)).toEqual([await read(id)])
    expect(await read((await queue(newYork)).id)).toMatchObject({
      next_attempt_at: '2026-05-05T00:00:00.000Z',
    })
  })

  it('says that the hours by law or closed days delay the call', async () => {
    world.deps.clock.advance(9 * 3_600_000) // 8 PM
    const { id } = await queue(miami)
    expect(await readWait(id)).toMatch(
      /The hours by law or closed days delay the call\. Next attempt: .*8:00 AM/,
    )
  })

  it('names the hours by law, not calling hours, as the reason why a scheduled call waits', async () => {
    const { id } = await queue('+12515550101', { scheduled_at: '2026-05-10T16:00:00Z' }) // a Sunday in Alabama
    expect(await readWait(id)).toMatch(
      /^Scheduled for [^.]*\. It's [^.]*\. The hours by law or closed days delay the call\. Next attempt: May 11, 8:00 AM /,
    )
  })

  it("doesn't apply the rules to test calls, or while calls are simulated", async () => {
    await setHours('20:00', '21:00')
    expect(await read((await queue(miami, { test: true })).id)).toMatchObject({ status: 'queued' })
    const simulated = { ...world.deps, config: { ...world.deps.config, telephony: 'simulated' as const } }
    const { id } = await seedCall(simulated, world.seed, '+13055550102')
    expect(await read(id)).toMatchObject({ next_attempt_at: '2026-05-05T00:00:00.000Z' })
  })
})

describe('when a call is claimed', () => {
  it('reschedules a due call if the hours by law have ended since it was queued', async () => {
    const { id } = await queue(miami)
    world.deps.clock.advance(9 * 3_600_000) // 8 PM
    expect(await claim()).toEqual([])
    expect(await read(id)).toMatchObject({ next_attempt_at: '2026-05-05T12:00:00.000Z' })
  })

  it('suppresses a call that no longer has a permitted hour', async () => {
    await setRules({})
    const { id } = await queue(newYork)
    const closed_dates = Array.from({ length: 9 }, (_, day) => `2026-05-${String(day + 4).padStart(2, '0')}`)
    await setRules({ closed_dates: closed_dates.join(' ') })
    expect(await claim()).toEqual([])
    expect(await read(id)).toMatchObject(suppressed)
  })

  it('claims a call within a permitted hour', async () => {
    const { id } = await queue(miami)
    expect((await claim()).map(({ request }) => request.callId)).toEqual([id])
  })
})

describe('when an attempt ends', () => {
  it('plans the retry for a permitted hour', async () => {
    const { id } = await queue(miami)
    const attempt = await claimOne(id)
    world.deps.clock.advance(9 * 3_600_000)
    await finishAttempt(world.deps, attempt, emptyResult('busy', 'line_busy'))
    expect(await read(id)).toMatchObject({ status: 'queued', next_attempt_at: '2026-05-05T12:00:00.000Z' })
  })

  it("ends the call with the attempt's outcome if no retry is permitted", async () => {
    const { id } = await queue(miami)
    const attempt = await claimOne(id)
    await setHours('20:00', '21:00')
    await finishAttempt(world.deps, attempt, emptyResult('busy', 'line_busy'))
    expect(await read(id)).toMatchObject({ status: 'completed', outcome: 'busy', ended_reason: 'line_busy' })
  })
})

describe('when the rules change while calls wait', () => {
  it('delays calls on a day that is now closed, and makes them due again when the rule is removed', async () => {
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

  it('suppresses calls that can never be placed, but ends waiting retries with the outcome of their last attempt', async () => {
    await setRules({})
    await setHours('20:00', '21:00')
    const { id } = await queue(miami)
    const attempted = await queue('+13055550103')
    world.deps.clock.advance(9 * 3_600_000)
    const claimed = await claim()
    for (const attempt of claimed) await finishAttempt(world.deps, attempt, emptyResult('busy', 'line_busy'))
    const other = await queue('+13055550104')
    await changeRules({ hours_by_law: true })
    expect(await read(other.id)).toMatchObject(suppressed)
    for (const each of [id, attempted.id])
      expect(await read(each)).toMatchObject({ status: 'completed', outcome: 'busy', attempts: 1 })
  })
})
