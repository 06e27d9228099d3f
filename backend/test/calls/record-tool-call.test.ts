import { randomUUID } from 'node:crypto'
import { expect, it } from '@jest/globals'
import pino from 'pino'
import { recordToolCall, type ToolCallOwner } from '../../queue/calls/record-tool-call.ts'
import { seedCall } from '../support/calls.ts'
import { seedChatWithToken } from '../support/chats-with-tokens.ts'
import { freshNumber, seedLiveCall, seedWorkspace } from '../support/factories.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { useWorld } from '../support/world.ts'

const logLines: string[] = []
const world = useWorld(() => {
  logLines.length = 0
  return { log: pino({ level: 'trace' }, { write: (line) => void logLines.push(line) }) }
})

const record = (of: ToolCallOwner, workspaceId = world.seed.workspaceId) =>
  recordToolCall(world.deps, workspaceId, {
    of,
    toolName: 'end_call',
    args: { reason: 'done' },
    result: { text: 'Chat: nothing was changed.', isError: false },
    dryRun: true,
    startedAt: world.deps.clock.now(),
    durationMs: 5,
  })

const listRecords = () =>
  world.database.db
    .selectFrom('tool_call')
    .select(['call_id', 'attempt_id', 'conversation_id', 'arguments', 'result', 'is_error', 'dry_run'])
    .where('workspace_id', '=', world.seed.workspaceId)
    .execute()

const saved = {
  ...{ arguments: { reason: 'done' }, result: 'Chat: nothing was changed.' },
  ...{ is_error: false, dry_run: true },
}

it('records the use of a tool in a call or in a chat', async () => {
  const { callId, attemptId } = await seedLiveCall(world.deps, world.seed)
  const chat = await seedChatWithToken(world.deps, world.seed)
  await record({ callId, attemptId })
  await record({ conversationId: chat.id })
  expect(await listRecords()).toEqual([
    { call_id: callId, attempt_id: attemptId, conversation_id: null, ...saved },
    { call_id: null, attempt_id: null, conversation_id: chat.id, ...saved },
  ])
  expect(logLines).toEqual([])
})

it("saves that a tool was used, but not its content, if the chat's contact was erased while the tool ran", async () => {
  const { contact } = await seedCall(world.deps, world.seed, freshNumber())
  const chat = await seedChatWithToken(world.deps, { ...world.seed, contactId: contact.id })
  await world.database.db
    .updateTable('contact')
    .set({ erased_at: world.deps.clock.now(), phone_number: '' })
    .where('id', '=', contact.id)
    .execute()
  await record({ conversationId: chat.id })
  expect(await listRecords()).toMatchObject([{ conversation_id: chat.id, arguments: {}, result: '' }])
})

it('saves nothing and logs nothing for a chat that no longer exists or belongs to another workspace', async () => {
  const other = await seedWorkspace(world.deps)
  const theirs = await seedChatWithToken(world.deps, other)
  const deleted = await seedChatWithToken(world.deps, world.seed)
  await deleted.delete()
  for (const conversationId of [deleted.id, theirs.id, randomUUID()]) await record({ conversationId })
  expect(await listRecords()).toEqual([])
  expect(logLines).toEqual([])
})

it('waits while a chat is being deleted, and then saves nothing', async () => {
  const { db } = world.database
  const chat = await seedChatWithToken(world.deps, world.seed)
  const deleted = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const deleting = db.transaction().execute(async (tx) => {
    await tx.deleteFrom('conversation').where('id', '=', chat.id).execute()
    deleted.resolve()
    await release.promise
  })
  await deleted.promise
  const recording = record({ conversationId: chat.id })
  await waitForLockWaiters(db)
  release.resolve()
  await Promise.all([deleting, recording])
  expect(await listRecords()).toEqual([])
  expect(logLines).toEqual([])
})
