import { sql } from 'kysely'
import { dayMs } from '../../platform/core/durations.ts'
import { type ContactEraser, type ContactIdentifiers, containsIdentifier } from '../../platform/db/erasure.ts'
import type { Db } from '../../platform/db/schema.ts'

/** Chats are deleted this long after their last turn, or earlier if the workspace's retention is shorter. */
export const maxChatAgeMs = 30 * dayMs

/** Checks in SQL if a chat's values, turns, or tool calls mention the contact. */
function mentionsContact(contact: ContactIdentifiers) {
  const contains = (column: string) => containsIdentifier(sql`${sql.raw(column)}::text`, contact)
  return sql<boolean>`(
    ${contains('conversation.sample_values')} or ${contains('conversation.found')}
    or ${contains('conversation.analysis')} or ${contains('conversation.late_results')}
    or exists (
      select from conversation_turn as turn
      where turn.conversation_id = conversation.id
        and (${contains('turn.input')} or ${contains('turn.parts')} or ${contains('turn.messages')})
    )
    or exists (
      select from tool_call
      where tool_call.conversation_id = conversation.id
        and (${contains('tool_call.arguments')} or ${contains('tool_call.result')})
    )
  )`
}

/** How many chats one statement reads. A chat can have megabytes, so many more chats could exceed the statement timeout. */
const chatsPerStep = 20

/**
 * Returns the IDs of the chats that mention the contact, whether a chat is with this contact, another contact, or sample
 * values. Call it before the contact is locked, because it reads all chats of the workspace.
 */
export async function findChatsNaming(
  db: Db,
  workspaceId: number,
  contact: ContactIdentifiers,
): Promise<string[]> {
  const chatIds: string[] = []
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const { rows } = await sql<{ last: string | null; found: string[] }>`
      with step as materialized (
        select id from conversation
        where workspace_id = ${workspaceId} and id > ${after}::uuid
        order by id limit ${chatsPerStep}
      )
      select (select id from step order by id desc limit 1) as last, array(
        select id from conversation
        where workspace_id = ${workspaceId} and id in (select id from step) and ${mentionsContact(contact)}
      )::text[] as found`.execute(db)
    const [step] = rows
    if (step === undefined || step.last === null) return chatIds
    chatIds.push(...step.found)
    after = step.last
  }
}

/**
 * Deletes chats that mention the contact, with their turns and tool calls. A turn in progress finds its chat deleted, and
 * stores nothing. Chats that can have had a turn since {@link findChatsNaming} read them are read again.
 */
export const eraseChatsNaming: ContactEraser = async (db, contact) => {
  const { workspaceId, chatIds, mentionsReadAt } = contact
  await sql`
    delete from conversation
    where workspace_id = ${workspaceId} and (
      id = any(${chatIds}::uuid[])
      or ((ended_at is null or last_turn_at >= ${mentionsReadAt}) and ${mentionsContact(contact)})
    )`.execute(db)
}

/**
 * Deletes up to `limit` chats of a workspace whose last turn was before `before`, with their turns and tool calls. If
 * `workspaceId` is null, deletes chats of all workspaces. Returns the number of deleted chats. Concurrent processes delete
 * different chats.
 */
export async function deleteOldChats(
  db: Db,
  { before, workspaceId, limit }: { before: Date; workspaceId: number | null; limit: number },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from conversation where id in (
      select id from conversation
      where last_turn_at < ${before} and workspace_id = coalesce(${workspaceId}::bigint, workspace_id)
      limit ${limit}
      for update skip locked
    )`.execute(db)
  return Number(numAffectedRows)
}
