import { beforeEach, describe, expect, it } from '@jest/globals'
import { endedReasonTexts, type RetryPolicy, waitingForTexts } from '@outdial/contract'
import { sql } from 'kysely'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { markAnswered } from '../../calling/dialer/attempt-store.ts'
import { claimTestCalls } from '../../calling/dialer/claim-calls.ts'
import { finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { describeWait } from '../../dashboard/stories/describe-waiting.ts'
import type { Actor } from '../../platform/core/actor.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { createTimeFormats } from '../../platform/views/format.ts'
import { eraseContact } from '../../privacy/erase-contact.ts'
import { eraseOldConversations } from '../../queue/calls/erase-calls.ts'
import { findWaits } from '../../queue/calls/when-and-why.ts'
import { archiveCampaign } from '../../queue/campaigns/campaign-status.ts'
import { editCampaign } from '../../queue/campaigns/edit-campaign.ts'
import { queueCall } from '../../queue/contacts/add-contacts.ts'
import type { CallAddition } from '../../queue/contacts/add-request.ts'
import { deleteOldNumberUse } from '../../queue/rules/call-rules.ts'
import { realLease, useRulesWorld } from '../support/call-rules.ts'
import { seedCall } from '../support/calls.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { freshNumber, noRetry, seedCampaign } from '../support/factories.ts'

// It's noon in New York. The clock is ahead of the database's, so that the database's clock doesn't delay the campaigns' turns.
const start = '2100-03-03T17:00:00.000Z'
const world = useRulesWorld(start)
const { setRules, changeRules, queue, read, claim, claimOne, finish, advanceHours } = world

let number: string

const setRetry = (retry: RetryPolicy) =>
  editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, { retry })

/** Places a call that isn't answered and isn't retried. Returns its ID. */
async function callInVain(fields: { campaign_id?: number } = {}): Promise<number> {
  const { id } = await queue(number, fields)
  await finish(await claimOne(id), 'no_answer', 'ring_timeout')
  return id
}

/** Returns the sentence that explains why a call waits. */
async function readWait(id: number): Promise<string | undefined> {
  const now = world.deps.clock.now()
  const wait = (await findWaits(world.deps, world.seed.workspaceId, [id], now)).get(id)
  return wait && describeWait(wait, now, createTimeFormats(now, 'America/New_York'))
}

/** Returns the time `hours` hours after the start. */
const after = (hours: number) => new Date(Date.parse(start) + hours * 3_600_000).toISOString()

const waits = (at: string) => ({ status: 'queued', waiting_for: 'frequency', next_attempt_at: at })
const dueNow = { status: 'queued', waiting_for: null }
const suppressed = { status: 'completed', outcome: 'suppressed', ended_reason: 'frequency' }

beforeEach(async () => {
  number = freshNumber()
  await setRules({ max_attempts_per_day: '2' })
  await setRetry(noRetry)
})

