import { sql } from 'kysely'
import type { Db } from '../../db/schema.ts'

/** Deletes what runtimes reported about the attempts of these calls. */
export async function deleteReportsOfCalls(tx: Db, callIds: readonly number[]): Promise<void> {
  await sql`
    delete from attempt_report using call_attempt
    where call_attempt.call_id = any(${callIds}::bigint[]) and attempt_report.attempt_id = call_attempt.id`.execute(
    tx,
  )
}
