import { expect, it } from '@jest/globals'
import type { CallCompletedEvent } from '@outdial/contract'
import { editCampaign } from '../../queue/campaigns/edit-campaign.ts'
import { addContact as addToDatabase } from '../../queue/contacts/add-contact.ts'
import { setRules } from '../support/call-rules.ts'
import { listEvents } from '../support/calls.ts'
import { freshNumber, seedApiKeyCaller } from '../support/factories.ts'
import { useHttpRuntimeWorld } from '../support/http-runtime.ts'
import { receiveReport } from '../support/receive-report.ts'
import { waitFor } from '../support/wait.ts'

const world = useHttpRuntimeWorld() // its clock starts on Monday, May 4, at 11:00 in New York

const dayMs = 86_400_000

/**
 * Runs a Zap that queues another call to the same contact whenever a call was completed, until the clock has advanced by `days`
 * days. The agent runtime always reports that nobody answered.
 */
async function runZap(
  number: string,
  days: number,
): Promise<{ placedAt: number[]; events: CallCompletedEvent[] }> {
  const { deps, seed, runtime } = world
  const caller = await seedApiKeyCaller(deps, seed)
  const queue = async () => {
    const body = { phone_number: number, campaign_id: seed.campaignId }
    const { call } = await addToDatabase(deps, caller, body)
    if (call === null || typeof call === 'string') throw new Error('no call was requested')
    return call
  }
  world.dial()
  const placedAt: number[] = []
  const events: CallCompletedEvent[] = []
  const until = deps.clock.now().getTime() + days * dayMs
  let { id } = await queue()
  while (deps.clock.now().getTime() < until) {
    const answered = placedAt.length
    await waitFor(
      async () => {
        const [event] = await listEvents(deps, id)
        const requests = runtime.dialRequests()
        if (requests.length > answered) return true
        return event !== undefined || deps.clock.now().getTime() >= until
      },
      () => deps.clock.advance(60_000),
    )
    const request = runtime.dialRequests()[answered]
    if (request !== undefined) {
      placedAt.push(deps.clock.now().getTime())
      await receiveReport(deps, request.attempt_id, {
        sequence: 1,
        type: 'ended',
        outcome: 'no_answer',
        at: deps.clock.now().toISOString(),
      })
      await waitFor(
        async () => (await listEvents(deps, id)).length > 0,
        () => deps.clock.advance(50),
      )
    }
    const [event] = await listEvents(deps, id)
    if (event === undefined) continue
    if (!events.some((each) => each.id === event.id)) events.push(event)
    const next = await queue()
    if (next.id === id && !next.queued) break
    id = next.id
  }
  return { placedAt, events }
}

it('if a Zap queues another call after each completed call, calls the number only three times a day, as the rules allow', async () => {
  await setRules(world.deps, world.seed, { max_attempts_per_day: '3' })
  await editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, {
    retry: { max_attempts: 1, delay_minutes: 60, on: [] },
  })
  const { placedAt, events } = await runZap(freshNumber(), 1)
  expect(placedAt).toHaveLength(3)
  expect(events.map(({ data }) => data.outcome)).toEqual(['no_answer', 'no_answer', 'no_answer'])
})

it("ends a Zap's loop of calls with one event that says the number was called as often as allowed", async () => {
  await setRules(world.deps, world.seed, { max_attempts_per_day: '3', max_attempts_per_30_days: '3' })
  await editCampaign(world.deps, world.seed.workspaceId, world.seed.campaignId, {
    retry: { max_attempts: 1, delay_minutes: 60, on: [] },
  })
  const { placedAt, events } = await runZap(freshNumber(), 1)
  expect(placedAt).toHaveLength(3)
  expect(events.map(({ data }) => data.ended_reason)).toEqual([
    'ring_timeout',
    'ring_timeout',
    'ring_timeout',
    'frequency',
  ])
})
