import { sql } from 'kysely'
import type { Db } from '../../platform/db/schema.ts'
import type { LiveCall, LiveChat, ToolRow } from '../kinds/tool-kind.ts'

export interface AssignedTool {
  row: ToolRow
  config: unknown
}

interface AgentWithTools {
  agentId: number
  workspaceId: number
  status: 'draft' | 'live' | 'paused'
  /** The active tools that are assigned to the agent, ordered by name. */
  tools: AssignedTool[]
}

/** Returns an agent and its active tools, or undefined if no agent has this widget ID. */
export async function findAgentWithTools(db: Db, widgetId: string): Promise<AgentWithTools | undefined> {
  const rows = await db
    .selectFrom('agent')
    .leftJoin('widget_tool', 'widget_tool.agent_id', 'agent.id')
    .leftJoin('mcp_tool', (join) =>
      join.onRef('mcp_tool.id', '=', 'widget_tool.tool_id').on('mcp_tool.is_active', '=', true),
    )
    .select([
      'agent.id as agentId',
      'agent.workspace_id as workspaceId',
      'agent.status',
      'widget_tool.config',
      'mcp_tool.id',
      'mcp_tool.version',
      'mcp_tool.kind',
      'mcp_tool.name',
      'mcp_tool.description',
      'mcp_tool.input_schema',
      'mcp_tool.settings',
      'mcp_tool.secrets',
    ])
    .where('agent.widget_id', '=', widgetId)
    .orderBy('mcp_tool.name')
    .execute()
  const [agent] = rows
  if (agent === undefined) return undefined
  const { agentId, workspaceId, status } = agent
  const tools = rows.flatMap(
    ({ id, version, kind, name, description, input_schema, settings, secrets, config }) => {
      if (id === null || version === null || kind === null || name === null || description === null) return []
      const row = {
        ...{ id, workspaceId, version, kind, name, description, secrets },
        inputSchema: input_schema ?? {},
        settings: settings ?? {},
      }
      return [{ row, config: config ?? {} }]
    },
  )
  return { agentId, workspaceId, status, tools }
}

/** Returns the call of an attempt, or undefined if the attempt has ended or doesn't exist. */
export async function findLiveCall(
  db: Db,
  attemptId: string,
): Promise<(LiveCall & { widgetId: string }) | undefined> {
  return db
    .selectFrom('call_attempt')
    .innerJoin('call', 'call.id', 'call_attempt.call_id')
    .innerJoin('agent', 'agent.id', 'call.agent_id')
    .select([
      sql<string>`call_attempt.id::text`.as('attemptId'),
      'call.id as callId',
      'call.campaign_id as campaignId',
      'call.contact_id as contactId',
      'call_attempt.to_number as phoneNumber',
      'call_attempt.test',
      'agent.widget_id as widgetId',
    ])
    .where('call_attempt.id', '=', attemptId)
    .where('call_attempt.ended_at', 'is', null)
    .executeTakeFirst()
}

/**
 * Returns a chat, or undefined if it's over: it has ended, and its analysis isn't pending. Also returns undefined if the
 * contact was erased, because another process may be about to delete the contact's chats.
 */
export async function findLiveChat(
  db: Db,
  conversationId: string,
): Promise<(LiveChat & { widgetId: string }) | undefined> {
  const row = await db
    .selectFrom('conversation')
    .innerJoin('agent', 'agent.id', 'conversation.agent_id')
    .leftJoin('contact', 'contact.id', 'conversation.contact_id')
    .select([
      'agent.widget_id as widgetId',
      'conversation.contact_id as contactId',
      'contact.phone_number as phoneNumber',
    ])
    .where('conversation.id', '=', conversationId)
    .where('contact.erased_at', 'is', null)
    .where((eb) =>
      eb.or([eb('conversation.ended_at', 'is', null), eb('conversation.analysis_at', 'is not', null)]),
    )
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { widgetId, contactId: id, phoneNumber } = row
  return {
    conversationId,
    widgetId,
    contact: id === null || phoneNumber === null ? null : { id, phoneNumber },
  }
}
