import { sql } from 'kysely'
import type { Db, ToolKindName } from '../db/schema.ts'
import { toToolRow } from './general/store.ts'
import type { ToolDefinition, ToolRow } from './kinds/tool-kind.ts'

export async function selectToolKinds(db: Db, workspaceId: number): Promise<ReadonlySet<ToolKindName>> {
  const rows = await db
    .selectFrom('mcp_tool')
    .select('kind')
    .where('workspace_id', '=', workspaceId)
    .execute()
  return new Set(rows.map(({ kind }) => kind))
}

/** Leaves out what has the name of a tool that is there. */
export async function insertBuiltInTools(
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
export async function lockTool(tx: Db, workspaceId: number, toolId: number): Promise<ToolRow | undefined> {
  const row = await tx
    .selectFrom('mcp_tool')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', toolId)
    .forShare()
    .executeTakeFirst()
  return row && toToolRow(row)
}

/** What decides about names happens one after the other in a workspace: two changes must not overlook each other. */
export const lockWorkspace = async (tx: Db, workspaceId: number): Promise<void> => {
  await tx.selectFrom('workspace').select('id').where('id', '=', workspaceId).forNoKeyUpdate().execute()
}

/** False where there is no such tool. */
export async function updateToolActive(
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
export async function deleteCustomTool(db: Db, workspaceId: number, toolId: number): Promise<boolean> {
  const row = await db
    .deleteFrom('mcp_tool')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', toolId)
    .where('kind', 'in', ['http', 'remote_mcp'])
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export interface ToolWithAgents {
  row: ToolRow
  isActive: boolean
  /** Ids of the agents that have it. */
  agents: number[]
}

/** All tools of a workspace, or the one with this id, in the order in which they came. */
export async function selectTools(db: Db, workspaceId: number, toolId?: number): Promise<ToolWithAgents[]> {
  const rows = await db
    .selectFrom('mcp_tool')
    .selectAll()
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
    .$if(toolId !== undefined, (tools) => tools.where('id', '=', toolId ?? 0))
    .orderBy('id')
    .execute()
  return rows.map(({ agents, ...row }) => ({ row: toToolRow(row), isActive: row.is_active, agents }))
}
