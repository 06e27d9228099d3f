import { expect, it } from '@jest/globals'
import type { ChatEvent } from '../../calling/chats/chat.ts'
import { findChat, listChats } from '../../calling/chats/read-chat.ts'
import { startChat } from '../../calling/chats/start-chat.ts'
import { endChat, takeTurn } from '../../calling/chats/take-turn.ts'
import { hourMs, secondMs } from '../../platform/core/durations.ts'
import { saveAgent } from '../../queue/agents/agents.ts'
import { sampleValues, useChatWorld, wordsOf } from '../support/chat-world.ts'
import { seedAgent, seedUser, seedWorkspace } from '../support/factories.ts'
import { getError, waitForValue } from '../support/wait.ts'

const world = useChatWorld()
const silence = { type: 'silence' } as const
const question = 'Do you own a house?'
const noSignal = new AbortController().signal

/** Reads a stream without ending it when the reader stops. */
const stayOpen = <T>(stream: AsyncGenerator<T>): AsyncIterable<T> => ({
  [Symbol.asyncIterator]: () => ({ next: () => stream.next() }),
})

const edit = (changes: object): Promise<unknown> =>
  saveAgent(world.deps, world.seed.workspaceId, world.seed.agentId, { name: 'Ava', ...changes }, null)

const read = async (chatId: string) => {
  const chat = await findChat(world.db, world.seed.workspaceId, chatId)
  if (chat === undefined) throw new Error('no such chat')
  return chat
}

const keyOf = (chatId: string) => ({ workspaceId: world.seed.workspaceId, userId: world.seed.userId, chatId })

const seedContact = (phoneNumber = '+12025550177') =>
  world.db
    .insertInto('contact')
    .values({ workspace_id: world.seed.workspaceId, phone_number: phoneNumber, first_name: 'Noor' })
    .returning('id')
    .executeTakeFirstOrThrow()

it("begins a chat with the greeting of the agent's newest version, even if the version isn't published", async () => {
  await edit({ greeting: 'Good day, {{first_name}}.' })
  const chat = await read(await world.start())
  expect(chat.agentVersion).toBe(2)
  expect(chat.turns).toMatchObject([
    { number: 1, input: null, parts: [{ type: 'said', text: "Good day, Maya. I'm an AI assistant." }] },
  ])
  expect(world.model.requests).toEqual([])
})

it("a chat can use a draft agent and one of the workspace's contacts", async () => {
  const agentId = await seedAgent(world.deps, world.seed.workspaceId, { status: 'draft' })
  const { id: contactId } = await seedContact()
  const { id } = await startChat(world.deps, world.seed, agentId, { contactId })
  expect(await read(id)).toMatchObject({ contactId, sampleValues: null, agentId })
  expect(JSON.stringify((await read(id)).turns)).toContain('Noor')
})

it("streams and stores the agent's answer, and continues the chat in another process", async () => {
  await edit({ instructions: `Ask: ${question} Ask: Is it yellow?` })
  const chatId = await world.start()
  const events = await world.take(chatId, 'Hi')
  expect(events.length).toBeGreaterThan(3)
  expect(events.at(-1)).toEqual({ type: 'finished', number: 2, end: null })
  const other = await world.openProcess()
  expect(wordsOf(await world.take(chatId, 'Yes', { deps: other }))).toBe('I see. Is it yellow?')
  const chat = await read(chatId)
  expect(chat.turns.map(({ number, input }) => [number, input])).toEqual([
    [1, null],
    [2, { type: 'speech', text: 'Hi' }],
    [3, { type: 'speech', text: 'Yes' }],
  ])
  expect(chat).toMatchObject({ model: 'outdial-fake', tokens: { isEstimated: false }, endedAt: null })
  expect(Math.min(chat.tokens.input, chat.tokens.output)).toBeGreaterThan(0)
})

it('uses a tool of the tool server without changing any data', async () => {
  await world.assign('contact_note')
  const { id: contactId } = await seedContact()
  const chatId = await world.start({ contactId })
  const events = await world.take(chatId, 'Take a note')
  expect(events.find(({ type }) => type === 'tool_finished')).toMatchObject({
    tool: { name: 'contact_note', isDryRun: true, result: expect.stringContaining('nothing was changed') },
  })
  const toolCalls = await world.db
    .selectFrom('tool_call')
    .selectAll()
    .where('conversation_id', '=', chatId)
    .execute()
  expect(toolCalls).toMatchObject([
    { call_id: null, tool_name: 'contact_note', dry_run: true, is_error: false },
  ])
  expect(
    await world.db.selectFrom('contact_note').selectAll().where('contact_id', '=', contactId).execute(),
  ).toEqual([])
})

