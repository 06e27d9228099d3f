import { createConversationToken } from '../../platform/secrets/conversation-tokens.ts'
import type { TestDeps } from './deps.ts'

interface SeededChat {
  id: string
  /** The token that gives access to the chat's tools. */
  token: string
  end: (options?: { isAnalysisPending?: boolean }) => Promise<void>
  delete: () => Promise<void>
}

/**
 * Creates a chat in progress with an agent.
 *
 * @param of.contactId without it, the chat has sample values
 * @param options.said what the contact said in the first turn
 */
export async function seedChatWithToken(
  { db, clock, attemptTokenKey }: Pick<TestDeps, 'db' | 'clock' | 'attemptTokenKey'>,
  of: { workspaceId: number; agentId: number; userId: number; contactId?: number },
  { said = 'Hello' } = {},
): Promise<SeededChat> {
  const now = clock.now()
  const sampleValues = { first_name: 'Sam', last_name: null, variables: {} }
  const { id } = await db
    .insertInto('conversation')
    .values({
      ...{ workspace_id: of.workspaceId, agent_id: of.agentId, agent_version: 1, user_id: of.userId },
      contact_id: of.contactId ?? null,
      sample_values: of.contactId === undefined ? JSON.stringify(sampleValues) : null,
      ...{ turn: 1, started_at: now, last_turn_at: now },
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('conversation_turn')
    .values({
      ...{ workspace_id: of.workspaceId, conversation_id: id, number: 1, started_at: now },
      input: JSON.stringify({ type: 'speech', text: said }),
      parts: '[]',
      messages: '[]',
    })
    .execute()
  return {
    id,
    token: createConversationToken(attemptTokenKey, id),
    end: async ({ isAnalysisPending = false } = {}) => {
      await db
        .updateTable('conversation')
        .set({
          ended_at: clock.now(),
          end_reason: 'member',
          analysis_at: isAnalysisPending ? clock.now() : null,
        })
        .where('id', '=', id)
        .execute()
    },
    delete: async () => {
      await db.deleteFrom('conversation').where('id', '=', id).execute()
    },
  }
}
