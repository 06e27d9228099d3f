import { sql } from 'kysely'
import { hadConversation } from '../../platform/db/call-rules.ts'
import type { ContactEraser } from '../../platform/db/erasure.ts'
import type { Db } from '../../platform/db/schema.ts'
import type { CallSettings } from '../../platform/db/tables/call-tables.ts'

/** Stops waiting for the analyses of these calls. Returns the calls whose events can be published now. */
export async function endAnalyses(
  db: Db,
  workspaceId: number,
  callIds: readonly number[],
): Promise<number[]> {
  const rows = await db
    .updateTable('call')
    .set({ analysis_until: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sql<number>`any(${callIds}::bigint[])`)
    .where('analysis_until', 'is not', null)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** The parts of `call.queued_with` and `call_attempt.dialed_with` that come from the contact. */
export const personalSettings: readonly (keyof CallSettings | 'local_times' | 'allowed')[] = [
  'first_name',
  'last_name',
  'variables',
  'consent_source',
  'consent_at',
  'consent_kind',
  'time_zones',
  'local_times',
  'allowed',
]

/** Erases who was called, what was said, and the contact's settings that the call was queued with. */
export const eraseCalls: ContactEraser = async (db, { workspaceId, callIds, at }) => {
  await db
    .updateTable('call')
    .set({
      to_number: '',
      transcript: '[]',
      summary: null,
      extracted: '{}',
      metadata: '{}',
      recording_url: null,
      origin: sql<string>`origin - 'name'`,
      queued_with: sql<string>`queued_with - ${personalSettings}::text[]`,
      completed_contact: null,
      conversation_erased_at: at,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sql<number>`any(${callIds}::bigint[])`)
    .execute()
}

/** Erases why the number is or was on the do-not-call list, because that's free text, and who added it. The entry stays. */
export const eraseDoNotCallReasons: ContactEraser = async (db, { workspaceId, phoneNumber }) => {
  const isOfNumber = sql`workspace_id = ${workspaceId} and number_hash = number_hash(${workspaceId}, ${phoneNumber})`
  await sql`update do_not_call set reason = null, added_by = null where ${isOfNumber}`.execute(db)
  await sql`update do_not_call_removal set reason = '' where ${isOfNumber}`.execute(db)
}

/** Matches completed calls that ended before `before` and whose conversation isn't erased yet. */
const hasOldConversation = (workspaceId: number, before: Date) =>
  sql<boolean>`workspace_id = ${workspaceId} and status = 'completed' and conversation_erased_at is null
    and ended_at < ${before}`

/** Counts the calls that {@link eraseOldConversations} would erase without a limit. */
export async function countOldConversations(db: Db, workspaceId: number, before: Date): Promise<number> {
  const { count } = await db
    .selectFrom('call')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(hasOldConversation(workspaceId, before))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * Erases what was said in up to `limit` calls that ended before `before`, oldest first. Returns their IDs, so that the
 * same transaction can erase what other modules store about them. Concurrent processes get different calls.
 */
export async function eraseOldConversations(
  db: Db,
  workspaceId: number,
  { before, now, limit }: { before: Date; now: Date; limit: number },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with due as (
      select id from call
      where ${hasOldConversation(workspaceId, before)}
      order by ended_at
      limit ${limit}
      for no key update skip locked
    )
    update call
    set had_conversation = ${hadConversation('call')}, transcript = '[]', summary = null, extracted = '{}',
      recording_url = null, conversation_erased_at = ${now}
    from due where call.id = due.id
    returning call.id`.execute(db)
  return rows.map(({ id }) => id)
}