it('records an opt-out as a tool call, but puts no number on the do-not-call list', async () => {
  const { id: contactId } = await seedContact()
  const chatId = await world.start({ contactId })
  await world.take(chatId, 'Please stop calling me')
  const toolCalls = await world.db
    .selectFrom('tool_call')
    .select(['tool_name', 'dry_run'])
    .where('conversation_id', '=', chatId)
    .execute()
  expect(toolCalls).toEqual([{ tool_name: 'opt_out', dry_run: true }])
  expect(
    await world.db
      .selectFrom('do_not_call')
      .selectAll()
      .where('workspace_id', '=', world.seed.workspaceId)
      .execute(),
  ).toEqual([])
  expect(await read(chatId)).toMatchObject({ endReason: 'agent', analysis: { state: 'pending' } })
})

it("after each answer, finds the values of the agent's results", async () => {
  const result = { name: 'owns_house', type: 'text' as const, description: 'Whether they do', choices: [] }
  await edit({ instructions: `Ask: ${question}`, results: [result] })
  const chatId = await world.start()
  const found = { owns_house: expect.any(String) }
  expect((await world.take(chatId, 'I do')).slice(-2)).toEqual([
    { type: 'finished', number: 2, end: null },
    { type: 'found', found },
  ])
  expect((await read(chatId)).found).toEqual(found)
})

it('stores what the agent said before an interruption, even if the same process takes the next turn', async () => {
  await edit({ instructions: `Ask: ${question} Ask: Is it yellow?` })
  world.model.behaviors.push('slow')
  const chatId = await world.start()
  let second: Promise<unknown> | undefined
  const first = world.take(chatId, 'Hi', {
    onEvent: (event) => {
      if (event.type !== 'said' || second !== undefined) return
      world.model.behaviors.length = 0
      second = world.take(chatId, 'Wait')
    },
  })
  const said = wordsOf(await first)
  await second
  expect((await read(chatId)).turns.slice(1)).toMatchObject([
    { input: { text: 'Hi' }, parts: [{ type: 'said', text: said }, { type: 'interrupted' }] },
    { input: { text: 'Wait' }, parts: [{ type: 'said' }] },
  ])
  expect(said.length).toBeLessThan(`I see. ${question}`.length)
})

it('stores nothing more of a turn once another process has taken the next turn', async () => {
  await edit({ instructions: `Ask: ${question} Ask: Is it yellow?` })
  world.model.behaviors.push('stalled')
  const chatId = await world.start()
  const other = await world.openProcess()
  const abort = new AbortController()
  let second: Promise<unknown> | undefined
  const first = await world.take(chatId, 'Hi', {
    signal: abort.signal,
    onEvent: () => {
      world.model.behaviors.length = 0
      second ??= world.take(chatId, 'Wait', { deps: other }).then(() => abort.abort())
    },
  })
  await second
  expect(first.some(({ type }) => type === 'finished')).toBe(false)
  expect((await read(chatId)).turns.slice(1)).toMatchObject([
    { input: { text: 'Hi' }, parts: [], isFinished: false },
    { input: { text: 'Wait' }, parts: [{ type: 'said' }] },
  ])
})

it("counts the tokens of a turn that isn't stored because the member lost their rights", async () => {
  await edit({ instructions: `Ask: ${question}` })
  const chatId = await world.start()
  const deps = {
    ...world.deps,
    confirmRights: async () => {
      if (world.model.requests.length > 0) throw new Error('no rights')
    },
  }
  expect(await getError(world.take(chatId, 'Hi', { deps }))).toMatchObject({ message: 'no rights' })
  const [usage] = await world.db.selectFrom('model_usage').select('tokens').execute()
  expect(usage?.tokens).toBeGreaterThan(0)
})

it("stops the model's answer once another process has taken the next turn", async () => {
  await edit({ instructions: `Ask: ${question}` })
  world.model.behaviors.push('stalled')
  const chatId = await world.start()
  const other = await world.openProcess()
  let second: Promise<unknown> | undefined
  const first = world.take(chatId, 'Hi', {
    onEvent: () => {
      world.model.behaviors.length = 0
      second ??= world.take(chatId, 'Wait', { deps: other }).then(() => world.deps.clock.advance(secondMs))
    },
  })
  expect((await first).at(-1)).toEqual({ type: 'dropped' })
  await second
  expect(world.model.requests[0]?.isAborted).toBe(true)
})

