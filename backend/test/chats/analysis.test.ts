import { beforeEach, expect, it } from '@jest/globals'
import type { AgentResult } from '@outdial/contract'
import { startChatAnalysis } from '../../calling/chats/analysis-job.ts'
import { addLateResult } from '../../calling/chats/chat-store.ts'
import { startIdleChatEnd } from '../../calling/chats/idle-chats.ts'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { hourMs, minuteMs, secondMs } from '../../platform/core/durations.ts'
import { eraseContact } from '../../privacy/erase-contact.ts'
import { saveAgent } from '../../queue/agents/agents.ts'
import { completeDialedCall, seedCall } from '../support/calls.ts'
import { getChat, modelConfig, seedChat } from '../support/chats.ts'
import type { TestDeps } from '../support/deps.ts'
import { freshNumber } from '../support/factories.ts'
import { useLanguageModels } from '../support/language-model.ts'
import { waitFor, waitUntil } from '../support/wait.ts'
import { useCallsWorld } from '../support/world.ts'

const models = useLanguageModels()
const world = useCallsWorld(() => ({ config: modelConfig() }))
let deps: TestDeps
beforeEach(async () => {
  ;({ deps } = world)
  // The job analyzes the chats of all workspaces, including those of earlier tests.
  await deps.db.deleteFrom('conversation').execute()
})

/** Starts a worker's analysis job, with a model that has no fallback. */
async function startJob() {
  const model = await models.open({ settings: { fallback: undefined } })
  const job = startChatAnalysis({ ...deps, model })
  world.workers.push(job)
  return job
}

const chatOf = (id: string) => getChat(deps, world.seed, id)

/** Advances the clock until the chat has no analysis planned, and returns the chat. */
const waitForEnd = (id: string) =>
  waitFor(
    async () => {
      const chat = await chatOf(id)
      return chat.analysis_at === null && chat
    },
    () => deps.clock.advance(secondMs),
  )

/** Lets a worker begin an analysis, and then do nothing more, as if it had been killed. */
async function startKilledJob() {
  models.first.behaviors.push('silent')
  const job = await startJob()
  await waitUntil(() => models.first.requests.length === 1)
  models.first.behaviors.length = 0
  // The job waits for its request, but doesn't start others.
  void job.stop(hourMs)
  /** Ends the job's request, as if the process had only been suspended. */
  const resume = async () => {
    deps.clock.advance(hourMs)
    await job.stop()
  }
  return { resume }
}

it('analyzes an ended chat for the results and goal of the agent version that it used, and counts the tokens', async () => {
  const results: AgentResult[] = [
    { name: 'owns_house', type: 'yes_no', description: 'Owns a house', choices: [] },
  ]
  const input = { name: 'Ava', instructions: 'Sell solar panels.', goal: 'An offer.', results }
  await saveAgent(deps, world.seed.workspaceId, world.seed.agentId, input, null)
  await saveAgent(deps, world.seed.workspaceId, world.seed.agentId, { name: 'Ava', results: [] }, null)
  const tool = { type: 'tool', id: '1', name: 'weather', args: {}, isError: false, isDryRun: false } as const
  const id = await seedChat(deps, world.seed, {
    agentVersion: 2,
    inputs: [{ type: 'speech', text: 'I own a house.' }, { type: 'silence' }],
    parts: [
      { type: 'said', text: 'One moment.', isFiller: true },
      { ...tool, result: 'Sunny' },
      { type: 'trouble', sentence: 'The tool was slow.' },
      { type: 'said', text: 'The sun is shining.' },
    ],
    isEnded: true,
  })
  await startJob()
  const chat = await waitForEnd(id)
  expect(chat).toMatchObject({
    analysis: {
      ...{ summary: expect.any(String), sentiment: 'positive', goal_met: true },
      extracted: { owns_house: true },
    },
    ...{ analysis_failure: null, analysis_attempts: 1 },
  })
  const [request] = models.first.requests
  const agentTurn = [
    { role: 'tool', text: 'weather: Sunny' },
    { role: 'agent', text: 'The sun is shining.' },
  ]
  expect(JSON.parse(request?.body.messages[1]?.content as string)).toEqual({
    ...{ agent_instructions: 'Sell solar panels.', goal: 'An offer.' },
    transcript: [{ role: 'contact', text: 'I own a house.' }, ...agentTurn, ...agentTurn],
  })
  expect(chat.input_tokens).toBeGreaterThan(0)
  // The workspace's tokens are counted after the chat's commit.
  const { tokens } = await waitFor(() =>
    deps.db
      .selectFrom('model_usage')
      .select('tokens')
      .where('workspace_id', '=', world.seed.workspaceId)
      .executeTakeFirst(),
  )
  expect(tokens).toBe(chat.input_tokens + chat.output_tokens)
})

it("gives the model a tool's result that arrived after the chat's last turn", async () => {
  const tool = { type: 'tool', id: '1', name: 'weather', args: {}, isError: false, isDryRun: false } as const
  const id = await seedChat(deps, world.seed, { parts: [{ ...tool, result: null }], isEnded: true })
  const late = { type: 'late_result', id: '1', name: 'weather', result: 'Sunny', isError: false } as const
  await addLateResult(deps.db, world.seed.workspaceId, id, late)
  await startJob()
  await waitForEnd(id)
  expect(models.first.requests[0]?.body.messages[1]?.content).toContain('weather: Sunny')
})