describe('when a call is queued', () => {
  it("still counts all other attempts of the last 30 days if an exempt attempt wasn't placed after all", async () => {
    await setRules({ max_attempts_per_30_days: '30' })
    await callInVain()
    await sql`
      update number_use set placed_at = array(
        select placed_at[1] - make_interval(hours => 12 * (30 - attempt)) from generate_series(1, 29) as attempt
      ) || placed_at`.execute(world.deps.db)
    const { id: stopped, contact } = await queue(number)
    expect(await read(stopped)).toMatchObject(suppressed)
    const { userId } = world.seed
    const again = await queueFurther(contact.id, {
      call: { isExempt: true, origin: { kind: 'call_again', id: userId, call_id: stopped } },
      actor: { kind: 'member', id: userId },
    })
    const attempt = await claimOne(again)
    await finishAttempt(world.deps, attempt, { ...emptyResult('failed', 'line_failed'), notPlaced: true })
    const { rows } = await sql<{ attempts: number }>`
      select cardinality(placed_at) as attempts from number_use`.execute(world.deps.db)
    expect(rows).toEqual([{ attempts: 30 }])
  })

  it('if the rules allow two attempts a day, delays a third one until 24 hours after the first', async () => {
    await callInVain()
    advanceHours(2)
    await callInVain()
    expect(await queue(number)).toMatchObject(waits(after(24)))
    expect(await queue(freshNumber())).toMatchObject(dueNow)
  })

  it('counts the attempts of all campaigns, including attempts that were placed while the rule was off', async () => {
    await setRules({})
    const campaign_id = await seedCampaign(world.deps, world.seed)
    await callInVain({ campaign_id })
    await callInVain()
    await setRules({ max_attempts_per_day: '2' })
    expect(await queue(number, { campaign_id })).toMatchObject(waits(after(24)))
  })

  it('suppresses a call that would have to wait for more than 7 days', async () => {
    await setRules({ max_attempts_per_30_days: '1' })
    await callInVain()
    const { id } = await queue(number)
    expect(await read(id)).toMatchObject(suppressed)
    advanceHours(24 * 23)
    expect(await queue(number)).toMatchObject(waits(after(720)))
  })

  it('says why the call waits, and until when', async () => {
    await callInVain()
    await callInVain()
    const { id } = await queue(number)
    expect(await readWait(id)).toMatch(
      /^This number was called as often as allowed\. .*Next attempt: .*12:00 PM/,
    )
    expect(waitingForTexts.frequency.meaning).toBe('This number was called as often as allowed.')
    expect(endedReasonTexts.frequency.meaning).toBe("This number can't be called again within 7 days.")
  })

  it('names the limit on attempts, not calling hours, as the reason why a scheduled call waits', async () => {
    await callInVain()
    await callInVain()
    const { id } = await queue(number, { scheduled_at: after(2) })
    expect(await readWait(id)).toMatch(
      /^Scheduled for 2:00 PM\. This number was called as often as allowed\. It's [^.]*\. Next attempt: [^.]*12:00 PM\.$/,
    )
  })

  it('names the limit on attempts as the reason why a retry waits', async () => {
    await callInVain()
    await setRetry({ max_attempts: 3, delay_minutes: 60, on: ['no_answer'] })
    const id = await callInVain()
    expect(await readWait(id)).toMatch(
      /^Waiting to retry after attempt 1 of 3\. This number was called as often as allowed\. It's [^.]*\. Next attempt: /,
    )
  })

  it('still counts the attempts to a number after its contact was erased', async () => {
    const { contact } = await queue(number)
    const [attempt] = await claim()
    if (attempt === undefined) throw new Error('the call was not claimed')
    await finish(attempt, 'no_answer', 'ring_timeout')
    await callInVain()
    await eraseContact(world.deps, world.seed.workspaceId, contact.id)
    expect(await queue(number)).toMatchObject(waits(after(24)))
    const stored = await world.database.db.selectFrom('number_use').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain(number.slice(1))
  })

  it("doesn't count simulated calls or test calls", async () => {
    const simulated = { ...world.deps, config: { ...world.deps.config, telephony: 'simulated' as const } }
    for (let round = 0; round < 2; round += 1) {
      await seedCall(simulated, world.seed, number)
      const [attempt] = await claimAndSettle(simulated, { ...realLease, provider: 'simulated' }, 1)
      if (attempt === undefined) throw new Error('the call was not claimed')
      await finishAttempt(simulated, attempt, emptyResult('no_answer', 'ring_timeout'))
      await queue(number, { test: true })
      const [test] = await claimTestCalls(world.deps, realLease, 1)
      if (test === undefined) throw new Error('the test call was not claimed')
      await finish(test, 'no_answer', 'ring_timeout')
    }
    expect(await queue(number)).toMatchObject(dueNow)
    expect(await queue(number, { test: true })).toMatchObject(dueNow)
  })
})