it('continues a chat whose process was killed during a turn', async () => {
  await edit({ instructions: `Ask: ${question}` })
  const chatId = await world.start()
  const lost = { workspace_id: world.seed.workspaceId, conversation_id: chatId, number: 2 }
  await world.db
    .insertInto('conversation_turn')
    .values({
      ...lost,
      input: JSON.stringify({ type: 'speech', text: 'Hi' }),
      started_at: world.deps.clock.now(),
    })
    .execute()
  await world.db.updateTable('conversation').set({ turn: 2 }).where('id', '=', chatId).execute()
  expect(wordsOf(await world.take(chatId, 'Are you there?'))).toContain(question)
  const contents = world.model.requests.at(-1)?.body.messages.map(({ content }) => content)
  expect(contents?.slice(-2)).toEqual(['Hi', 'Are you there?'])
})

it('tells the model about a tool that was used in a turn whose process was killed', async () => {
  await world.assign('contact_note')
  const { id: contactId } = await seedContact()
  const chatId = await world.start({ contactId })
  const killed = takeTurn(world.deps, keyOf(chatId), { type: 'speech', text: 'Take a note' }, noSignal)
  for await (const { type } of stayOpen(killed)) if (type === 'tool_finished') break
  // Continues the turn: it saves the tool's result before the agent's next words.
  await killed.next()
  expect((await read(chatId)).turns[1]).toMatchObject({
    isFinished: false,
    parts: [
      { type: 'said' },
      { type: 'tool', name: 'contact_note', result: expect.stringContaining('nothing was changed') },
    ],
  })
  const other = await world.openProcess()
  await world.take(chatId, 'Hello', { deps: other })
  const contents = world.model.requests.at(-1)?.body.messages.map(({ content }) => content)
  expect(contents?.slice(-4)).toEqual([
    'Take a note',
    'One moment, please.',
    expect.stringContaining('{"tool":"contact_note",'),
    'Hello',
  ])
  await killed.return()
})

it('uses a tool even if the tool server restarts during the turn, and shows an error if the server stops', async () => {
  await edit({ instructions: `Ask: ${question} Ask: Is it yellow?` })
  await world.assign('contact_note')
  const { id: contactId } = await seedContact()
  const chatId = await world.start({ contactId })
  const takeNote = async (meanwhile: () => Promise<void>) => {
    const turn = takeTurn(world.deps, keyOf(chatId), { type: 'speech', text: 'Take a note' }, noSignal)
    for await (const { type } of stayOpen(turn)) if (type === 'tool_started') break
    await meanwhile()
    const events: ChatEvent[] = []
    for await (const event of turn) events.push(event)
    expect(events).toContainEqual(expect.objectContaining({ type: 'finished', end: null }))
    return events.find(({ type }) => type === 'tool_finished')
  }
  const used = { tool: { isError: false, result: expect.stringContaining('nothing was changed') } }
  const restarted = await takeNote(async () => {
    await world.stopToolServer()
    await world.startToolServer()
  })
  expect(restarted).toMatchObject(used)

  const stopped = await takeNote(() => world.stopToolServer())
  expect(stopped).toMatchObject({
    tool: { isError: true, result: expect.stringContaining("couldn't be used") },
  })
  expect(world.log).toContain('failed to use the tool server for a chat')
  await world.startToolServer()
  expect(await takeNote(async () => {})).toMatchObject(used)
})

it('gives the model what the agent said before an interruption, even if another process takes the next turn', async () => {
  await edit({ instructions: `Ask: ${question} Ask: Is it yellow?` })
  world.model.behaviors.push('stalled')
  const chatId = await world.start()
  const other = await world.openProcess()
  const abort = new AbortController()
  let second: Promise<unknown> | undefined
  const first = await world.take(chatId, 'Hi', {
    signal: abort.signal,
    onEvent: () => {
      world.model.behaviors.length = 0
      second ??= world.take(chatId, 'Wait', { deps: other })
      abort.abort()
    },
  })
  await second
  const contents = world.model.requests.at(-1)?.body.messages.map(({ content }) => content)
  expect(JSON.stringify(contents?.slice(-3))).toContain(wordsOf(first).trim())
  expect((await read(chatId)).turns.map(({ isFinished }) => isFinished)).toEqual([true, true, true])
})

