import { beforeEach, describe, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { startSweeper } from '../../calling/dialer/sweeper.ts'
import { describeWait } from '../../dashboard/stories/describe-waiting.ts'
import { describeLimitStop, findLimitStops } from '../../dashboard/stories/limit-stops.ts'
import { createTimeFormats } from '../../platform/views/format.ts'
import { findWaits } from '../../queue/calls/when-and-why.ts'
import { pauseCampaign, resumeCampaign } from '../../queue/campaigns/campaign-status.ts'
import { editCampaign } from '../../queue/campaigns/edit-campaign.ts'
import { useRulesWorld } from '../support/call-rules.ts'
import { freshNumber, noRetry, seedCampaign } from '../support/factories.ts'
import { waitForValue } from '../support/wait.ts'

// Campaigns' turns also depend on the database's clock. The test's clock is ahead of it, so that limits end after the
// database's current time.
const world = useRulesWorld('2100-03-03T17:00:00.000Z')
const { setRules, changeRules, queue, read, claim, claimOne, finish } = world

const findQueue = (campaignId = world.seed.campaignId) =>
  world.database.db
    .selectFrom('campaign_queue')
    .select(['claim_at', 'limited_by', 'limited_until'])
    .where('campaign_id', '=', campaignId)
    .executeTakeFirstOrThrow()

const callInVain = async () => {
  const { id } = await queue(freshNumber())
  await finish(await claimOne(id), 'no_answer', 'ring_timeout')
}

/** Returns when the next day or month begins in New York. */
async function nextStart(unit: 'day' | 'month'): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`
    select (date_trunc(${unit}, ${world.deps.clock.now()}::timestamptz at time zone 'America/New_York')
      + ${`1 ${unit}`}::interval) at time zone 'America/New_York' as at`.execute(world.database.db)
  return rows[0]?.at ?? new Date(0)
}

beforeEach(async () => {
  await editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, { retry: noRetry })
})

describe('calls per day from a number', () => {
  it("once a number's calls for the day are used up, stops its campaigns until the next day", async () => {
    await setRules({ max_attempts_per_own_number: '2' })
    const other = await seedCampaign(world.deps, world.seed)
    await callInVain()
    await callInVain()
    const { id } = await queue(freshNumber())
    const second = await queue(freshNumber(), { campaign_id: other })
    expect(await claim()).toEqual([])
    const nextDay = await nextStart('day')
    for (const campaignId of [world.seed.campaignId, other])
      expect(await findQueue(campaignId)).toEqual({
        claim_at: nextDay,
        limited_by: 'number_limit',
        limited_until: nextDay,
      })
    for (const call of [id, second.id])
      expect(await read(call)).toMatchObject({ status: 'queued', waiting_for: 'number_limit' })
    // Queuing another call must not give the campaign an earlier turn.
    await queue(freshNumber())
    expect(await findQueue()).toMatchObject({ claim_at: nextDay })
  })

  it('claims only as many calls at once as the number has left for the day', async () => {
    await setRules({ max_attempts_per_own_number: '2' })
    for (let count = 0; count < 4; count += 1) await queue(freshNumber())
    expect(await claim()).toHaveLength(2)
    expect(await claim()).toEqual([])
  })

  it("doesn't count an attempt that wasn't placed after all", async () => {
    await setRules({ max_attempts_per_own_number: '1' })
    const { id } = await queue(freshNumber())
    const attempt = await claimOne(id)
    const other = await queue(freshNumber())
    expect(await claim()).toEqual([])
    await finishAttempt(world.deps, attempt, { ...emptyResult('failed', 'line_failed'), notPlaced: true })
    expect((await claim()).map(({ request }) => [id, other.id].includes(request.callId))).toEqual([true])
  })

  it("if an attempt wasn't placed after all, subtracts it from the count of the day on which it started", async () => {
    await setRules({ max_attempts_per_own_number: '2' })
    const { id } = await queue(freshNumber())
    const attempt = await claimOne(id)
    world.advanceHours(13)
    const next = await queue(freshNumber())
    await claimOne(next.id)
    await finishAttempt(world.deps, attempt, { ...emptyResult('failed', 'line_failed'), notPlaced: true })
    await queue(freshNumber())
    expect(await claim()).toHaveLength(1)
    expect(await claim()).toEqual([])
  })

  it('lets a stopped campaign continue once calls are simulated', async () => {
    await setRules({ max_attempts_per_own_number: '1' })
    await callInVain()
    await queue(freshNumber())
    expect(await claim()).toEqual([])
    expect(await findQueue()).toMatchObject({ limited_by: 'number_limit' })
    const config = { ...world.deps.config, telephony: 'simulated' as const }
    const sweeper = startSweeper({ ...world.deps, config })
    const ended = await waitForValue(findQueue, ({ limited_by }) => limited_by === null)
    await sweeper.stop()
    expect(ended).toMatchObject({ limited_until: null })
  })

  it('starts the campaigns again when the limit is raised', async () => {
    await setRules({ max_attempts_per_own_number: '1' })
    await callInVain()
    const { id } = await queue(freshNumber())
    expect(await claim()).toEqual([])
    await changeRules({ max_attempts_per_own_number: '2' })
    expect(await findQueue()).toMatchObject({ limited_by: null, limited_until: null })
    expect(await read(id)).toMatchObject({ waiting_for: null })
    await claimOne(id)
  })

  it.each([
    ['without other rules', false],
    ['with hours by law', true],
  ])('%s, says that a call expires before the limit ends', async (_, hoursByLaw) => {
    await setRules({ max_attempts_per_own_number: '1' })
    await callInVain()
    const { id } = await queue(freshNumber())
    const { db } = world.database
    const now = world.deps.clock.now()
    const dueAt = new Date(now.getTime() - 7 * 86_400_000 + 1_000)
    await db.updateTable('call').set({ due_at: dueAt, next_attempt_at: now }).where('id', '=', id).execute()
    await setRules({ max_attempts_per_own_number: '1', hours_by_law: hoursByLaw })
    expect(await claim()).toEqual([])

    const wait = (await findWaits(world.deps, world.seed.workspaceId, [id], now)).get(id)

    expect(wait).toMatchObject({ reason: 'number_limit', never: null, nextAt: null })
    expect(wait && describeWait(wait, now, createTimeFormats(now, 'America/New_York'))).toMatch(
      /^The day's calls from the campaign's phone number are used up\. .*It can't be placed before it expires, 7 days after it was due\.$/,
    )
  })

  it('says how many waiting calls expire before the limit ends', async () => {
    await setRules({ max_attempts_per_own_number: '1' })
    await callInVain()
    const { id } = await queue(freshNumber())
    const { db } = world.database
    const now = world.deps.clock.now()
    const almostExpired = new Date(now.getTime() - 7 * 86_400_000 + 1_000)
    await db
      .updateTable('call')
      .set({ due_at: almostExpired, next_attempt_at: now })
      .where('id', '=', id)
      .execute()
    await queue(freshNumber())
    expect(await claim()).toEqual([])
    const [stop, ...others] = await findLimitStops(db, world.seed.workspaceId, now)
    expect(others).toEqual([])
    expect(stop && describeLimitStop(stop, createTimeFormats(now, 'America/New_York'))).toMatch(
      /^The day's calls from the campaign's phone number are used up\. The limit ends: .*12:00 AM\. 1 waiting call expires before then\.$/,
    )
  })
})

