import { sql } from 'kysely'
import { dayMs } from '../platform/core/durations.ts'
import type { Db } from '../platform/db/schema.ts'

/** An API request as the log stores it. */
export interface LoggedRequest {
  workspace_id: number
  at: Date
  duration_ms: number
  request_id: string
  method: string
  route: string
  object_id: number | null
  status: number
  error_code: string | null
  fields: readonly string[]
  field_codes: readonly string[]
  idempotency: 'first' | 'replayed' | null
  user_id: number
  api_key_id: number | null
  client_id: string | null
  client_version: string | null
  contact_id: number | null
  call_id: number | null
  campaign_id: number | null
  subscription_id: number | null
}

/** Returns the day of the month in UTC, by which the table is partitioned. */
const toDay = (at: Date): number => at.getUTCDate()

/** Inserts requests with one parameter, so that PostgreSQL prepares the same statement for all batch sizes. */
export async function insertRequests(db: Db, requests: readonly LoggedRequest[]): Promise<void> {
  const rows = JSON.stringify(requests.map((request) => ({ day: toDay(request.at), ...request })))
  await sql`
    insert into api_request (
      day, workspace_id, at, duration_ms, request_id, method, route, object_id, status, error_code, fields,
      field_codes, idempotency, user_id, api_key_id, client_id, client_version, contact_id, call_id, campaign_id,
      subscription_id
    )
    select * from jsonb_to_recordset(${rows}::jsonb) as request (
      day smallint, workspace_id bigint, at timestamptz, duration_ms int, request_id text, method text, route text,
      object_id bigint, status smallint, error_code text, fields text[], field_codes text[], idempotency text,
      user_id bigint, api_key_id bigint, client_id text, client_version text, contact_id bigint, call_id bigint,
      campaign_id bigint, subscription_id bigint
    )`.execute(db)
}

/** Number of full days whose requests are stored, in addition to the current day. */
export const retentionDays = 14

/** Empties the partitions of old days. */
export async function truncateOldDays(db: Db, now: Date): Promise<void> {
  // Includes tomorrow, because another process's clock can be ahead of `now`.
  const retainedDays = Array.from({ length: retentionDays + 2 }, (_, index) =>
    toDay(new Date(now.getTime() + (1 - index) * dayMs)),
  )
  for (let day = 1; day <= 31; day += 1) {
    if (retainedDays.includes(day)) continue
    const partition = sql.table(`api_request_day_${day}`)
    // Truncates only partitions that have rows, because `truncate` waits for everything that reads the table.
    const { rows } = await sql`select from ${partition} limit 1`.execute(db)
    if (rows.length > 0) await sql`truncate ${partition}`.execute(db)
  }
}
