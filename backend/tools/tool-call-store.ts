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

export const insertToolCall = async (db: Db, record: ToolCallRecord): Promise<void> => {
  await db
    .insertInto('tool_call')
    .values({
      workspace_id: record.workspaceId,
      call_id: record.callId,
      attempt_id: record.attemptId,
      tool_name: record.toolName,
      arguments: record.arguments,
      result: record.result,
      is_error: record.isError,
      dry_run: record.dryRun,
      started_at: record.startedAt,
      duration_ms: record.durationMs,
    })
    .execute()
}