describe('minutes per month', () => {
  it('for each call in progress, reserves the minutes of the longest possible call, and releases the rest when the call ends', async () => {
    await setRules({ max_minutes_per_month: '70' })
    const calls = [await queue(freshNumber()), await queue(freshNumber()), await queue(freshNumber())]
    const attempts = await claim()
    expect(attempts).toHaveLength(2)
    const waiting = calls.find(({ id }) => attempts.every(({ request }) => request.callId !== id))
    expect(await claim()).toEqual([])
    expect(await read(waiting?.id ?? 0)).toMatchObject({ waiting_for: 'minutes_limit' })
    const [first] = attempts
    if (first === undefined) throw new Error('no call was claimed')
    const now = world.deps.clock.now()
    await finishAttempt(world.deps, first, {
      ...emptyResult('answered', 'contact_hung_up'),
      answeredAt: new Date(now.getTime() - 120_000),
    })
    await claimOne(waiting?.id ?? 0)
  })

  it("releases the reserved minutes of an attempt that wasn't placed after all", async () => {
    await setRules({ max_minutes_per_month: '30' })
    const { id } = await queue(freshNumber())
    const attempt = await claimOne(id)
    await queue(freshNumber())
    expect(await claim()).toEqual([])
    expect(await findQueue()).toMatchObject({ limited_by: 'minutes_limit' })
    await finishAttempt(world.deps, attempt, { ...emptyResult('failed', 'line_failed'), notPlaced: true })
    expect(await findQueue()).toMatchObject({ limited_by: null })
    expect(await claim()).toHaveLength(1)
  })

  it('for a call that ended during an outage, counts no more minutes than the longest possible call takes', async () => {
    await setRules({ max_minutes_per_month: '60' })
    const { id } = await queue(freshNumber())
    const attempt = await claimOne(id)
    const answeredAt = new Date(world.deps.clock.now().getTime() - 5 * 3_600_000)
    await finishAttempt(world.deps, attempt, { ...emptyResult('answered', 'contact_hung_up'), answeredAt })
    await claimOne((await queue(freshNumber())).id)
  })

  it('when a campaign that the limit stopped is resumed, puts it back in the queue, and stops it again at the next claim', async () => {
    await setRules({ max_minutes_per_month: '30' })
    await claimOne((await queue(freshNumber())).id)
    await queue(freshNumber())
    expect(await claim()).toEqual([])
    const key = [world.deps, world.seed.workspaceId, world.seed.campaignId] as const
    await pauseCampaign(...key)
    await resumeCampaign(...key)
    expect(await findQueue()).toMatchObject({ limited_by: null, limited_until: null })
    expect(await claim()).toEqual([])
    expect(await findQueue()).toMatchObject({ limited_by: 'minutes_limit' })
  })

  it("when the minutes left are too few for the longest possible call, stops the workspace's calls until the next month", async () => {
    await setRules({ max_minutes_per_month: '31' })
    const { id } = await queue(freshNumber())
    const attempt = await claimOne(id)
    const now = world.deps.clock.now()
    await finishAttempt(world.deps, attempt, {
      ...emptyResult('answered', 'contact_hung_up'),
      answeredAt: new Date(now.getTime() - 120_000),
    })
    const next = await queue(freshNumber())
    expect(await claim()).toEqual([])
    expect(await findQueue()).toMatchObject({
      limited_by: 'minutes_limit',
      limited_until: await nextStart('month'),
    })
    expect(await read(next.id)).toMatchObject({ waiting_for: 'minutes_limit' })
  })
})