it('analyzes each chat once, however many workers there are', async () => {
  const ids: string[] = []
  for (let count = 0; count < 5; count += 1) ids.push(await seedChat(deps, world.seed, { isEnded: true }))
  await Promise.all([startJob(), startJob()])
  for (const id of ids) expect(await waitForEnd(id)).toMatchObject({ analysis_attempts: 1 })
  expect(models.first.requests).toHaveLength(5)
})

it("analyzes a chat again if the analyzing process was killed, and ignores that process's late result", async () => {
  const id = await seedChat(deps, world.seed, { isEnded: true })
  const killed = await startKilledJob()
  deps.clock.advance(minuteMs - 1)
  await startJob()
  expect(await chatOf(id)).toMatchObject({ analysis: null, analysis_attempts: 1 })
  const chat = await waitForEnd(id)
  expect(chat).toMatchObject({ analysis: { sentiment: 'positive' }, analysis_attempts: 2 })
  await killed.resume()
  expect(await chatOf(id)).toEqual(chat)
})

it('if a worker stops, lets another worker analyze the chat at once, however often that happens', async () => {
  const id = await seedChat(deps, world.seed, { isEnded: true })
  models.first.behaviors.push('silent')
  for (const stop of [1, 2, 3]) {
    const job = await startJob()
    await waitUntil(() => models.first.requests.length === stop)
    await job.stop()
  }
  models.first.behaviors.length = 0
  await startJob()
  await waitUntil(async () => (await chatOf(id)).analysis !== null)
})

it('if the model fails, makes two attempts within two minutes, and then says why there is no analysis', async () => {
  const id = await seedChat(deps, world.seed, { isEnded: true })
  models.first.behaviors.push('500')
  const startedAt = deps.clock.now().getTime()
  await startJob()
  expect(await waitForEnd(id)).toMatchObject({
    ...{ analysis: null, analysis_attempts: 2 },
    analysis_failure: "The language model's server rejected a request.",
  })
  expect(deps.clock.now().getTime() - startedAt).toBeLessThan(2 * minuteMs)
  expect(models.first.requests).toHaveLength(2)
})

it('says why there is no analysis if the processes of both attempts were killed', async () => {
  const id = await seedChat(deps, world.seed, { isEnded: true })
  await deps.db.updateTable('conversation').set({ analysis_attempts: 2 }).where('id', '=', id).execute()
  await startJob()
  expect(await waitForEnd(id)).toMatchObject({
    analysis_failure: 'The process that analyzed the conversation ended before the analysis was done.',
  })
  expect(models.first.requests).toEqual([])
})

it('says why there is no analysis if no worker has a language model for an hour', async () => {
  const id = await seedChat(deps, world.seed, { isEnded: true })
  deps.clock.advance(hourMs)
  world.workers.push(startIdleChatEnd(deps))
  expect(await waitForEnd(id)).toMatchObject({
    analysis_failure: "No worker had a language model, so the conversation wasn't analyzed.",
  })
})

it('analyzes a chat that ended more than an hour before a worker with a language model started', async () => {
  const id = await seedChat(deps, world.seed, { isEnded: true })
  deps.clock.advance(2 * hourMs)
  const model = await models.open({ settings: { fallback: undefined } })
  world.workers.push(startIdleChatEnd({ ...deps, model }))
  await startJob()
  expect(await waitForEnd(id)).toMatchObject({ analysis: { sentiment: 'positive' }, analysis_failure: null })
})

it("doesn't analyze a chat in which the contact said nothing", async () => {
  const id = await seedChat(deps, world.seed, { inputs: [{ type: 'silence' }], isEnded: true })
  expect(await chatOf(id)).toMatchObject({
    ...{ analysis_at: null, end_reason: 'member' },
    analysis_failure: "The contact said nothing, so there's nothing to analyze.",
  })
})

it('stores nothing about a contact who is erased during the analysis', async () => {
  const { contact, id: callId } = await seedCall(deps, world.seed, freshNumber())
  await completeDialedCall(deps, world.seed, callId, emptyResult('busy', 'line_busy'))
  await seedChat(deps, world.seed, { contactId: contact.id, isEnded: true })
  const suspended = await startKilledJob()
  await eraseContact(deps, world.seed.workspaceId, contact.id)
  await suspended.resume()
  const { workspaceId } = world.seed
  for (const table of ['conversation', 'conversation_turn'] as const) {
    const rows = await deps.db.selectFrom(table).selectAll().where('workspace_id', '=', workspaceId).execute()
    expect([table, rows]).toEqual([table, []])
  }
  // The tokens count anyway, because the model used them.
  const [usage] = await deps.db.selectFrom('model_usage').select('tokens').execute()
  expect(usage?.tokens).toBeGreaterThan(0)
})

it('ends chats 15 minutes after their last turn, and analyzes those in which the contact spoke', async () => {
  const now = deps.clock.now().getTime()
  const at = (ms: number) => ({ lastTurnAt: new Date(now - ms) })
  const idle = await seedChat(deps, world.seed, at(15 * minuteMs))
  const silent = await seedChat(deps, world.seed, { ...at(15 * minuteMs), inputs: [{ type: 'silence' }] })
  const open = await seedChat(deps, world.seed, at(15 * minuteMs - 1))
  const job = startIdleChatEnd(deps)
  await waitUntil(async () => (await chatOf(silent)).ended_at !== null)
  await job.stop()
  const ended = { end_reason: 'idle', ended_at: deps.clock.now() }
  expect(await chatOf(idle)).toMatchObject({ ...ended, analysis_at: deps.clock.now() })
  expect(await chatOf(silent)).toMatchObject({ ...ended, analysis_failure: expect.any(String) })
  expect(await chatOf(open)).toMatchObject({ end_reason: null, ended_at: null })
})
