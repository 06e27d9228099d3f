import { beforeEach, describe, expect, it } from '@jest/globals'
import type { Call } from '@outdial/contract'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { ApiError } from '../../platform/core/errors.ts'
import { leftOut } from '../../platform/core/share.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { editCampaign } from '../../queue/campaigns/edit-campaign.ts'
import { addContacts } from '../../queue/contacts/add-contacts.ts'
import { queueCallback } from '../../queue/contacts/queue-callback.ts'
import { type TypedRules, useRulesWorld } from '../support/call-rules.ts'
import { freshNumber } from '../support/factories.ts'

// In each of these tests, a call breaks one rule when the rule is checked at one of several moments. The clock is ahead of the
// database's, so that the database's clock doesn't delay the campaigns' turns. In New York, it shows noon on Veterans Day, a
// Thursday.
const start = '2100-11-11T17:00:00.000Z'
const world = useRulesWorld(start)

const after = (hours: number) => new Date(Date.parse(start) + hours * 3_600_000).toISOString()
const suppressed = (ended_reason: string) => ({ status: 'completed', outcome: 'suppressed', ended_reason })
const waits = (waiting_for: string, next_attempt_at = start) => ({
  status: 'queued',
  waiting_for,
  next_attempt_at,
})
const lastOutcome = { status: 'completed', outcome: 'busy', ended_reason: 'line_busy' }

const momentNames = ['queueing', 'claiming', 'retry', 'import', 'callback', 'change'] as const

/** What a test expects: the call as the API shows it, the reason why no call was queued, or an error's code. */
type Result = object | string

interface Case {
  rules?: TypedRules
  /** A requirement of the campaign itself. */
  campaign?: { oneConversationPerDay: true } | { closedOnFederalHolidays: true }
  /** The rules that apply before `rules` are set. Limits by day and month count only attempts after the limit was set. */
  before?: TypedRules
  /** How an earlier call to the number ended, if there was one. */
  wasCalled?: 'no_answer' | 'answered'
  number?: string
  consent?: { source: string; at: string }
  /** True if the retry and the callback must become due before the result is read. */
  isDueAgain?: boolean
  queueing: Result
  claiming: Result
  retry: Result
  import: Result
  callback: Result
  change: Result
}

/** 24 hours after the earlier conversation began, which was a minute before the start. */
const dayAfterAnswer = after(24 - 1 / 60)

const nineDays = Array.from({ length: 9 }, (_, day) => `2100-11-${day + 11}`).join(' ')

