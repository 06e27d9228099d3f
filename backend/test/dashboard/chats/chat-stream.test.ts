import { afterEach, expect, it } from '@jest/globals'
import type { Page } from '../../../../support/browser.ts'
import { removeMember } from '../../../accounts/access/remove-member.ts'
import { secondMs } from '../../../platform/core/durations.ts'
import { say, seedChatter, startChat, type StreamedTurn, streamTurn } from '../../support/chat-pages.ts'
import { seedSignedInMember } from '../../support/dashboard.ts'
import { useModelServiceWorld } from '../../support/service-with-model.ts'
import { getError, waitFor } from '../../support/wait.ts'

const world = useModelServiceWorld()
afterEach(() => {
  world.fake.behaviors = []
})

const readAll = async ({ parts }: StreamedTurn) => {
  const all = []
  for await (const part of parts) all.push(part)
  return all
}

/** Reads the parts of a turn until one contains the text. */
async function readUntil({ parts }: StreamedTurn, text: string) {
  const seen: string[] = []
  for (let step = await parts.next(); step.done !== true; step = await parts.next()) {
    seen.push(step.value.html ?? step.value.text ?? '')
    if (seen.join('').includes(text)) return seen.join('')
  }
  throw new Error(`the stream ended without ${text}: ${seen.join('')}`)
}

const storedParts = async (page: Page, number: number) => {
  const turn = await world.database.db
    .selectFrom('conversation_turn')
    .select('parts')
    .where('conversation_id', '=', page.url.split('/').at(-1) ?? '')
    .where('number', '=', number)
    .executeTakeFirst()
  return JSON.stringify(turn?.parts)
}

it("streams what the contact said, the agent's words, the stored turn, and the results, in this order", async () => {
  const user = await seedChatter(world.service)
  const chat = await startChat(user)
  const turn = await streamTurn(user, chat, { text: 'Hello <b>you</b>' })
  expect(turn.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(turn.response.headers.get('x-content-type-options')).toBe('nosniff')
  const parts = await readAll(turn)
  const types = parts.map(({ type }) => type)
  expect(types.filter((type) => type !== 'text')).toEqual(['begin', 'part', 'turn', 'replace', 'replace'])
  expect(types.indexOf('text')).toBeGreaterThan(types.indexOf('part'))
  expect(parts[0]?.html).toContain('<p>Hello &lt;b&gt;you&lt;/b&gt;</p>')
  // The page must show the same markup as the stream.
  const { page } = await user.browser.open(chat.url)
  const shown = parts.find(({ type }) => type === 'turn')?.html?.trim() ?? 'nothing'
  expect(page.html).toContain(shown.split('\n').at(-2)?.trim())
  expect(parts.at(-1)?.html).toContain('The contact answered the questions.')
})

it("streams the agent's first words before the answer is complete, and stores them if the member interrupts", async () => {
  world.fake.behaviors = ['stalled']
  const user = await seedChatter(world.service)
  const chat = await startChat(user)
  const turn = await streamTurn(user, chat, { text: 'Hello' })
  await readUntil(turn, ' see. Do')
  expect(await storedParts(chat, 2)).toBe('null')
  turn.abort()
  world.fake.behaviors = []
  const next = await readAll(await streamTurn(user, chat, { text: 'Wait' }))
  expect(next.some(({ type }) => type === 'turn')).toBe(true)
  expect(await storedParts(chat, 2)).toContain('I see. Do')
  expect((await user.browser.open(chat.url)).page.text).toMatch(
    /I see\. Do\S*( \S+){0,4} Interrupted Maya Wait/,
  )
})

it("keeps the agent's turn running even if another member tries to end the chat", async () => {
  world.fake.behaviors = ['stalled']
  const user = await seedChatter(world.service)
  const chat = await startChat(user)
  const other = await seedSignedInMember(world.service, user.workspaceId, 'member')
  const turn = await streamTurn(user, chat, { text: 'Hello' })
  await readUntil(turn, ' see. Do')
  const csrf = /name="_csrf" value="[^"]*"/
  const [own = ''] = csrf.exec((await other.open(user.agentPath)).html) ?? []
  const stolen = { ...chat, html: chat.html.replaceAll(new RegExp(csrf, 'g'), own) }
  const { page } = await other.browser.press(stolen, 'End chat')
  expect(page.text).toContain('Only the member who started this chat can continue it.')
  expect(await storedParts(chat, 2)).toBe('null')
  turn.abort()
})

