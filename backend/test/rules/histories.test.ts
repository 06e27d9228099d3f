import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { type AttemptResult, emptyResult } from '../../calling/dialer/attempt-result.ts'
import type { ClaimedAttempt } from '../../calling/dialer/claim-calls.ts'
import { finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { startSweeper } from '../../calling/dialer/sweeper.ts'
import { ApiError } from '../../platform/core/errors.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { pauseCampaign, resumeCampaign } from '../../queue/campaigns/campaign-status.ts'
import { editCampaign } from '../../queue/campaigns/edit-campaign.ts'
import { queueCall } from '../../queue/contacts/add-contacts.ts'
import { queueCallback } from '../../queue/contacts/queue-callback.ts'
import { maxWaitMs } from '../../queue/rules/plan-call.ts'
import { toLocalDate } from '../../queue/scheduling/local-time.ts'
import { changeRules, useRulesWorld } from '../support/call-rules.ts'
import { everyHour, freshNumber, type Seed, seedCampaign, seedWorkspace } from '../support/factories.ts'
import { waitFor } from '../support/wait.ts'

// The clock is ahead of the database's, so that the database's clock doesn't delay the campaigns' turns.
const world = useRulesWorld('2100-03-03T17:00:00.000Z')

const hourMs = 3_600_000

const Rules = fc.record({
  perDay: fc.option(fc.integer({ min: 1, max: 3 })),
  per30Days: fc.option(fc.integer({ min: 1, max: 5 })),
  perOwnNumber: fc.option(fc.integer({ min: 1, max: 3 })),
  minutes: fc.option(fc.integer({ min: 30, max: 90 })),
  requiresConsent: fc.boolean(),
  hoursByLaw: fc.boolean(),
  closedDays: fc.subarray(['2100-03-04', '2100-03-05', '2100-03-06', '2100-03-08']),
})

type Rules = Generated<typeof Rules>
type Generated<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never

const Step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('queue' as const),
      number: fc.nat(1),
      campaign: fc.nat(1),
      consents: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('advance' as const), hours: fc.integer({ min: 1, max: 40 }) }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('claim' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('finish' as const),
      as: fc.constantFrom('busy' as const, 'answered' as const, 'not placed' as const),
      minutes: fc.integer({ min: 0, max: 30 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('callback' as const),
      inHours: fc.integer({ min: 1, max: 60 }),
      /** How many turns the contact speaks. A machine that answers speaks only one. */
      turns: fc.integer({ min: 1, max: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('again' as const), number: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('change' as const), rules: Rules }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('edit' as const),
      campaign: fc.nat(1),
      hours: fc.constantFrom(everyHour, { ...everyHour, start: '11:00', end: '14:00' }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('pause' as const), campaign: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('resume' as const), campaign: fc.nat(1) }) },
)

const History = fc.record({
  rules: Rules,
  oneConversationPerDay: fc.boolean(),
  steps: fc.array(Step, { minLength: 10, maxLength: 40 }),
})

const noRules: Rules = {
  perDay: null,
  per30Days: null,
  perOwnNumber: null,
  minutes: null,
  requiresConsent: false,
  hoursByLaw: false,
  closedDays: [],
}

/** Two attempts to a number start at the same time. Later, the service finds out that one of them wasn't placed. */
const undoneOfTwo: Generated<typeof History> = {
  rules: { ...noRules, minutes: 30, per30Days: 2 },
  oneConversationPerDay: false,
  steps: [
    { kind: 'queue', number: 0, campaign: 1, consents: false },
    { kind: 'queue', number: 0, campaign: 0, consents: false },
    { kind: 'claim' },
    { kind: 'finish', as: 'busy', minutes: 0 },
    { kind: 'claim' },
    { kind: 'finish', as: 'not placed', minutes: 0 },
    { kind: 'advance', hours: 1 },
    { kind: 'claim' },
  ],
}

/** A contact asks for a callback although the number was already called as often as allowed. */
const callbackOverLimit: Generated<typeof History> = {
  rules: { ...noRules, perDay: 1 },
  oneConversationPerDay: true,
  steps: [
    { kind: 'queue', number: 0, campaign: 0, consents: false },
    { kind: 'claim' },
    { kind: 'callback', inHours: 2, turns: 2 },
    { kind: 'advance', hours: 2 },
    { kind: 'claim' },
    { kind: 'callback', inHours: 2, turns: 1 },
    { kind: 'advance', hours: 2 },
    { kind: 'claim' },
  ],
}

/** A conversation uses so many of the month's minutes that only one call at a time can be in progress afterward. */
const minutesUsed: Generated<typeof History> = {
  rules: { ...noRules, minutes: 70 },
  oneConversationPerDay: false,
  steps: [
    { kind: 'queue', number: 0, campaign: 0, consents: false },
    { kind: 'claim' },
    { kind: 'finish', as: 'answered', minutes: 15 },
    { kind: 'queue', number: 0, campaign: 0, consents: false },
    { kind: 'queue', number: 1, campaign: 0, consents: false },
    { kind: 'claim' },
  ],
}

/** A member calls a number again although it was already called as often as allowed. */
const againOverLimit: Generated<typeof History> = {
  rules: { ...noRules, perDay: 1 },
  oneConversationPerDay: false,
  steps: [
    { kind: 'queue', number: 0, campaign: 0, consents: false },
    { kind: 'claim' },
    { kind: 'finish', as: 'answered', minutes: 1 },
    { kind: 'again', number: 0 },
    { kind: 'claim' },
  ],
}

it('in random histories of events, places no call attempt that breaks a rule, and ends every call', async () => {
  await fc.assert(
    fc.asyncProperty(History, async ({ steps, rules, oneConversationPerDay }) => {
      const seed = await seedWorkspace(world.deps)
      const history = await startHistory(seed, rules, oneConversationPerDay)
      for (const step of steps) await history.act(step)
      await history.end()
      const open = world.deps.db
        .selectFrom('call')
        .select('id')
        .where('workspace_id', '=', seed.workspaceId)
        .where('status', '<>', 'completed')
      expect(await open.execute()).toEqual([])
    }),
    {
      numRuns: 20,
      endOnFailure: true,
      examples: [[undoneOfTwo], [callbackOverLimit], [minutesUsed], [againOverLimit]],
    },
  )
})

/**
 * Starts a history of events in a workspace with two campaigns and two contacts. Tracks what its rules allow at each attempt.
 */
async function startHistory(seed: Seed, firstRules: Rules, oneConversationPerDay: boolean) {
  const { deps } = world
  const { workspaceId } = seed
  const numbers = [freshNumber(), freshNumber()]
  const campaigns = [seed.campaignId, await seedCampaign(deps, seed)]
  const hoursOf = new Map(campaigns.map((id) => [id, everyHour]))
  for (const id of campaigns)
    await editCampaign(deps, workspaceId, id, {
      oneConversationPerDay,
      retry: { max_attempts: 3, delay_minutes: 90, on: ['busy'] },
    })
  let rules = firstRules
  await changeRules(deps, seed, toTyped(rules))
  const live: ClaimedAttempt[] = []
  const placed = new Map<string, { number: string; at: number; isLimited: boolean }>()
  /** For each number, when the last conversation began. */
  const conversations = new Map<string, number>()
  /** For each month, the seconds of conversation while the minutes are limited. */
  const seconds = new Map<string, number>()
  const consents = new Set<string>()
  /** The calls in which the contact spoke enough that the agent can schedule a callback. */
  const conversed = new Set<number>()
  /** The calls that a member has confirmed despite the rules. */
  const confirmed = new Set<number>()

  const isExempt = async ({ request: { callId, number } }: ClaimedAttempt): Promise<boolean> => {
    const call = deps.db.selectFrom('call').select('origin').where('id', '=', callId)
    const { origin } = await call.executeTakeFirstOrThrow()
    if (number > 1) return false
    return confirmed.has(callId) || (origin?.kind === 'scheduled_callback' && conversed.has(origin.call_id))
  }

  const expectAllowed = async (attempt: ClaimedAttempt): Promise<void> => {
    const at = deps.clock.now().getTime()
    const number = attempt.request.toNumber
    const earlier = [...placed.values()]
    const within = (hours: number) =>
      earlier.filter((each) => each.number === number && at - each.at < hours * hourMs).length
    if (!(await isExempt(attempt))) {
      if (rules.perDay !== null) expect(within(24)).toBeLessThan(rules.perDay)
      if (rules.per30Days !== null) expect(within(24 * 30)).toBeLessThan(rules.per30Days)
      const beganAt = conversations.get(number)
      if (oneConversationPerDay && beganAt !== undefined)
        expect(at - beganAt).toBeGreaterThanOrEqual(24 * hourMs)
    }
    if (rules.perOwnNumber !== null) {
      // The limit counts only attempts that started while a limit was set.
      const onDay = earlier.filter((each) => each.isLimited && dayOf(each.at) === dayOf(at))
      expect(onDay.length).toBeLessThan(rules.perOwnNumber)
    }
    if (rules.requiresConsent) expect([...consents]).toContain(number)
    // Both contacts' numbers are in New York.
    if (rules.hoursByLaw) expect(hourOf(at) >= 8 && hourOf(at) < 21).toBe(true)
    expect(rules.closedDays).not.toContain(dayOf(at))
    const { start, end } = hoursOf.get(attempt.campaignId) ?? everyHour
    expect(hourOf(at) >= Number.parseInt(start, 10) && hourOf(at) < Number.parseInt(end, 10)).toBe(true)
    const isLimited = rules.perOwnNumber !== null || rules.minutes !== null
    placed.set(attempt.id, { number, at, isLimited })
  }

  const claim = async (): Promise<void> => {
    const started = await world.claim()
    // Each call in progress reserves half an hour of the month's minutes.
    const used = (seconds.get(monthOf(deps.clock.now().getTime())) ?? 0) / 60
    if (rules.minutes !== null && started.length > 0)
      expect((live.length + started.length) * 30 + used).toBeLessThanOrEqual(rules.minutes)
    for (const attempt of started) await expectAllowed(attempt)
    live.push(...started)
  }

  const finish = async (toResult: (attempt: ClaimedAttempt) => Promise<AttemptResult> | AttemptResult) => {
    const attempt = live.shift()
    if (attempt === undefined) return
    const result = await toResult(attempt)
    const { answeredAt } = result
    const now = deps.clock.now().getTime()
    if (answeredAt !== null) {
      conversations.set(attempt.request.toNumber, answeredAt.getTime())
      const month = monthOf(now)
      if (rules.minutes !== null)
        seconds.set(month, (seconds.get(month) ?? 0) + (now - answeredAt.getTime()) / 1_000)
    }
    if (result.notPlaced === true) placed.delete(attempt.id)
    await finishAttempt(deps, attempt, result)
  }

  const callBack = (inHours: number, turns: number) => async (attempt: ClaimedAttempt) => {
    const { callId } = attempt.request
    const call = deps.db.selectFrom('call').where('id', '=', callId)
    const found = await call
      .select(['contact_id as contactId', 'campaign_id as campaignId', 'agent_id as agentId', 'test'])
      .executeTakeFirstOrThrow()
    const current = { ...found, workspaceId, callId, phoneNumber: attempt.request.toNumber }
    const at = new Date(deps.clock.now().getTime() + inHours * hourMs).toISOString()
    try {
      await queueCallback(deps, current, { at, dryRun: false })
    } catch (error) {
      // The agent can't schedule the callback, and says so in the conversation.
      if (!(error instanceof ApiError)) throw error
    }
    if (turns > 1) conversed.add(callId)
    const turn = { role: 'contact' as const, text: 'Please call again.', at }
    return { ...answered(5), transcript: Array.from({ length: turns }, () => turn) }
  }

  const answered = (minutes: number): AttemptResult => {
    const answeredAt = deps.clock.now()
    deps.clock.advance(minutes * 60_000)
    return { ...emptyResult('answered', 'contact_hung_up'), answeredAt }
  }

  /** Queues another call to a number, as “Call again” on its last call does after a member has confirmed it. */
  const callAgain = async (number: string): Promise<void> => {
    const last = deps.db
      .selectFrom('call')
      .select(['id', 'contact_id', 'campaign_id as campaignId'])
      .where('workspace_id', '=', workspaceId)
      .where('to_number', '=', number)
      .orderBy('id', 'desc')
      .limit(1)
    const found = await last.executeTakeFirst()
    if (found === undefined) return
    const call = {
      ...{ campaignId: found.campaignId, scheduledAt: null, test: false, metadata: {}, isExempt: true },
      ifOpen: 'skip',
      ifListed: 'reject',
      origin: { kind: 'call_again', id: seed.userId, call_id: found.id },
    } as const
    const { id, queued } = await inTransaction(deps, (tx) =>
      queueCall(tx, workspaceId, found.contact_id, { call, actor: { kind: 'member', id: seed.userId } }),
    )
    if (queued) confirmed.add(id)
  }

  const ends = {
    busy: () => emptyResult('busy', 'line_busy'),
    answered,
    'not placed': () => ({ ...emptyResult('failed', 'line_failed'), notPlaced: true }),
  }

  const act = async (step: Generated<typeof Step>): Promise<void> => {
    switch (step.kind) {
      case 'queue': {
        const number = numbers[step.number] ?? ''
        if (step.consents) consents.add(number)
        await world.queueIn(seed, number, {
          campaign_id: campaigns[step.campaign],
          ...(step.consents && { consent: { source: 'Form', at: '2026-05-04T15:00:00Z' } }),
        })
        return
      }
      case 'advance':
        deps.clock.advance(step.hours * hourMs)
        return
      case 'claim':
        return claim()
      case 'finish':
        return finish(() => ends[step.as](step.minutes))
      case 'callback':
        return finish(callBack(step.inHours, step.turns))
      case 'change':
        rules = step.rules
        return changeRules(deps, seed, toTyped(rules))
      case 'again':
        return callAgain(numbers[step.number] ?? '')
      case 'edit': {
        const id = campaigns[step.campaign] ?? 0
        await editCampaign(deps, workspaceId, id, { callingHours: step.hours })
        hoursOf.set(id, step.hours)
        return
      }
      case 'pause':
        await pauseCampaign(deps, workspaceId, campaigns[step.campaign] ?? 0)
        return
      case 'resume':
        await resumeCampaign(deps, workspaceId, campaigns[step.campaign] ?? 0)
    }
  }

  return {
    act,
    /** Advances the clock until each call is completed or has expired. */
    end: async (): Promise<void> => {
      for (const id of campaigns) await resumeCampaign(deps, workspaceId, id)
      const open = deps.db
        .selectFrom('call')
        .select('due_at')
        .where('workspace_id', '=', workspaceId)
        .where('status', '<>', 'completed')
      const isWaiting = async () => {
        const overdue = deps.clock.now().getTime() - maxWaitMs
        return (await open.execute()).some(({ due_at }) => due_at.getTime() >= overdue)
      }
      for (let round = 0; round < 300 && (await isWaiting()); round += 1) {
        while (live.length > 0) await finish(ends.busy)
        deps.clock.advance(3 * hourMs)
        await claim()
      }
      if ((await open.execute()).length === 0) return
      while (live.length > 0) await finish(ends.busy)
      const sweeper = startSweeper(deps)
      await waitFor(
        async () => (await open.execute()).length === 0,
        () => deps.clock.advance(1_000),
      )
      await sweeper.stop()
    },
  }
}

const toTyped = (rules: Rules) => ({
  max_attempts_per_day: String(rules.perDay ?? ''),
  max_attempts_per_30_days: String(rules.per30Days ?? ''),
  max_attempts_per_own_number: String(rules.perOwnNumber ?? ''),
  max_minutes_per_month: String(rules.minutes ?? ''),
  consent_required: rules.requiresConsent ? ('any' as const) : ('none' as const),
  hours_by_law: rules.hoursByLaw,
  closed_dates: rules.closedDays.join(' '),
})

/** Returns the day in New York as YYYY-MM-DD. */
const dayOf = (at: number): string => toLocalDate(new Date(at), 'America/New_York')

const monthOf = (at: number): string => dayOf(at).slice(0, 7)

const hourOf = (at: number): number =>
  Number(
    new Intl.DateTimeFormat('en-US', {
      hour: '2-digit',
      hourCycle: 'h23',
      timeZone: 'America/New_York',
    }).format(at),
  )
