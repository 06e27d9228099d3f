import { sql } from 'kysely'
import type { Db } from '../platform/db/schema.ts'
import type { ToolRow } from './kinds/tool-kind.ts'
import { toToolRow } from './tool-store.ts'

export async function upsertAssignment(
  db: Db,
  workspaceId: number,
  agentId: number,
  toolId: number,
  values: { config: unknown; now: Date },
): Promise<void> {
  const config = JSON.stringify(values.config)
  await db
    .insertInto('widget_tool')
    .values({ workspace_id: workspaceId, agent_id: agentId, tool_id: toolId, config, created_at: values.now })
    .onConflict((conflict) => conflict.columns(['agent_id', 'tool_id']).doUpdateSet({ config }))
    .execute()
}

/** Returns false if the agent doesn't have the tool. */
export async function deleteAssignment(
  db: Db,
  workspaceId: number,
  agentId: number,
  toolId: number,
): Promise<boolean> {
  const row = await db
    .deleteFrom('widget_tool')
    .where('workspace_id', '=', workspaceId)
    .where('agent_id', '=', agentId)
    .where('tool_id', '=', toolId)
    .returning('tool_id')
    .executeTakeFirst()
  return row !== undefined
}

/** Selects the tools of an agent by name, including tools that are turned off, each with its stored configuration. */
export async function selectAssignments(
  db: Db,
  workspaceId: number,
  agentId: number,
): Promise<{ row: ToolRow; isActive: boolean; config: unknown }[]> {
  const rows = await db
    .selectFrom('widget_tool')
    .innerJoin('mcp_tool', 'mcp_tool.id', 'widget_tool.tool_id')
    .selectAll('mcp_tool')
    .select('widget_tool.config')
    .where('widget_tool.workspace_id', '=', workspaceId)
    .where('widget_tool.agent_id', '=', agentId)
    .orderBy('mcp_tool.name')
    .execute()
  return rows.map(({ config, ...row }) => ({ row: toToolRow(row), isActive: row.is_active, config }))
}

/** Selects the other tools of the agents that have this one, each with the names of the agents that have both. */
export async function selectSiblingTools(
  db: Db,
  workspaceId: number,
  toolId: number,
): Promise<{ row: ToolRow; agents: string[] }[]> {
  const rows = await db
    .selectFrom('widget_tool as this')
    .innerJoin('agent', 'agent.id', 'this.agent_id')
    .innerJoin('widget_tool as other', 'other.agent_id', 'this.agent_id')
    .innerJoin('mcp_tool', 'mcp_tool.id', 'other.tool_id')
    .selectAll('mcp_tool')
    .select(sql<string[]>`array_agg(agent.name order by agent.id)`.as('agents'))
    .where('this.workspace_id', '=', workspaceId)
    .where('this.tool_id', '=', toolId)
    .where('other.tool_id', '<>', toolId)
    .groupBy('mcp_tool.id')
    .orderBy('mcp_tool.id')
    .execute()
  return rows.map(({ agents, ...row }) => ({ row: toToolRow(row), agents }))
}
