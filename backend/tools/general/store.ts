import type { Selectable } from 'kysely'
import type { Database, Db } from '../../db/schema.ts'
import type { JsonSchema, ToolRow } from '../kinds/tool-kind.ts'

export type CustomKindName = 'http' | 'remote_mcp'

/** What a tool of the general kinds is made of. */
export interface ToolValues {
  name: string
  description: string
  inputSchema: JsonSchema
  settings: Record<string, unknown>
  secrets: string | null
}

const toColumns = (values: ToolValues) => ({
  name: values.name,
  description: values.description,
  input_schema: JSON.stringify(values.inputSchema),
  settings: JSON.stringify(values.settings),
  secrets: values.secrets,
})

/** Undefined where the workspace has a tool of this name already. */
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

/** Writes a new version over the one that was read; false where another came between, or the tool is gone. */
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