const cases: Record<string, Case> = {
  "a country that isn't called": {
    rules: { countries: 'Germany' },
    queueing: 'country_not_allowed',
    claiming: suppressed('destination_not_allowed'),
    retry: suppressed('destination_not_allowed'),
    import: 'country_not_allowed',
    callback: 'not_callable',
    change: suppressed('destination_not_allowed'),
  },
  'a missing consent': {
    rules: { consent_required: 'any' },
    queueing: suppressed('consent_missing'),
    claiming: suppressed('consent_missing'),
    retry: suppressed('consent_missing'),
    import: 'consent_missing',
    callback: 'not_callable',
    change: suppressed('consent_missing'),
  },
  'a consent that is too old': {
    rules: { consent_required: 'any', consent_max_age_days: '30' },
    consent: { source: 'Form', at: '2100-10-11T16:00:00Z' },
    queueing: suppressed('consent_expired'),
    claiming: suppressed('consent_expired'),
    retry: suppressed('consent_expired'),
    import: 'consent_expired',
    callback: 'not_callable',
    change: suppressed('consent_expired'),
  },
  'the call attempts in 24 hours': {
    rules: { max_attempts_per_day: '1' },
    wasCalled: 'no_answer',
    queueing: waits('frequency', after(24)),
    claiming: waits('frequency', after(24)),
    retry: waits('retry', after(24)),
    import: waits('frequency', after(24)),
    // The contact asked for this callback in a conversation, so the limit doesn't delay it.
    callback: { status: 'queued', next_attempt_at: after(1) },
    change: waits('frequency', after(24)),
  },
  'the call attempts in 30 days': {
    rules: { max_attempts_per_30_days: '1' },
    wasCalled: 'no_answer',
    queueing: suppressed('frequency'),
    claiming: suppressed('frequency'),
    retry: lastOutcome,
    import: suppressed('frequency'),
    callback: { status: 'queued', next_attempt_at: after(1) },
    change: suppressed('frequency'),
  },
  'one conversation per number in 24 hours': {
    campaign: { oneConversationPerDay: true },
    wasCalled: 'answered',
    queueing: waits('frequency', dayAfterAnswer),
    claiming: waits('frequency', dayAfterAnswer),
    retry: waits('retry', dayAfterAnswer),
    import: waits('frequency', dayAfterAnswer),
    callback: { status: 'queued', next_attempt_at: after(1) },
    change: waits('frequency', dayAfterAnswer),
  },
  'the hours by law': {
    rules: { hours_by_law: true },
    // At the start, it's 3 AM in Guam.
    number: '+16714720000',
    queueing: waits('calling_hours', after(5)),
    claiming: waits('calling_hours', after(5)),
    retry: waits('retry', after(5)),
    import: waits('calling_hours', after(5)),
    callback: { status: 'queued', next_attempt_at: after(5) },
    change: waits('calling_hours', after(5)),
  },
  'a federal holiday': {
    campaign: { closedOnFederalHolidays: true },
    queueing: waits('calling_hours', after(12)),
    claiming: waits('calling_hours', after(12)),
    retry: waits('retry', after(12)),
    import: waits('calling_hours', after(12)),
    callback: { status: 'queued', next_attempt_at: after(12) },
    change: waits('calling_hours', after(12)),
  },
  'a closed day': {
    rules: { closed_dates: '2100-11-11' },
    queueing: waits('calling_hours', after(12)),
    claiming: waits('calling_hours', after(12)),
    retry: waits('retry', after(12)),
    import: waits('calling_hours', after(12)),
    callback: { status: 'queued', next_attempt_at: after(12) },
    change: waits('calling_hours', after(12)),
  },
  'no permitted hour': {
    rules: { closed_dates: nineDays },
    queueing: suppressed('no_permitted_hour'),
    claiming: suppressed('no_permitted_hour'),
    retry: lastOutcome,
    import: suppressed('no_permitted_hour'),
    callback: 'not_callable',
    change: suppressed('no_permitted_hour'),
  },
  "the calls per day from the workspace's own number": {
    rules: { max_attempts_per_own_number: '1' },
    before: { max_attempts_per_own_number: '10' },
    wasCalled: 'no_answer',
    isDueAgain: true,
    queueing: waits('number_limit'),
    claiming: waits('number_limit'),
    retry: waits('number_limit', after(1)),
    import: waits('number_limit'),
    callback: waits('number_limit', after(1)),
    change: waits('number_limit'),
  },
  'the minutes per month': {
    rules: { max_minutes_per_month: '30' },
    before: { max_minutes_per_month: '600' },
    wasCalled: 'answered',
    isDueAgain: true,
    queueing: waits('minutes_limit'),
    claiming: waits('minutes_limit'),
    retry: waits('minutes_limit', after(1)),
    import: waits('minutes_limit'),
    callback: waits('minutes_limit', after(1)),
    change: waits('minutes_limit'),
  },
}

let number: string
const callOf = async (id: number): Promise<Call> => {
  // Only a claim notices limits. The other rules have already ended or delayed the call, so it isn't claimed.
  expect(await world.claim()).toEqual([])
  return world.read(id)
}

const queue = ({ consent }: Case): Promise<Call> => world.queue(number, consent && { consent })

/** Sets the case's `before` rules, and places the earlier call if `wasCalled` is set. */
async function callBefore({ before = {}, wasCalled }: Case): Promise<void> {
  await world.setRules(before)
  if (wasCalled === undefined) return
  const { id } = await world.queue(number)
  const attempt = await world.claimOne(id)
  const isAnswered = wasCalled === 'answered'
  await finishAttempt(world.deps, attempt, {
    ...emptyResult(wasCalled, isAnswered ? 'contact_hung_up' : 'ring_timeout'),
    answeredAt: isAnswered ? new Date(Date.parse(start) - 60_000) : null,
  })
}