it('when the browser disconnects, stores what the agent has said, and aborts the request to the language model', async () => {
  world.fake.behaviors = ['stalled']
  const user = await seedChatter(world.service)
  const chat = await startChat(user)
  const turn = await streamTurn(user, chat, { text: 'Hello' })
  await readUntil(turn, ' see. Do')
  turn.abort()
  await waitFor(async () => (await storedParts(chat, 2)).includes('I see. Do'))
  expect(world.fake.requests.at(-1)?.isAborted).toBe(true)
})

it('streams a tool call when it starts, then its result, and then the end of the chat', async () => {
  const user = await seedChatter(world.service)
  const parts = await readAll(await streamTurn(user, await startChat(user), { text: 'Goodbye' }))
  const started = parts.find(({ html }) => html?.includes('Still running'))
  expect(started?.type).toBe('part')
  expect(started?.html).toContain('end_call')
  const finished = parts.find(({ target }) => target?.startsWith('tool-'))
  expect(started?.html).toContain(`id="${finished?.target}"`)
  expect(finished?.html).toMatch(/Dry run[\s\S]*Result of end_call/)
  expect(parts.at(-1)?.type).toBe('over')
})

it('accepts a turn in which the contact says nothing', async () => {
  const user = await seedChatter(world.service)
  const parts = await readAll(await streamTurn(user, await startChat(user), { _silence: 'yes' }))
  expect(parts.map(({ html }) => html).join('')).toContain('Are you still there?')
})

it('rejects a turn after the chat has ended, and says that the chat has ended', async () => {
  const user = await seedChatter(world.service)
  const chat = await startChat(user)
  await user.browser.press(chat, 'End chat')
  const parts = await readAll(await streamTurn(user, chat, { text: 'Hello?' }))
  expect(parts.at(-1)).toEqual({
    type: 'failed',
    text: 'This chat has ended. Start a new one to continue with this agent.',
  })
})

it("accepts a turn only once, even if it's sent twice", async () => {
  const user = await seedChatter(world.service)
  const chat = await startChat(user)
  const fields = { text: 'Hello', _once: 'the-same' }
  await readAll(await streamTurn(user, chat, fields))
  expect(await readAll(await streamTurn(user, chat, fields))).toEqual([{ type: 'over' }])
  expect((await user.browser.open(chat.url)).page.html.match(/<p>Hello<\/p>/g)).toHaveLength(1)
})

it('responds to an invalid turn with a page instead of a stream, and to a turn from another workspace with 404', async () => {
  const user = await seedChatter(world.service)
  const chat = await startChat(user)
  const { response } = await streamTurn(user, chat, { text: ' ' })
  expect([response.status, response.headers.get('content-type')]).toEqual([422, 'text/html; charset=utf-8'])
  const stranger = await seedChatter(world.service)
  const own = await startChat(stranger)
  const stolen = { ...own, url: chat.url }
  expect((await streamTurn(stranger, stolen, { text: 'Hello' })).response.status).toBe(404)
})

it('closes the stream without sending anything more when the member loses access to the workspace', async () => {
  world.fake.behaviors = ['stalled']
  const user = await seedChatter(world.service)
  const chat = await startChat(user)
  const turn = await streamTurn(user, chat, { text: 'Hello' })
  await readUntil(turn, ' see. Do')
  await getError(removeMember(world.service.deps, user.workspaceId, user.userId))
  await world.database.db.deleteFrom('session').where('user_id', '=', user.userId).execute()
  // The turn notices that its chat was deleted, so it ends. If the member still had their rights, the stream would show this
  // end.
  world.service.deps.clock.advance(secondMs)
  const types: string[] = []
  const read = async () => {
    for await (const { type } of turn.parts) types.push(type)
  }
  // The service closes the connection instead of sending another part.
  expect(String(await getError(read()))).toContain('terminated')
  expect(types).toEqual([])
})

it('accepts a turn from a browser without scripts after a streamed turn', async () => {
  const user = await seedChatter(world.service)
  const chat = await startChat(user)
  await readAll(await streamTurn(user, chat, { text: 'Hello' }))
  const page = await say(user, chat, 'Thursday')
  expect(page.url).toMatch(/#turn-3$/)
})