describe('when a call is claimed', () => {
  it('reschedules a due call if its number has been called as often as allowed since the call was queued', async () => {
    const campaign_id = await seedCampaign(world.deps, world.seed)
    await callInVain()
    const { id } = await queue(number)
    const other = await queue(number, { campaign_id })
    const attempts = await claim()
    expect(attempts).toHaveLength(1)
    for (const attempt of attempts) await finish(attempt, 'no_answer', 'ring_timeout')
    expect(await claim()).toEqual([])
    const waiting = attempts[0]?.request.callId === id ? other.id : id
    expect(await read(waiting)).toMatchObject(waits(after(24)))
    advanceHours(24)
    await claimOne(waiting)
  })

  it('completes a call as suppressed if it would have to wait for more than 7 days', async () => {
    await setRules({ max_attempts_per_30_days: '1' })
    const campaign_id = await seedCampaign(world.deps, world.seed)
    const calls = [await queue(number), await queue(number, { campaign_id })]
    const [attempt, ...others] = await claim()
    if (attempt === undefined) throw new Error('no call was claimed')
    expect(others).toEqual([])
    await finish(attempt, 'no_answer', 'ring_timeout')
    expect(await claim()).toEqual([])
    const waiting = calls.find(({ id }) => id !== attempt.request.callId)
    expect(await read(waiting?.id ?? 0)).toMatchObject(suppressed)
  })

  it("doesn't count an attempt that wasn't placed after all, and reschedules the number's waiting calls", async () => {
    const campaign_id = await seedCampaign(world.deps, world.seed)
    await setRules({ max_attempts_per_day: '1' })
    const { id } = await queue(number)
    const attempt = await claimOne(id)
    const other = await queue(number, { campaign_id })
    expect(await read(other.id)).toMatchObject(waits(after(24)))
    await finishAttempt(world.deps, attempt, { ...emptyResult('failed', 'line_failed'), notPlaced: true })
    expect(await read(id)).toMatchObject(dueNow)
    expect(await read(other.id)).toMatchObject(dueNow)
  })

  it("doesn't count an attempt that wasn't placed, even if its campaign was archived during the attempt", async () => {
    const campaign_id = await seedCampaign(world.deps, world.seed)
    await setRules({ max_attempts_per_day: '1', max_attempts_per_own_number: '1' })
    const { id } = await queue(number)
    const attempt = await claimOne(id)
    const other = await queue(number, { campaign_id })
    await archiveCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId)
    await finishAttempt(world.deps, attempt, { ...emptyResult('failed', 'line_failed'), notPlaced: true })
    expect(await read(id)).toMatchObject({ status: 'completed' })
    expect((await claim()).map(({ request }) => request.callId)).toEqual([other.id])
  })
})

describe('when an attempt ends', () => {
  it('delays the retry until the number can be called again', async () => {
    await setRetry({ max_attempts: 3, delay_minutes: 60, on: ['busy'] })
    const { id } = await queue(number)
    await finish(await claimOne(id), 'busy', 'line_busy')
    expect(await read(id)).toMatchObject({ waiting_for: 'retry', next_attempt_at: after(1) })
    advanceHours(1)
    await finish(await claimOne(id), 'busy', 'line_busy')
    expect(await read(id)).toMatchObject({ next_attempt_at: after(24) })
    advanceHours(2)
    expect(await read(id)).toMatchObject(waits(after(24)))
  })

  it("ends the call with the attempt's outcome if the retry would have to wait for more than 7 days", async () => {
    await setRetry({ max_attempts: 3, delay_minutes: 60, on: ['busy'] })
    await setRules({ max_attempts_per_30_days: '1' })
    const { id } = await queue(number)
    await finish(await claimOne(id), 'busy', 'line_busy')
    expect(await read(id)).toMatchObject({ status: 'completed', outcome: 'busy', ended_reason: 'line_busy' })
  })
})

describe('one conversation per number in 24 hours', () => {
  it('delays a call until 24 hours after a conversation with the number, except in campaigns without this limit', async () => {
    await setRules({})
    const { workspaceId, campaignId } = world.seed
    await editCampaign(world.deps, workspaceId, campaignId, { oneConversationPerDay: true })
    const campaign_id = await seedCampaign(world.deps, world.seed)
    await callInVain()
    expect(await queue(number)).toMatchObject(dueNow)
    const [attempt] = await claim()
    if (attempt === undefined) throw new Error('the call was not claimed')
    await finish(attempt, 'answered', 'contact_hung_up')
    expect(await queue(number)).toMatchObject(waits(after(24)))
    expect(await queue(number, { campaign_id })).toMatchObject(dueNow)
  })
})

describe('a conversation that was cut off', () => {
  it("counts as a conversation, and isn't retried", async () => {
    await setRules({})
    const { workspaceId, campaignId } = world.seed
    await editCampaign(world.deps, workspaceId, campaignId, {
      oneConversationPerDay: true,
      retry: { max_attempts: 3, delay_minutes: 60, on: ['failed'] },
    })
    const { id } = await queue(number)
    const attempt = await claimOne(id)
    await markAnswered(world.database.db, workspaceId, [{ ...attempt, at: world.deps.clock.now() }])
    await finish(attempt, 'failed', 'line_failed')
    expect(await read(id)).toMatchObject({ status: 'completed', outcome: 'failed', attempts: 1 })
    expect(await queue(number)).toMatchObject(waits(after(24)))
  })
})