async function setRule({ rules = {}, campaign }: Case): Promise<void> {
  await world.setRules(rules)
  if (campaign === undefined) return
  await editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, campaign)
}

/** Advances the clock to the time of the retry or callback, if the case says so. */
const waitUntilDue = ({ isDueAgain }: Case): void => {
  if (isDueAgain === true) world.advanceHours(1)
}

const toCode = (error: unknown): string => {
  if (error instanceof ApiError) return error.details[0]?.code ?? error.code
  throw error
}

/** For each moment, a function that makes a call break the rules at that moment and returns the result. */
const moments: Record<(typeof momentNames)[number], (rule: Case) => Promise<Result>> = {
  queueing: async (rule) => {
    await callBefore(rule)
    await setRule(rule)
    try {
      return await callOf((await queue(rule)).id)
    } catch (error) {
      return toCode(error)
    }
  },
  claiming: async (rule) => {
    await callBefore(rule)
    const { id } = await queue(rule)
    await setRule(rule)
    return callOf(id)
  },
  retry: async (rule) => {
    await callBefore(rule)
    const { id } = await queue(rule)
    const attempt = await world.claimOne(id)
    await setRule(rule)
    await world.finish(attempt, 'busy', 'line_busy')
    waitUntilDue(rule)
    return callOf(id)
  },
  import: async (rule) => {
    await callBefore(rule)
    await setRule(rule)
    const { workspaceId, userId, campaignId } = world.seed
    const actor = { kind: 'import', id: 1, user_id: userId, name: 'leads.csv' } as const
    const call = { campaignId, scheduledAt: null, ifOpen: 'skip', ifListed: 'skip', test: false } as const
    const { consent } = rule
    const addition = {
      contact: { phoneNumber: number },
      changes: consent ? { consent_source: consent.source, consent_at: new Date(consent.at) } : {},
      doNotCallNumbers: [],
      call: { ...call, metadata: {}, origin: actor },
      actor,
    }
    const [decision] = await inTransaction(world.deps, (tx) =>
      addContacts(tx, workspaceId, [{ addition, api: null }], { isAlone: true }),
    )
    if (decision === undefined || decision === leftOut || decision.kind !== 'added') return 'not added'
    return decision.call === null || typeof decision.call === 'string'
      ? String(decision.call)
      : callOf(decision.call.id)
  },
  callback: async (rule) => {
    await callBefore(rule)
    const { id, contact } = await queue(rule)
    const attempt = await world.claimOne(id)
    await setRule(rule)
    const { workspaceId, agentId, campaignId } = world.seed
    const current = {
      workspaceId,
      agentId,
      campaignId,
      callId: id,
      contactId: contact.id,
      phoneNumber: number,
    }
    try {
      await queueCallback(world.deps, { ...current, test: false }, { at: after(1), dryRun: false })
    } catch (error) {
      return toCode(error)
    }
    await world.finish(attempt, 'answered', 'contact_hung_up')
    waitUntilDue(rule)
    const calls = world.database.db.selectFrom('call').select('id').where('id', '>', id)
    return callOf((await calls.executeTakeFirstOrThrow()).id)
  },
  change: async (rule) => {
    await callBefore(rule)
    const { id } = await queue(rule)
    if (rule.campaign === undefined) await world.changeRules(rule.rules ?? {})
    else await setRule(rule)
    return callOf(id)
  },
}

beforeEach(async () => {
  await editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, {
    retry: { max_attempts: 3, delay_minutes: 60, on: ['busy'] },
  })
})

describe.each(momentNames)("a call that's checked at the moment “%s”", (moment) => {
  it.each(Object.entries(cases))('follows the rule about %s', async (_name, rule) => {
    number = rule.number ?? freshNumber()
    const expected = rule[moment]
    const result = await moments[moment](rule)
    if (typeof expected === 'string') expect(result).toBe(expected)
    else expect(result).toMatchObject(expected)
  })
})
