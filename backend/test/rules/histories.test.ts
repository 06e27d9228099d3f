import { expect, it } from '@jest/globals'
import fc from 'fast-check'
import { editCampaign } from '../../campaigns/edit-campaign.ts'
import { emptyResult } from '../../dialer/attempt-result.ts'
import type { ClaimedAttempt } from '../../dialer/claim-calls.ts'
import { finishAttempt } from '../../dialer/finish-attempt.ts'
import { useRulesWorld } from '../support/call-rules.ts'
import { freshNumber, seedCampaign, seedWorkspace } from '../support/factories.ts'

// Later than the database's clock, so that it doesn't delay the campaigns' turns.
const world = useRulesWorld('2100-03-03T17:00:00.000Z')

const hourMs = 3_600_000

const Step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('queue' as const), number: fc.nat(1), campaign: fc.nat(1) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('advance' as const), hours: fc.integer({ min: 1, max: 40 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('claim' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('finish' as const),
      as: fc.constantFrom('busy' as const, 'answered' as const, 'not placed' as const),
    }),
  },
)

const History = fc.record({
  perDay: fc.option(fc.integer({ min: 1, max: 3 })),
  perOwnNumber: fc.option(fc.integer({ min: 1, max: 3 })),
  minutes: fc.option(fc.integer({ min: 30, max: 90 })),
  // Which of the two numbers belongs to a contact with a consent. Null: none is required.
  consentOf: fc.option(fc.nat(1)),
  per30Days: fc.option(fc.integer({ min: 1, max: 5 })),
  hours_by_law: fc.boolean(),
  oneConversationPerDay: fc.boolean(),
  steps: fc.array(Step, { minLength: 10, maxLength: 40 }),
})

/** Two attempts to a number start at the same time, and one of them turns out not to have been placed. */
const undoneOfTwo: typeof History extends fc.Arbitrary<infer Value> ? Value : never = {
  perDay: null,
  perOwnNumber: null,
  minutes: 30,
  consentOf: null,
  per30Days: 2,
  hours_by_law: false,
  oneConversationPerDay: false,
  steps: [
    { kind: 'queue', number: 0, campaign: 1 },
    { kind: 'queue', number: 0, campaign: 0 },
    { kind: 'claim' },
    { kind: 'finish', as: 'busy' },
    { kind: 'claim' },
    { kind: 'finish', as: 'not placed' },
    { kind: 'advance', hours: 1 },
    { kind: 'claim' },
  ],
}

it('places no call attempt that breaks a rule, and ends every call, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(History, async ({ steps, ...rules }) => {
      const { perDay, per30Days, perOwnNumber, minutes, consentOf, hours_by_law, oneConversationPerDay } =
        rules
      const { deps } = world
      const seed = await seedWorkspace(deps)
      const campaigns = [seed.campaignId, await seedCampaign(deps, seed)]
      for (const id of campaigns)
        await editCampaign(deps, seed.workspaceId, id, {
          oneConversationPerDay,
          retry: { max_attempts: 3, delay_minutes: 90, on: ['busy'] },
        })
      await world.setRulesOf(seed, {
        max_attempts_per_day: String(perDay ?? ''),
        max_attempts_per_30_days: String(per30Days ?? ''),
        max_attempts_per_own_number: String(perOwnNumber ?? ''),
        max_minutes_per_month: String(minutes ?? ''),
        consent_required: consentOf === null ? 'none' : 'any',
        hours_by_law,
      })
      const numbers = [freshNumber(), freshNumber()]
      const live: ClaimedAttempt[] = []
      const conversations = new Map<string, number>()
      const claim = async () => {
        const started = await world.claim()
        // Each call in progress can take half an hour of the month's minutes.
        if (minutes !== null) expect((live.length + started.length) * 30).toBeLessThanOrEqual(minutes)
        for (const attempt of started) {
          live.push(attempt)
          const endedAt = conversations.get(attempt.request.toNumber)
          if (oneConversationPerDay && endedAt !== undefined)
            expect(deps.clock.now().getTime() - endedAt).toBeGreaterThanOrEqual(24 * hourMs)
        }
      }
      const finish = async (as: 'busy' | 'answered' | 'not placed') => {
        const attempt = live.shift()
        if (attempt === undefined) return
        const at = deps.clock.now()
        if (as === 'answered') {
          conversations.set(attempt.request.toNumber, at.getTime())
          await finishAttempt(deps, attempt, {
            ...emptyResult('answered', 'contact_hung_up'),
            answeredAt: at,
          })
        } else {
          const failed = { ...emptyResult('failed', 'line_failed'), notPlaced: true }
          await finishAttempt(deps, attempt, as === 'busy' ? emptyResult('busy', 'line_busy') : failed)
        }
      }
      for (const step of steps) {
        if (step.kind === 'queue')
          await world.queueIn(seed, numbers[step.number] ?? '', {
            campaign_id: campaigns[step.campaign],
            ...(step.number === consentOf && { consent: { source: 'Form', at: '2026-05-04T15:00:00Z' } }),
          })
        else if (step.kind === 'advance') deps.clock.advance(step.hours * hourMs)
        else if (step.kind === 'claim') await claim()
        else await finish(step.as)
      }
      const openCalls = () =>
        deps.db
          .selectFrom('call')
          .select('id')
          .where('workspace_id', '=', seed.workspaceId)
          .where('status', '<>', 'completed')
          .execute()
      for (let round = 0; round < 300 && (await openCalls()).length > 0; round += 1) {
        while (live.length > 0) await finish('busy')
        deps.clock.advance(3 * hourMs)
        await claim()
      }
      expect(await openCalls()).toEqual([])

      const attempts = await deps.db
        .selectFrom('call_attempt')
        .select(['to_number', 'started_at'])
        .where('workspace_id', '=', seed.workspaceId)
        .orderBy('started_at')
        .execute()
      const dayOf = (at: Date) => at.toLocaleDateString('en-US', { timeZone: 'America/New_York' })
      for (const [index, { to_number, started_at }] of attempts.entries()) {
        const onDay = attempts.slice(0, index).filter((each) => dayOf(each.started_at) === dayOf(started_at))
        if (perOwnNumber !== null) expect(onDay.length).toBeLessThan(perOwnNumber)
        if (consentOf !== null) expect(to_number).toBe(numbers[consentOf])
        const before = attempts.slice(0, index).filter((earlier) => earlier.to_number === to_number)
        const within = (hours: number) =>
          before.filter((earlier) => started_at.getTime() - earlier.started_at.getTime() < hours * hourMs)
            .length
        if (perDay !== null) expect(within(24)).toBeLessThan(perDay)
        if (per30Days !== null) expect(within(24 * 30)).toBeLessThan(per30Days)
        // The numbers are in New York.
        const hour = Number(
          new Intl.DateTimeFormat('en-US', {
            hour: '2-digit',
            hourCycle: 'h23',
            timeZone: 'America/New_York',
          }).format(started_at),
        )
        if (hours_by_law) expect(hour >= 8 && hour < 21).toBe(true)
      }
    }),
    { numRuns: 20, examples: [[undoneOfTwo]] },
  )
})
