import { beforeEach, describe, expect, it } from '@jest/globals'
import type { Call } from '@outdial/contract'
import { editCampaign } from '../../campaigns/edit-campaign.ts'
import { addContacts } from '../../contacts/add-contacts.ts'
import { queueCallback } from '../../contacts/queue-callback.ts'
import { ApiError } from '../../core/errors.ts'
import { leftOut } from '../../core/share.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type TypedRules, useRulesWorld } from '../support/call-rules.ts'
import { freshNumber } from '../support/factories.ts'

// Each rule, broken by a call at each moment at which rules decide. The clock is ahead of the database's, so that it doesn't delay
// the campaigns' turns, and shows noon of a Wednesday in New York.
const start = '2100-03-03T17:00:00.000Z'
const world = useRulesWorld(start)

const after = (hours: number) => new Date(Date.parse(start) + hours * 3_600_000).toISOString()
const suppressed = (ended_reason: string) => ({ status: 'completed', outcome: 'suppressed', ended_reason })
const waits = (waiting_for: string, next_attempt_at = start) => ({
  status: 'queued',
  waiting_for,
  next_attempt_at,
})
const lastOutcome = { status: 'completed', outcome: 'busy', ended_reason: 'line_busy' }

/** What becomes of a call: the call as the API shows it, the reason why none was queued, or the code of an error. */
type Result = object | string

interface Case {
  rules: TypedRules
  /** True if the number had a call attempt just before. */
  wasCalled?: boolean
  queueing: Result
  claiming: Result
  retry: Result
  import: Result
  callback: Result
  change: Result
}

const nineDays = Array.from({ length: 9 }, (_, day) => `2100-03-${String(day + 3).padStart(2, '0')}`).join(
  ' ',
)

const cases: Record<string, Case> = {
  'a country that is not called': {
    rules: { countries: 'Germany' },
    queueing: 'country_not_allowed',
    claiming: suppressed('destination_not_allowed'),
    retry: suppressed('destination_not_allowed'),
    import: 'country_not_allowed',
    callback: 'country_not_allowed',
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
  'the attempts of 24 hours': {
    rules: { max_attempts_per_day: '1' },
    wasCalled: true,
    queueing: waits('frequency', after(24)),
    claiming: waits('frequency', after(24)),
    retry: waits('retry', after(24)),
    import: waits('frequency', after(24)),
    // A conversation asked for it.
    callback: { status: 'queued', next_attempt_at: after(1) },
    change: waits('frequency', after(24)),
  },
  'the attempts of 30 days': {
    rules: { max_attempts_per_30_days: '1' },
    wasCalled: true,
    queueing: suppressed('frequency'),
    claiming: suppressed('frequency'),
    retry: lastOutcome,
    import: suppressed('frequency'),
    callback: { status: 'queued', next_attempt_at: after(1) },
    change: suppressed('frequency'),
  },
  'a closed day': {
    rules: { closed_dates: '2100-03-03' },
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
  "the day's calls of the own number": {
    rules: { max_attempts_per_own_number: '1' },
    wasCalled: true,
    queueing: waits('number_limit'),
    claiming: waits('number_limit'),
    retry: waits('retry', after(1)),
    import: waits('number_limit'),
    callback: { status: 'queued', next_attempt_at: after(1) },
    change: waits('number_limit'),
  },
}

let number: string
const callOf = async (id: number): Promise<Call> => {
  // Limits are noticed by a claim, and the other rules leave nothing to it.
  expect(await world.claim()).toEqual([])
  return world.read(id)
}

/** Calls the number once in vain, so that it had an attempt. */
async function callBefore({ rules, wasCalled = false }: Case): Promise<void> {
  // The limits count from when they're set.
  await world.setRules(rules.max_attempts_per_own_number === undefined ? {} : rules)
  if (!wasCalled) return
  const { id } = await world.queue(number)
  await world.finish(await world.claimOne(id), 'no_answer', 'ring_timeout')
}

const toCode = (error: unknown): string => {
  if (error instanceof ApiError) return error.details[0]?.code ?? error.code
  throw error
}

/** What happens at each moment to a call that breaks the rules. */
const moments: Record<Exclude<keyof Case, 'rules' | 'wasCalled'>, (rule: Case) => Promise<Result>> = {
  queueing: async (rule) => {
    await callBefore(rule)
    await world.setRules(rule.rules)
    try {
      return await callOf((await world.queue(number)).id)
    } catch (error) {
      return toCode(error)
    }
  },
  claiming: async (rule) => {
    await callBefore(rule)
    const { id } = await world.queue(number)
    await world.setRules(rule.rules)
    return callOf(id)
  },
  retry: async (rule) => {
    await world.setRules({})
    const { id } = await world.queue(number)
    const attempt = await world.claimOne(id)
    await world.setRules(rule.rules)
    await world.finish(attempt, 'busy', 'line_busy')
    return callOf(id)
  },
  import: async (rule) => {
    await callBefore(rule)
    await world.setRules(rule.rules)
    const { workspaceId, userId, campaignId } = world.seed
    const actor = { kind: 'import', id: 1, user_id: userId, name: 'leads.csv' } as const
    const call = { campaignId, scheduledAt: null, ifOpen: 'skip', ifListed: 'skip', test: false } as const
    const addition = {
      contact: { phoneNumber: number },
      changes: {},
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
    await world.setRules({})
    const { id, contact } = await world.queue(number)
    await world.claimOne(id)
    await world.setRules(rule.rules)
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
    const calls = world.database.db.selectFrom('call').select('id').where('id', '>', id)
    return callOf((await calls.executeTakeFirstOrThrow()).id)
  },
  change: async (rule) => {
    await callBefore(rule)
    const { id } = await world.queue(number)
    await world.changeRules(rule.rules)
    return callOf(id)
  },
}

beforeEach(async () => {
  number = freshNumber()
  await editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, {
    retry: { max_attempts: 3, delay_minutes: 60, on: ['busy'] },
  })
})

describe.each(Object.entries(moments))('%s', (moment, act) => {
  it.each(Object.entries(cases))('follows the rule about %s', async (_name, rule) => {
    const expected = rule[moment as keyof typeof moments]
    const result = await act(rule)
    if (typeof expected === 'string') expect(result).toBe(expected)
    else expect(result).toMatchObject(expected)
  })
})
