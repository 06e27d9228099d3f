import { sql } from 'kysely'
import { type ContactEraser, type ContactIdentifiers, containsIdentifier } from '../../platform/db/erasure.ts'
import type { Db } from '../../platform/db/schema.ts'

/** Checks in SQL if the arguments or the result of a tool call mention the contact. */
const mentionsContact = (contact: ContactIdentifiers) =>
  sql<boolean>`(${containsIdentifier(sql`arguments::text`, contact)} or ${containsIdentifier(sql`result`, contact)})`

/** The number of calls whose tool calls one statement reads. With many more, it could take longer than the database allows. */
const callsPerStep = 5_000

/**
 * Returns the IDs of the tool calls that mention the contact, except those of chats, which are deleted as a whole. Reads
 * all tool calls of the workspace, which can take minutes, but in many short statements. Call it before the contact is
 * locked.
 */
export async function findToolCallsNaming(
  db: Db,
  workspaceId: number,
  contact: ContactIdentifiers,
): Promise<number[]> {
  const mentionIds: number[] = []
  for (let afterCallId = 0; ;) {
    const { rows } = await sql<{ lastCallId: number | null; found: number[] }>`
      with step as materialized (
        select id from call where workspace_id = ${workspaceId} and id > ${afterCallId}
        order by id limit ${callsPerStep}
      )
      select (select max(id) from step) as "lastCallId", coalesce((
        select jsonb_agg(id) from tool_call
        where workspace_id = ${workspaceId} and call_id in (select id from step) and ${mentionsContact(contact)}
      ), '[]') as found`.execute(db)
    const [step] = rows
    if (step === undefined || step.lastCallId === null) return mentionIds
    mentionIds.push(...step.found)
    afterCallId = step.lastCallId
  }
}

/**
 * Erases the arguments and results of the contact's tool calls and of other tool calls that mention the contact. {@link
 * findToolCallsNaming} has already found the older ones, so this searches only calls that can have had an attempt since.
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
}

/** Erases the arguments and results of all tool calls in the given calls, but keeps the records that tools were used. */
export async function eraseToolCallContent(
  db: Db,
  workspaceId: number,
  callIds: readonly number[],
): Promise<void> {
  await sql`
    update tool_call set arguments = '{}', result = ''
    where workspace_id = ${workspaceId} and call_id = any(${callIds}::bigint[])`.execute(db)
}