it('gives the model the result of a tool that was still running when another process took the next turn', async () => {
  await edit({ instructions: `Ask: ${question}` })
  await world.assign('contact_note')
  const { id: contactId } = await seedContact()
  const chatId = await world.start({ contactId })
  const overtaken = takeTurn(world.deps, keyOf(chatId), { type: 'speech', text: 'Take a note' }, noSignal)
  for await (const { type } of stayOpen(overtaken)) if (type === 'tool_finished') break
  await world.take(chatId, 'Hello', { deps: await world.openProcess() })
  for await (const { type } of overtaken) if (type === 'dropped') break
  await waitForValue(
    () => read(chatId),
    ({ turns }) => turns[1]?.parts.some((part) => part.type === 'tool' && part.result !== null) === true,
  )
  const events = await world.take(chatId, 'And now?')
  expect(events.find(({ type }) => type === 'late_result')).toMatchObject({ name: 'contact_note' })
})

it("if a turn is interrupted before a tool starts, doesn't start the tool, and adds no parts to the turn", async () => {
  await world.assign('contact_note')
  const { id: contactId } = await seedContact()
  const chatId = await world.start({ contactId })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let isNextHeld = false
  const deps = {
    ...world.deps,
    confirmRights: async () => {
      if (!isNextHeld) return
      isNextHeld = false
      await released
    },
  }
  const abort = new AbortController()
  await world.take(chatId, 'Take a note', {
    deps,
    signal: abort.signal,
    onEvent: ({ type }) => {
      if (type !== 'tool_started') return
      isNextHeld = true
      abort.abort()
    },
  })
  const before = (await read(chatId)).turns
  release()
  const after = await waitForValue(
    () => read(chatId),
    ({ turns }) => turns[1]?.parts.some((part) => part.type === 'tool' && part.result !== null) === true,
  )
  expect(after.turns[1]?.parts.map(({ type }) => type)).toEqual(before[1]?.parts.map(({ type }) => type))
  expect(after.turns[1]?.parts).toContainEqual(
    expect.objectContaining({ name: 'contact_note', result: expect.stringContaining("wasn't started") }),
  )
  const toolCalls = world.db.selectFrom('tool_call').selectAll().where('conversation_id', '=', chatId)
  expect(await toolCalls.execute()).toEqual([])
})

it("doesn't start a tool that could change data once another process has taken the next turn", async () => {
  await edit({ instructions: `Ask: ${question}` })
  await world.assign('contact_note')
  const { id: contactId } = await seedContact()
  const chatId = await world.start({ contactId })
  const outdated = takeTurn(world.deps, keyOf(chatId), { type: 'speech', text: 'Take a note' }, noSignal)
  for await (const { type } of stayOpen(outdated)) if (type === 'tool_started') break
  const other = await world.openProcess()
  await world.take(chatId, 'Hello', { deps: other })
  const events: string[] = []
  for await (const { type } of outdated) events.push(type)
  expect(events.at(-1)).toBe('dropped')
  const toolCalls = world.db.selectFrom('tool_call').selectAll().where('conversation_id', '=', chatId)
  expect(await toolCalls.execute()).toEqual([])
})

it("doesn't finish a turn during which the chat is deleted", async () => {
  world.model.behaviors.push('slow')
  const chatId = await world.start()
  let deleted: Promise<unknown> | undefined
  const events = await world.take(chatId, 'Hi', {
    onEvent: () => {
      deleted ??= world.db.deleteFrom('conversation').where('id', '=', chatId).execute()
    },
  })
  await deleted
  expect(events.some(({ type }) => type === 'finished')).toBe(false)
})

it('lets a member end a chat twice, and analyzes the chat only if the contact said something', async () => {
  await edit({ instructions: `Ask: ${question}` })
  const spoken = await world.start()
  await world.take(spoken, 'Hi')
  const silent = await world.start()
  await world.take(silent, silence)
  for (const chatId of [spoken, silent, silent]) await endChat(world.deps, keyOf(chatId))
  expect(await read(spoken)).toMatchObject({ endReason: 'member', analysis: { state: 'pending' } })
  expect(await read(silent)).toMatchObject({
    endReason: 'member',
    analysis: { state: 'failed', sentence: expect.stringContaining('said nothing') },
  })
  expect(await getError(world.take(spoken, 'Hello?'))).toMatchObject({ code: 'validation_failed' })
})

it('lets the member who started a chat end it, even after the language model is removed', async () => {
  const chatId = await world.start()
  const deps: Parameters<typeof endChat>[0] = { ...world.deps }
  Reflect.deleteProperty(deps, 'model')
  await endChat(deps, keyOf(chatId))
  expect(await read(chatId)).toMatchObject({ endReason: 'member' })
})

