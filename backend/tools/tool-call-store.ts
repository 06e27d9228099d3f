import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

/** What an agent did in a call. Texts hold nothing that PostgreSQL cannot store. */
export interface ToolCallRecord {
  workspaceId: number
  callId: number
  attemptId: string
  toolName: string
  /** JSON. */
  arguments: string
  result: string
  isError: boolean
  dryRun: boolean
  startedAt: Date
  durationMs: number
}

/** Of a call whose contact was erased meanwhile it is kept that a tool was used, not what for and what came back. */
export const insertToolCall = async (db: Db, record: ToolCallRecord): Promise<void> => {
  await sql`
    with about as (
      select contact.erased_at is null as is_kept
      from call join contact on contact.id = call.contact_id
      where call.workspace_id = ${record.workspaceId} and call.id = ${record.callId}
      for key share of contact
    )
    insert into tool_call (
      workspace_id, call_id, attempt_id, tool_name, arguments, result, is_error, dry_run, started_at, duration_ms
    )
    select ${record.workspaceId}, ${record.callId}, ${record.attemptId}::uuid, ${record.toolName},
      case when is_kept then ${record.arguments}::jsonb else '{}' end,
      case when is_kept then ${record.result} else '' end,
      ${record.isError}, ${record.dryRun}, ${record.startedAt}, ${record.durationMs}
    from about`.execute(db)
}
