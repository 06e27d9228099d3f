import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

/** The workspaces that do not keep what was said for ever. */
export const findRetentions = (db: Db) =>
  db
    .selectFrom('workspace')
    .select(['id as workspaceId', 'retention_days as days'])
    .where('retention_days', 'is not', null)
    .$narrowType<{ days: number }>()
    .execute()

/**
 * Erases what was said in calls that ended before `before`, at most `most` of them, and answers of how many. One
 * statement, so that no call is half erased; several processes take different calls, and an erased one is not
 * looked at again.
 */
export async function eraseConversations(
  db: Db,
  workspaceId: number,
  { before, now, limit }: { before: Date; now: Date; limit: number },
): Promise<number> {
  const { rows } = await sql<{ erased: number }>`
    with due as (
      select id from call
      where workspace_id = ${workspaceId} and status = 'completed' and conversation_erased_at is null
        and ended_at < ${before}
      order by ended_at
      limit ${limit}
      for no key update skip locked
    ),
    erased_calls as (
      update call set transcript = '[]', summary = null, extracted = '{}', recording_url = null,
        conversation_erased_at = ${now}
      from due where call.id = due.id
      returning call.id
    ),
    tools as (
      update tool_call set arguments = '{}', result = '' from due where tool_call.call_id = due.id
    ),
    reports as (
      delete from attempt_report using call_attempt, due
      where call_attempt.call_id = due.id and attempt_report.attempt_id = call_attempt.id
    ),
    events as (
      update event
      set body = jsonb_set(
        event.body::jsonb,
        '{data}',
        event.body::jsonb -> 'data'
          || '{"transcript": [], "transcript_text": null, "summary": null, "extracted": {}, "recording_url": null}'
      )::text
      from due where event.call_id = due.id and event.body::jsonb ? 'data'
    )
    select count(*)::int as erased from erased_calls`.execute(db)
  return rows[0]?.erased ?? 0
}

/** Deletes what nobody can use any more. Credentials and links go by dates of their own, the rest by `now`. */
export async function deleteExpired(
  db: Db,
  before: { now: Date; credentials: Date; links: Date },
): Promise<void> {
  await db.deleteFrom('session').where('expires_at', '<', before.now).execute()
  await db.deleteFrom('oauth_payload').where('expires_at', '<', before.now).execute()
  await db.deleteFrom('idempotent_response').where('expires_at', '<', before.now).execute()
  await db.deleteFrom('contact_import').where('expires_at', '<', before.now).execute()
  await db.deleteFrom('invitation').where('expires_at', '<', before.links).execute()
  await db.deleteFrom('password_reset').where('expires_at', '<', before.links).execute()
  await db.deleteFrom('credential').where('expires_at', '<', before.credentials).execute()
}