it('uses the sentences that were written for the agent, and fills in their placeholders', async () => {
  await edit({
    greeting: 'Ciao.',
    language: 'it',
    phrases: { aiDisclosure: 'IA, ciao.', silenceQuestion: '{{first_name}}, ciao?', goodbye: ' ' },
  })
  const chatId = await world.start()
  await world.take(chatId, silence)
  expect((await read(chatId)).turns).toMatchObject([
    { parts: [{ text: 'Ciao. IA, ciao.' }] },
    { parts: [{ text: 'Maya, ciao?' }] },
  ])
})

it('ends a chat if the contact says nothing for two turns in a row', async () => {
  const chatId = await world.start()
  await world.take(chatId, silence)
  expect((await world.take(chatId, silence)).at(-1)).toMatchObject({ type: 'finished', end: 'silence' })
  expect(await read(chatId)).toMatchObject({ endReason: 'silence' })
})

it("lets only the member who started a chat continue it, and only in the chat's workspace", async () => {
  const chatId = await world.start()
  const { userId } = await seedUser(world.deps)
  expect(await getError(world.take(chatId, 'Hi', { userId }))).toMatchObject({ code: 'validation_failed' })
  const other = await seedWorkspace(world.deps)
  const key = { workspaceId: other.workspaceId, userId: world.seed.userId, chatId }
  expect(await getError(endChat(world.deps, key))).toMatchObject({ code: 'not_found' })
  expect(await findChat(world.db, other.workspaceId, chatId)).toBeUndefined()
})

it("doesn't start a chat with another workspace's contact or agent", async () => {
  const other = await seedWorkspace(world.deps)
  const { id: contactId } = await world.db
    .insertInto('contact')
    .values({ workspace_id: other.workspaceId, phone_number: '+12025550178' })
    .returning('id')
    .executeTakeFirstOrThrow()
  expect(await getError(world.start({ contactId }))).toMatchObject({ code: 'not_found' })
  const start = startChat(world.deps, world.seed, other.agentId, { sampleValues })
  expect(await getError(start)).toMatchObject({ code: 'not_found' })
})

it('limits a member to 30 new chats an hour', async () => {
  for (let count = 0; count < 30; count += 1) await world.start()
  expect(await getError(world.start())).toMatchObject({ code: 'rate_limited' })
  world.deps.clock.advance(hourMs)
  await world.start()
  expect(await listChats(world.db, world.seed.workspaceId, world.seed.agentId)).toHaveLength(20)
})

it('limits a member to 30 new chats an hour, even if chats with several agents start at the same time', async () => {
  const agentIds: number[] = []
  for (let count = 0; count < 10; count += 1)
    agentIds.push(await seedAgent(world.deps, world.seed.workspaceId))
  for (let count = 0; count < 25; count += 1) await world.start()
  const results = await Promise.allSettled(
    agentIds.map((agentId) => startChat(world.deps, world.seed, agentId, { sampleValues })),
  )
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
})

it('saves the result of a tool that finishes after an interruption, and gives it to the model', async () => {
  await world.assign('contact_note')
  const { id: contactId } = await seedContact()
  const chatId = await world.start({ contactId })
  const abort = new AbortController()
  await world.take(chatId, 'Take a note', {
    signal: abort.signal,
    onEvent: ({ type }) => {
      if (type === 'tool_started') abort.abort()
    },
  })
  const late = await waitForValue(
    () =>
      world.db.selectFrom('conversation').select('late_results').where('id', '=', chatId).executeTakeFirst(),
    (row) => row?.late_results.length === 1,
  )
  expect(late?.late_results).toMatchObject([{ name: 'contact_note' }])
  const events = await world.take(chatId, 'Hello')
  expect(events.find(({ type }) => type === 'late_result')).toMatchObject({ name: 'contact_note' })
  const row = await world.db
    .selectFrom('conversation')
    .select('late_results')
    .where('id', '=', chatId)
    .executeTakeFirst()
  expect(row?.late_results).toEqual([])
})

it('stores what the agent said until the member ends the chat through another process', async () => {
  await edit({ instructions: `Ask: ${question}` })
  world.model.behaviors.push('stalled')
  const chatId = await world.start()
  const other = await world.openProcess()
  const abort = new AbortController()
  let ended: Promise<unknown> | undefined
  const events = await world.take(chatId, 'Hi', {
    signal: abort.signal,
    onEvent: () => {
      ended ??= endChat(other, keyOf(chatId))
      abort.abort()
    },
  })
  await ended
  const chat = await read(chatId)
  expect(chat.endReason).toBe('member')
  expect(JSON.stringify(chat.turns[1]?.parts)).toContain(wordsOf(events).trim())
})