describe('when the rules change while calls wait', () => {
  it('makes calls due if more attempts are allowed, and makes them wait if fewer are', async () => {
    await callInVain()
    await callInVain()
    const { id } = await queue(number)
    await changeRules({ max_attempts_per_day: '3' })
    expect(await read(id)).toMatchObject(dueNow)
    await changeRules({ max_attempts_per_day: '1' })
    expect(await read(id)).toMatchObject(waits(after(24)))
    await changeRules({ max_attempts_per_30_days: '1' })
    expect(await read(id)).toMatchObject(suppressed)
  })
})

/** Ends an attempt with a conversation. `speakers` says who speaks in each turn. */
const finishConversation = (
  attempt: Parameters<typeof finishAttempt>[1],
  speakers: readonly Parameters<typeof said>[0][],
) =>
  finishAttempt(world.deps, attempt, {
    ...emptyResult('answered', 'contact_hung_up'),
    answeredAt: world.deps.clock.now(),
    transcript: speakers.map((speaker) => said(speaker)),
  })

describe('calls that are exempt', () => {
  it('despite the limit, places a callback that the contact asked for, and counts its attempt', async () => {
    await setRules({ max_attempts_per_day: '1' })
    const { id, contact } = await queue(number)
    const attempt = await claimOne(id)
    const callback = await seedCallback(id, contact.id)
    await finishConversation(attempt, ['agent', 'contact', 'agent', 'contact'])
    expect(await read(callback)).toMatchObject({ waiting_for: null })
    await finish(await claimOne(callback), 'no_answer', 'ring_timeout')
    expect(await queue(number)).toMatchObject({ waiting_for: 'frequency' })
  })

  it("doesn't delay a callback if the conversation in which the contact asked for it has since been erased", async () => {
    await setRules({ max_attempts_per_day: '1' })
    const { id, contact } = await queue(number)
    const attempt = await claimOne(id)
    const callback = await seedCallback(id, contact.id)
    await finishConversation(attempt, ['contact', 'agent', 'contact'])
    advanceHours(1)
    const now = world.deps.clock.now()
    const { workspaceId } = world.seed
    expect(await eraseOldConversations(world.deps.db, workspaceId, { before: now, now, limit: 10 })).toEqual([
      id,
    ])
    expect(await claimOne(callback)).toMatchObject({ request: { callId: callback } })
  })

  it('delays a callback if the contact spoke only once in the conversation, as a voicemail greeting does', async () => {
    await setRules({ max_attempts_per_day: '1' })
    const { id, contact } = await queue(number)
    const attempt = await claimOne(id)
    const callback = await seedCallback(id, contact.id)
    await finishConversation(attempt, ['contact', 'agent'])
    expect(await claim()).toEqual([])
    expect(await read(callback)).toMatchObject(waits(after(24)))
  })
})

const said = (role: 'agent' | 'contact') => ({
  role,
  text: 'Hello.',
  at: world.deps.clock.now().toISOString(),
})

/** Queues another call to a contact, on behalf of a member or an agent. */
async function queueFurther(
  contactId: number,
  { call, actor }: { call: Pick<CallAddition, 'isExempt' | 'origin'>; actor: Actor },
): Promise<number> {
  const { campaignId, workspaceId } = world.seed
  const addition: CallAddition = {
    ...{ campaignId, scheduledAt: null, metadata: {}, test: false, ...call },
    ifOpen: 'queue',
    ifListed: 'reject',
  }
  const queued = await inTransaction(world.deps, (tx) =>
    queueCall(tx, workspaceId, contactId, { call: addition, actor }),
  )
  return queued.id
}

/** Queues a callback as an agent does during a call. */
const seedCallback = (callId: number, contactId: number): Promise<number> =>
  queueFurther(contactId, {
    call: { origin: { kind: 'scheduled_callback', id: world.seed.agentId, call_id: callId } },
    actor: { kind: 'agent', id: world.seed.agentId, call_id: callId },
  })

it("deletes the record of a number's attempts 30 days after the last one", async () => {
  await callInVain()
  const rows = world.database.db
    .selectFrom('number_use')
    .select('placed_at')
    .where('workspace_id', '=', world.seed.workspaceId)
  const count = async () => (await rows.execute()).length
  advanceHours(24 * 30 - 1)
  await deleteOldNumberUse(world.database.db, world.deps.clock.now())
  expect(await count()).toBe(1)
  advanceHours(2)
  await deleteOldNumberUse(world.database.db, world.deps.clock.now())
  expect(await count()).toBe(0)
})
