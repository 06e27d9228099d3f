import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import type { LiveCall, ToolRow } from '../tools/kinds/tool-kind.ts'

export interface AssignedTool {
  row: ToolRow
  config: unknown
}

export interface AgentWithTools {
  agentId: number
  workspaceId: number
  status: 'draft' | 'live' | 'paused'
  /** Active and assigned, by name. */
  tools: AssignedTool[]
}

/** An agent and its tools, by the id that only the runtime and the dashboard know; undefined where there is none. */
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

/** The call that an attempt is about while it is on; undefined where it has ended, or there is none. */
export async function findLiveCall(
  db: Db,
  attemptId: string,
): Promise<(LiveCall & { agentId: number }) | undefined> {
  return db
    .selectFrom('attempt')
    .innerJoin('call', 'call.id', 'attempt.call_id')
    .select([
      sql<string>`attempt.id::text`.as('attemptId'),
      'call.id as callId',
      'call.campaign_id as campaignId',
      'call.contact_id as contactId',
      'attempt.to_number as phoneNumber',
      'attempt.test',
      'call.agent_id as agentId',
    ])
    .where('attempt.id', '=', attemptId)
    .where('attempt.ended_at', 'is', null)
    .executeTakeFirst()
}
