import { beforeEach, expect, it } from '@jest/globals'
import { removeMember } from '../../accounts/access/remove-member.ts'
import { addMember } from '../../accounts/identity/members.ts'
import { selectTurns } from '../../calling/chats/chat-store.ts'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { dayMs } from '../../platform/core/durations.ts'
import { eraseContact } from '../../privacy/erase-contact.ts'
import { startRetention } from '../../privacy/retention.ts'
import { countStoredData, describeErasure } from '../../privacy/stored-data.ts'
import { completeDialedCall, seedCall } from '../support/calls.ts'
import { seedChat } from '../support/chats.ts'
import type { TestDeps } from '../support/deps.ts'
import { freshNumber, type Seed, seedUser, seedWorkspace } from '../support/factories.ts'
import { waitUntil } from '../support/wait.ts'
import { useCallsWorld } from '../support/world.ts'

const world = useCallsWorld()
let deps: TestDeps
beforeEach(() => {
  ;({ deps } = world)
})

const number = '+12025550173'

/** Returns the IDs of a workspace's chats, in the order of their turns. */
const listChats = async ({ workspaceId }: Seed = world.seed) => {
  const rows = await deps.db
    .selectFrom('conversation')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .execute()
  return rows.map(({ id }) => id).sort()
}

const recordToolCall = (chatId: string, result: string) =>
  deps.db
    .insertInto('tool_call')
    .values({
      ...{ workspace_id: world.seed.workspaceId, conversation_id: chatId, tool_name: 'contact_lookup' },
      ...{ arguments: '{}', result, is_error: false, dry_run: false },
      ...{ started_at: deps.clock.now(), duration_ms: 5 },
    })
    .execute()

it("deletes chats 30 days after their last turn, or earlier if the workspace's retention is shorter", async () => {
  const short = await seedWorkspace(deps, 'Short')
  await deps.db
    .updateTable('workspace')
    .set({ retention_days: 7 })
    .where('id', '=', short.workspaceId)
    .execute()
  const long = await seedWorkspace(deps, 'Long')
  await deps.db
    .updateTable('workspace')
    .set({ retention_days: 90 })
    .where('id', '=', long.workspaceId)
    .execute()
  const seedAged = (seed: Seed, days: number) =>
    seedChat(deps, seed, { lastTurnAt: new Date(deps.clock.now().getTime() - days * dayMs), isEnded: true })
  const old = await seedAged(world.seed, 31)
  await recordToolCall(old, 'Sunny')
  const kept = await seedAged(world.seed, 29)
  await seedAged(short, 8)
  const keptShort = await seedAged(short, 6)
  await seedAged(long, 31)
  const keptLong = await seedAged(long, 29)

  const job = startRetention(deps)
  await waitUntil(() => deps.clock.waiting > 0)
  await job.stop()
  expect(await listChats()).toEqual([kept])
  expect(await listChats(short)).toEqual([keptShort])
  expect(await listChats(long)).toEqual([keptLong])
  expect(await selectTurns(deps.db, world.seed.workspaceId, old)).toEqual([])
  const toolCalls = await deps.db
    .selectFrom('tool_call')
    .selectAll()
    .where('workspace_id', '=', world.seed.workspaceId)
    .execute()
  expect(toolCalls).toEqual([])
})

it("counts a contact's chats and the chats that mention the contact, and deletes them when the contact is erased", async () => {
  const { contact, id: callId } = await seedCall(deps, world.seed, number, { email: 'zelda@example.com' })
  await completeDialedCall(deps, world.seed, callId, emptyResult('busy', 'line_busy'))
  const { contact: other, id: otherCallId } = await seedCall(deps, world.seed, freshNumber())
  await completeDialedCall(deps, world.seed, otherCallId, emptyResult('busy', 'line_busy'))

  await seedChat(deps, world.seed, { contactId: contact.id })
  const say = (text: string) => ({ inputs: [{ type: 'speech' as const, text }] })
  await seedChat(deps, world.seed, { contactId: other.id, ...say('My wife has (202) 555-0173.') })
  await seedChat(deps, world.seed, say('Write to ZELDA@example.com.'))
  const tool = { type: 'tool', id: '1', name: 'contact_lookup', args: {} } as const
  const found = { ...tool, result: `The number is ${number}.`, isError: false, isDryRun: false }
  await seedChat(deps, world.seed, { parts: [found] })
  await recordToolCall(await seedChat(deps, world.seed), 'zelda@example.com')
  const kept = [await seedChat(deps, world.seed, { contactId: other.id }), await seedChat(deps, world.seed)]

  const stored = await countStoredData(deps.db, world.seed.workspaceId, contact)
  expect(stored.chats).toBe(5)
  expect(describeErasure(stored).join(' ')).toContain('5 chats with agents')
  await eraseContact(deps, world.seed.workspaceId, contact.id)
  expect(await listChats()).toEqual(kept.sort())
  expect(await countStoredData(deps.db, world.seed.workspaceId, other)).toMatchObject({ chats: 1 })
})

it('counts the chats that mention a contact, even if there are more chats than one statement reads', async () => {
  const { contact, id: callId } = await seedCall(deps, world.seed, number)
  await completeDialedCall(deps, world.seed, callId, emptyResult('busy', 'line_busy'))
  for (let count = 0; count < 250; count += 1) await seedChat(deps, world.seed, { inputs: [] })
  const said = { inputs: [{ type: 'speech' as const, text: number }] }
  for (let count = 0; count < 3; count += 1) await seedChat(deps, world.seed, said)
  expect(await countStoredData(deps.db, world.seed.workspaceId, contact)).toMatchObject({ chats: 3 })
})

it("deletes a removed member's chats in this workspace, and no other chats", async () => {
  const { userId } = await seedUser(deps)
  const elsewhere = await seedWorkspace(deps, 'Elsewhere')
  for (const { workspaceId } of [world.seed, elsewhere]) await addMember(deps, workspaceId, userId, 'member')
  await seedChat(deps, world.seed, { userId })
  const kept = await seedChat(deps, world.seed)
  const keptElsewhere = await seedChat(deps, elsewhere, { userId })
  await removeMember(deps, world.seed.workspaceId, userId)
  expect(await listChats()).toEqual([kept])
  expect(await listChats(elsewhere)).toEqual([keptElsewhere])
})
