import { sql } from 'kysely'
import { type ContactEraser, type ContactIdentifiers, containsIdentifier } from '../db/erasure.ts'
import { restoreCalls } from '../db/restore-calls.ts'
import type { Db } from '../db/schema.ts'

/** Checks in SQL if the arguments or the result of a tool call mention the contact. */
const mentionsContact = (contact: ContactIdentifiers) =>
  sql<boolean>`(${containsIdentifier(sql`arguments::text`, contact)} or ${containsIdentifier(sql`result`, contact)})`

/** A statement that reads the tool calls of many more calls could take longer than the database allows. */
const callsPerStep = 5_000

interface Mention {
  toolCallId: number
  callId: number
}

/**
 * Finds the tool calls that mention the contact, also those in the archive. Reads all tool calls of the workspace, which
 * can take minutes, but in many short statements. Call it before the contact is locked.
 */
export async function findMentions(
  db: Db,
  workspaceId: number,
  contact: ContactIdentifiers,
): Promise<Mention[]> {
  const mentions: Mention[] = []
  for (let afterCallId = 0; ;) {
    const { rows } = await sql<{ lastCallId: number | null; found: Mention[] }>`
      with step as materialized (
        select id from any_call where workspace_id = ${workspaceId} and id > ${afterCallId}
        order by id limit ${callsPerStep}
      )
      select (select max(id) from step) as "lastCallId", coalesce((
        select jsonb_agg(jsonb_build_object('toolCallId', id, 'callId', call_id)) from any_tool_call
        where workspace_id = ${workspaceId} and call_id in (select id from step) and ${mentionsContact(contact)}
      ), '[]') as found`.execute(db)
    const [step] = rows
    if (step === undefined || step.lastCallId === null) return mentions
    mentions.push(...step.found)
    afterCallId = step.lastCallId
  }
}

/**
 * Restores the archived calls among those whose tool calls mention the contact, so that {@link eraseToolCalls} finds them.
 * Tool calls that were made after {@link findMentions} can't be in the archive yet: it takes days.
 */
export const restoreMentions = (db: Db, workspaceId: number, mentions: readonly Mention[]): Promise<number> =>
  restoreCalls(db, workspaceId, sql`select unnest(${mentions.map(({ callId }) => callId)}::bigint[])`)

/** Erases the arguments and results of the contact's tool calls and of other tool calls that mention the contact. */
export const eraseToolCalls: ContactEraser = async (db, contact) => {
  const { workspaceId, callIds } = contact
  await sql`
    update tool_call set arguments = '{}', result = ''
    where workspace_id = ${workspaceId}
      and (call_id = any(${callIds}::bigint[]) or ${mentionsContact(contact)})`.execute(db)
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
