import { expect, it } from '@jest/globals'
import type { AgentResult } from '@outdial/contract'
import { sql } from 'kysely'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { finishAnalysis, finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { takeOverAttempts } from '../../calling/dialer/takeover.ts'
import { callLimits } from '../../calling/telephony/provider.ts'
import { simulateResults } from '../../calling/telephony/simulated/simulate-results.ts'
import { listAgents, publishAgent, saveAgent } from '../../queue/agents/agents.ts'
import { minuteLimits } from '../../queue/agents/validate-agent.ts'
import { getCall, listAttempts, listEvents, seedCall, toCaller } from '../support/calls.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { dialRequestOf } from '../support/dial-request.ts'
import { freshNumber } from '../support/factories.ts'
import { useCallsWorld } from '../support/world.ts'

const world = useCallsWorld()

const lease = { provider: 'simulated', workerId: crypto.randomUUID(), leaseMs: 60_000 }

const day: AgentResult = {
  name: 'day',
  type: 'choice',
  description: 'The day they prefer',
  choices: ['Monday', 'Friday'],
}
const people: AgentResult = { name: 'people', type: 'number', description: '', choices: [] }

const save = (values: object) => {
  const { workspaceId, agentId } = world.seed
  return saveAgent(world.deps, workspaceId, agentId, { name: 'Ava', ...values }, null)
}
const publish = () => publishAgent(world.deps, world.seed.workspaceId, world.seed.agentId)

/** Queues a call and claims it. */
async function claimCall(input = {}) {
  const { id } = await seedCall(world.deps, world.seed, freshNumber(), input)
  const attempts = await claimAndSettle(world.deps, lease, 50)
  const attempt = attempts.find(({ request }) => request.callId === id)
  if (attempt === undefined) throw new Error(`call ${id} wasn't claimed`)
  return attempt
}

it("uses the agent's published version in a call, not an unpublished draft", async () => {
  await save({ greeting: 'Hi', instructions: 'Ask {{first_name|them}} about {{product|the offer}}.' })
  const before = await claimCall()
  expect(before.request.agent).toMatchObject({ version: 1, greeting: '', instructions: '' })
  await publish()
  const { request, id } = await claimCall({ first_name: null })
  expect(request.agent).toMatchObject({
    ...{ version: 2, greeting: 'Hi', instructions: 'Ask them about the offer.' },
    ...{ speaksFirst: 'agent', goal: '', results: [], model: null, maxMinutes: null, aiDisclosure: true },
  })
  expect(await getCall(world.deps, world.seed, request.callId)).toMatchObject({ agent_version: 2 })
  expect(await listAttempts(world.deps, request.callId)).toMatchObject([{ id, agent_version: 2 }])
  expect(await save({ greeting: 'Hi' })).toEqual({ isPublished: true })
})

it('replaces placeholders in the goal and in result descriptions with their fallbacks if the contact lacks the values', async () => {
  const results = [{ ...day, description: 'The day that {{first_name|they}} chose' }]
  await save({ goal: '{{first_name|The contact}} agrees to a day.', results })
  await publish()
  const { request } = await claimCall({ first_name: null })
  expect(request.agent).toMatchObject({
    goal: 'The contact agrees to a day.',
    results: [{ ...day, description: 'The day that they chose' }],
  })
})

it('keeps the agent version of a call that another worker takes over, even if a newer version has been published', async () => {
  await save({ greeting: 'First' })
  await publish()
  const { id, request } = await claimCall()
  await save({ greeting: 'Second' })
  await publish()
  await sql`update call_attempt set lease_until = clock_timestamp() where id = ${id}::uuid`.execute(
    world.deps.db,
  )
  const [taken] = await takeOverAttempts(world.deps, { ...lease, workerId: crypto.randomUUID() }, 50)
  expect(taken?.request.agent).toEqual(request.agent)
  expect(taken?.request.agent.greeting).toBe('First')
})

it("uses a placeholder's fallback only in calls that lack the value, even if the calls are claimed together", async () => {
  await save({ instructions: 'Ask about {{product|the offer}}.' })
  await publish()
  await seedCall(world.deps, world.seed, freshNumber(), { variables: { product: 'a roof' } })
  await seedCall(world.deps, world.seed, freshNumber())
  const claimed = await claimAndSettle(world.deps, lease, 50)
  const texts = claimed.map(({ request }) => request.agent.instructions)
  expect(texts.toSorted()).toEqual(['Ask about the offer.', 'Ask about {{product}}.'])
})

it("stores every result of the agent's version for an answered call, with null for missing values, and no results for a busy call", async () => {
  await save({ results: [day, people] })
  await publish()
  const finish = async (outcome: 'answered' | 'busy', extracted?: Record<string, string>) => {
    const attempt = await claimCall()
    const { callId } = attempt.request
    const reason = outcome === 'answered' ? 'contact_hung_up' : 'line_busy'
    await finishAttempt(world.deps, attempt, {
      ...emptyResult(outcome, reason),
      answeredAt: outcome === 'answered' ? world.deps.clock.now() : null,
      confirmedOver: true,
    })
    const analysis = extracted && { summary: null, sentiment: 'unknown' as const, goalMet: null, extracted }
    const call = { workspaceId: world.seed.workspaceId, callId }
    if (outcome === 'answered') await finishAnalysis(world.deps, call, analysis)
    return callId
  }
  const analyzed = await finish('answered', { day: 'Monday', other: 'x' })
  expect(await getCall(world.deps, world.seed, analyzed)).toMatchObject({
    extracted: { day: 'Monday', people: null, other: 'x' },
  })
  const [event] = await listEvents(world.deps, analyzed)
  expect(event?.data).toMatchObject({ agent_version: expect.any(Number), extracted: { people: null } })
  const withoutAnalysis = await finish('answered')
  expect((await getCall(world.deps, world.seed, withoutAnalysis)).extracted).toEqual({
    day: null,
    people: null,
  })
  const busy = await finish('busy')
  expect((await getCall(world.deps, world.seed, busy)).extracted).toEqual({})
})

it("lists the results of an agent's published version, not those of its draft", async () => {
  await save({ results: [people] })
  const list = async () =>
    (await listAgents(world.deps, toCaller(world.seed), { limit: 10, offset: 0 })).items[0]?.results
  const before = await list()
  await publish()
  expect(before).not.toEqual([people])
  expect(await list()).toEqual([people])
})

it('simulates a value of the right type for each result, and picks the choice that the contact mentions', () => {
  const results: AgentResult[] = [
    ...[day, people],
    { name: 'is_coming', type: 'yes_no', description: '', choices: [] },
    { name: 'reason', type: 'text', description: '', choices: [] },
  ]
  const simulate = (text: string) =>
    simulateResults(results, dialRequestOf(), {
      goalMet: true,
      transcript: [{ role: 'contact', text, at: '2026-05-04T15:00:00.000Z' }],
    })
  const values = simulate('Yes.')
  expect(values).toEqual({
    day: expect.stringMatching(/^(Monday|Friday)$/),
    people: expect.any(Number),
    is_coming: true,
    reason: 'Simulated reason',
  })
  expect(simulate('Yes.')).toEqual(values)
  expect([simulate('On monday'), simulate('On Friday')]).toMatchObject([{ day: 'Monday' }, { day: 'Friday' }])
})

it("the longest call that an agent's settings allow is shorter than the dialer's own limit", () => {
  expect(minuteLimits.max * 60).toBeLessThan(callLimits.callSeconds)
})
