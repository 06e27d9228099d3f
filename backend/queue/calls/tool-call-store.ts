import { sql } from 'kysely'
import type { Db } from '../../platform/db/schema.ts'

/** Identifies the owner of a tool call: a call, with one of its attempts, or a conversation that Outdial holds itself. */
export type ToolCallOwner = { callId: number; attemptId: string } | { conversationId: string }

/** One use of a tool by an agent. Its texts contain only characters that PostgreSQL can store. */
interface ToolCallRecord {
  of: ToolCallOwner
  toolName: string
  /** JSON. */
  arguments: string
  result: string
  isError: boolean
  dryRun: boolean
  startedAt: Date
  durationMs: number
}

/**
 * Inserts a tool call. If the contact has been erased meanwhile, the arguments and the result aren't saved. If the conversation
 * has been deleted meanwhile, nothing is saved.
 */
export const insertToolCall = async (db: Db, workspaceId: number, record: ToolCallRecord): Promise<void> => {
  const { of: owner } = record
  await sql`
    with owner as (${'callId' in owner ? lockCall(workspaceId, owner) : lockConversation(workspaceId, owner)})
    insert into tool_call (
      workspace_id, call_id, attempt_id, conversation_id,
      tool_name, arguments, result, is_error, dry_run, started_at, duration_ms
    )
    select ${workspaceId}, call_id, attempt_id, conversation_id, ${record.toolName},
      case when is_erased then '{}' else ${record.arguments}::jsonb end,
      case when is_erased then '' else ${record.result} end,
      ${record.isError}, ${record.dryRun}, ${record.startedAt}, ${record.durationMs}
    from owner`.execute(db)
}

/** Locks the contact of a call, so that its erasure waits. */
const lockCall = (workspaceId: number, { callId, attemptId }: { callId: number; attemptId: string }) => sql`
  select call.id as call_id, ${attemptId}::uuid as attempt_id, null::uuid as conversation_id,
    contact.erased_at is not null as is_erased
  from call join contact on contact.id = call.contact_id
  where call.workspace_id = ${workspaceId} and call.id = ${callId}
  for no key update of contact`

/** Locks a conversation, so that its deletion waits: the erasure of a contact deletes its conversations. */
const lockConversation = (workspaceId: number, { conversationId }: { conversationId: string }) => sql`
  select null::bigint as call_id, null::uuid as attempt_id, id as conversation_id, exists (
    select from contact where contact.id = contact_id and erased_at is not null
  ) as is_erased
  from conversation where workspace_id = ${workspaceId} and id = ${conversationId}::uuid
  for key share`
