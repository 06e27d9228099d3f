import { sql } from 'kysely'
import type { Db, ToolKindName } from '../db/schema.ts'
import { toToolRow } from './general/store.ts'
import type { ToolDefinition, ToolRow } from './kinds/kind.ts'

export async function selectKinds(db: Db, workspaceId: number): Promise<ReadonlySet<ToolKindName>> {
  const rows = await db
    .selectFrom('mcp_tool')
    .select('kind')
    .where('workspace_id', '=', workspaceId)
    .execute()
  return new Set(rows.map(({ kind }) => kind))
}

/** Leaves out what has the name of a tool that is there. */
export async function insertBuiltIn(
  db: Db,
  workspaceId: number,
  tools: readonly { kind: ToolKindName; definition: ToolDefinition; createdAt: Date }[],
): Promise<void> {
  if (tools.length === 0) return
  await db
    .insertInto('mcp_tool')
    .values(
      tools.map(({ kind, definition, createdAt }) => ({
        workspace_id: workspaceId,
        kind,
        name: definition.name,
        description: definition.description,
        input_schema: JSON.stringify(definition.inputSchema),
        created_at: createdAt,
      })),
    )
    .onConflict((conflict) => conflict.columns(['workspace_id', 'name']).doNothing())
    .execute()
}

/** A tool of any kind, held so that it cannot go while the transaction lasts. */
export async function holdTool(trx: Db, workspaceId: number, toolId: number): Promise<ToolRow | undefined> {
  const row = await trx
    .selectFrom('mcp_tool')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', toolId)
    .forShare()
    .executeTakeFirst()
  return row && toToolRow(row)
}

/** What decides about names happens one after the other in a workspace: two changes must not overlook each other. */
export const lockNames = async (trx: Db, workspaceId: number): Promise<void> => {
  await trx.selectFrom('workspace').select('id').where('id', '=', workspaceId).forNoKeyUpdate().execute()
}

/** Other tools of the agents that have this one, each with the names of those agents. */
export async function selectBeside(
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

/** Those that are switched off too: they may be switched on at any time. */
export async function selectAssigned(db: Db, workspaceId: number, agentId: number): Promise<ToolRow[]> {
  const rows = await db
    .selectFrom('widget_tool')
    .innerJoin('mcp_tool', 'mcp_tool.id', 'widget_tool.tool_id')
    .selectAll('mcp_tool')
    .where('widget_tool.workspace_id', '=', workspaceId)
    .where('widget_tool.agent_id', '=', agentId)
    .orderBy('mcp_tool.name')
    .execute()
  return rows.map(toToolRow)
}

interface Assignment {
  workspaceId: number
  agentId: number
  toolId: number
}

export async function upsertAssignment(
  db: Db,
  { workspaceId, agentId, toolId }: Assignment,
  values: { config: unknown; now: Date },
): Promise<void> {
  const config = JSON.stringify(values.config)
  await db
    .insertInto('widget_tool')
    .values({ workspace_id: workspaceId, agent_id: agentId, tool_id: toolId, config, created_at: values.now })
    .onConflict((conflict) => conflict.columns(['agent_id', 'tool_id']).doUpdateSet({ config }))
    .execute()
}

/** False where there was none. */
export async function deleteAssignment(
  db: Db,
  { workspaceId, agentId, toolId }: Assignment,
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

/** False where there is no such tool. */
export async function updateActive(
  db: Db,
  workspaceId: number,
  toolId: number,
  isActive: boolean,
): Promise<boolean> {
  const row = await db
    .updateTable('mcp_tool')
    .set({ is_active: isActive })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', toolId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Assignments go with it. False where there is none of the kinds that a workspace can add. */
export async function eraseGeneralTool(db: Db, workspaceId: number, toolId: number): Promise<boolean> {
  const row = await db
    .deleteFrom('mcp_tool')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', toolId)
    .where('kind', 'in', ['http', 'remote_mcp'])
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export interface ListedTool {
  id: number
  kind: ToolKindName
  name: string
  description: string
  isActive: boolean
  /** Ids of the agents that have it. */
  agents: number[]
}

export const selectTools = (db: Db, workspaceId: number): Promise<ListedTool[]> =>
  db
    .selectFrom('mcp_tool')
    .select(['id', 'kind', 'name', 'description', 'is_active as isActive'])
    .select((tool) =>
      tool
        .selectFrom('widget_tool')
        .select(sql<number[]>`coalesce(array_agg(agent_id::int order by agent_id), '{}')`.as('ids'))
        .whereRef('tool_id', '=', 'mcp_tool.id')
        .$asScalar()
        .$notNull()
        .as('agents'),
    )
    .where('workspace_id', '=', workspaceId)
    .orderBy('id')
    .execute()
