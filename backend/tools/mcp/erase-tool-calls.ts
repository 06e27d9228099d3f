import { type RawBuilder, sql } from 'kysely'
import { type ContactEraser, type ContactIdentifiers, containsIdentifier } from '../../platform/db/erasure.ts'
import type { Db } from '../../platform/db/schema.ts'

/** Checks in SQL if the arguments or the result of a tool call mention the contact. */
const mentionsContact = (contact: ContactIdentifiers) =>
  sql<boolean>`(${containsIdentifier(sql`arguments::text`, contact)} or ${containsIdentifier(sql`result`, contact)})`

/** A statement that reads the tool calls of many more calls or chats could take longer than the database allows. */
const ownersPerStep = 5_000

/** What tool calls belong to: its table, the column of `tool_call` with its ID, and a value before all IDs. */
interface OwnerTable {
  table: RawBuilder<unknown>
  column: RawBuilder<unknown>
  beforeFirst: RawBuilder<unknown>
}

const ownerTables: readonly OwnerTable[] = [
  { table: sql`call`, column: sql`call_id`, beforeFirst: sql`0` },
  {
    ...{ table: sql`conversation`, column: sql`conversation_id` },
    beforeFirst: sql`'00000000-0000-0000-0000-000000000000'::uuid`,
  },
]

/**
 * Returns the IDs of the tool calls that mention the contact. Reads all tool calls of the workspace, which can take
 * minutes, but in many short statements. Call it before the contact is locked.
 */
export async function findMentions(
  db: Db,
  workspaceId: number,
  contact: ContactIdentifiers,
): Promise<number[]> {
  const mentionIds: number[] = []
  for (const owner of ownerTables) {
    let after = owner.beforeFirst
    for (;;) {
      const { lastId, found } = await findStep(db, workspaceId, contact, owner, after)
      if (lastId === null) break
      mentionIds.push(...found)
      after = sql`${lastId}`
    }
  }
  return mentionIds
}

/** Searches the tool calls of the next owners. `lastId` is null if there are none. */
async function findStep(
  db: Db,
  workspaceId: number,
  contact: ContactIdentifiers,
  { table, column }: OwnerTable,
  after: RawBuilder<unknown>,
): Promise<{ lastId: number | string | null; found: number[] }> {
  const { rows } = await sql<{ lastId: number | string | null; found: number[] }>`
    with step as materialized (
      select id from ${table} where workspace_id = ${workspaceId} and id > ${after} order by id limit ${ownersPerStep}
    )
    select (select id from step order by id desc limit 1) as "lastId", coalesce((
      select jsonb_agg(id) from tool_call
      where workspace_id = ${workspaceId} and ${column} in (select id from step) and ${mentionsContact(contact)}
    ), '[]') as found`.execute(db)
  return rows[0] ?? { lastId: null, found: [] }
}

/**
 * Erases the arguments and results of the contact's tool calls and of other tool calls that mention the contact. Those
 * that were made after {@link findMentions} belong to calls that had an attempt since, or to conversations in progress
 * since. The contact's own conversations are deleted.
 */
export const eraseToolCalls: ContactEraser = async (db, contact) => {
  const { workspaceId, callIds, mentionIds, mentionsReadAt } = contact
  await sql`
    update tool_call set arguments = '{}', result = ''
    where workspace_id = ${workspaceId} and (
      call_id = any(${callIds}::bigint[]) or id = any(${mentionIds}::bigint[])
    )`.execute(db)
  await sql`
    update tool_call set arguments = '{}', result = ''
    where workspace_id = ${workspaceId} and ${mentionsContact(contact)} and call_id = any(array(
      select id from call where workspace_id = ${workspaceId} and status in ('dialing', 'in_progress')
      union all
      select id from call where workspace_id = ${workspaceId} and status = 'queued' and attempts > 0
      union all
      select id from call where workspace_id = ${workspaceId} and ended_at >= ${mentionsReadAt}
    ))`.execute(db)
  await sql`
    update tool_call set arguments = '{}', result = ''
    where workspace_id = ${workspaceId} and ${mentionsContact(contact)} and conversation_id = any(array(
      select id from conversation
      where workspace_id = ${workspaceId} and (ended_at is null or ended_at >= ${mentionsReadAt})
    ))`.execute(db)
}

/** Erases the arguments and results of the tool calls in these calls, but keeps the records that tools were used. */
export async function eraseToolCallContent(
  db: Db,
  workspaceId: number,
  callIds: readonly number[],
): Promise<void> {
  await sql`
    update tool_call set arguments = '{}', result = ''
    where workspace_id = ${workspaceId} and call_id = any(${callIds}::bigint[])`.execute(db)
}
