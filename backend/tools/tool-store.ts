import { type Selectable, sql } from 'kysely'
import type { Database, Db, ToolKindName } from '../platform/db/schema.ts'
import type { ToolDefinition, ToolRow, ToolValues } from './kinds/tool-kind.ts'

export async function selectToolKinds(db: Db, workspaceId: number): Promise<ReadonlySet<ToolKindName>> {
  const rows = await db
    .selectFrom('mcp_tool')
    .select('kind')
    .where('workspace_id', '=', workspaceId)
    .execute()
  return new Set(rows.map(({ kind }) => kind))
}

/** Inserts built-in tools, except those whose name the workspace already uses. */
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

/** Locks a tool of any kind, so that it isn't deleted before the transaction ends. */
export async function lockTool(db: Db, workspaceId: number, toolId: number): Promise<ToolRow | undefined> {
  const row = await db
    .selectFrom('mcp_tool')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', toolId)
    .forShare()
    .executeTakeFirst()
  return row && toToolRow(row)
}

/** Returns false if the tool doesn't exist. */
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

/** Deletes a custom tool and its assignments. Returns false if there's no custom tool with this ID. */
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

interface ToolWithAgents {
  row: ToolRow
  isActive: boolean
  /** IDs of the agents that have the tool. */
  agents: number[]
}

/** Selects all tools of a workspace, oldest first, or only the one with the ID `toolId`. */
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

export type CustomKindName = 'http' | 'remote_mcp'

const toColumns = (values: ToolValues) => ({
  name: values.name,
  description: values.description,
  input_schema: JSON.stringify(values.inputSchema),
  settings: JSON.stringify(values.settings),
  secrets: values.secrets,
})

/** Returns undefined if the workspace already has a tool with this name. */
export const insertTool = (
  db: Db,
  workspaceId: number,
  kind: CustomKindName,
  values: ToolValues & { createdAt: Date },
): Promise<{ id: number } | undefined> =>
  db
    .insertInto('mcp_tool')
    .values({ workspace_id: workspaceId, kind, ...toColumns(values), created_at: values.createdAt })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst()

export const setToolSecrets = (db: Db, workspaceId: number, toolId: number, sealed: string) =>
  db
    .updateTable('mcp_tool')
    .set({ secrets: sealed })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', toolId)
    .execute()

export async function selectTool(
  db: Db,
  workspaceId: number,
  kind: CustomKindName,
  toolId: number,
): Promise<ToolRow | undefined> {
  const row = await db
    .selectFrom('mcp_tool')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', kind)
    .where('id', '=', toolId)
    .executeTakeFirst()
  return row && toToolRow(row)
}

export const toToolRow = (row: Selectable<Database['mcp_tool']>): ToolRow => ({
  id: row.id,
  workspaceId: row.workspace_id,
  version: row.version,
  kind: row.kind,
  name: row.name,
  description: row.description,
  inputSchema: row.input_schema,
  settings: row.settings,
  secrets: row.secrets,
})

/** Saves a new version of a tool. Returns false if it was changed or deleted after it was read. */
export async function updateTool(
  db: Db,
  workspaceId: number,
  current: { id: number; version: number },
  values: ToolValues,
): Promise<boolean> {
  const row = await db
    .updateTable('mcp_tool')
    .set({ ...toColumns(values), version: current.version + 1 })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', current.id)
    .where('version', '=', current.version)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}
