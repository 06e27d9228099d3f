import type { ColumnType, Generated } from 'kysely'
import type { CreatedAt, Id, Json, JsonWithDefault, TimestampColumn } from './column-types.ts'

/** Tools of agents and what they use. */
export interface ToolTables {
  mcp_tool: McpToolTable
  widget_tool: WidgetToolTable
  tool_call: ToolCallTable
  knowledge_document: KnowledgeDocumentTable
  knowledge_passage: KnowledgePassageTable
  spreadsheet: SpreadsheetTable
  spreadsheet_row: SpreadsheetRowTable
  google_account: GoogleAccountTable
}

export type ToolKindName =
  | 'knowledge_search'
  | 'contact_lookup'
  | 'contact_update'
  | 'contact_note'
  | 'do_not_call'
  | 'schedule_callback'
  | 'spreadsheet_append'
  | 'http'
  | 'remote_mcp'

interface McpToolTable {
  id: Id
  workspace_id: number
  kind: ToolKindName
  name: string
  description: string
  input_schema: Json<Record<string, unknown>>
  settings: JsonWithDefault<Record<string, unknown>>
  secrets: string | null
  is_active: Generated<boolean>
  version: Generated<number>
  created_at: CreatedAt
}

interface WidgetToolTable {
  workspace_id: number
  agent_id: number
  tool_id: number
  config: JsonWithDefault<Record<string, unknown>>
  created_at: CreatedAt
}

interface ToolCallTable {
  id: Id
  workspace_id: number
  /** Null in a chat. */
  call_id: number | null
  attempt_id: string | null
  conversation_id: string | null
  tool_name: string
  arguments: Json<unknown>
  result: string
  is_error: boolean
  dry_run: boolean
  started_at: TimestampColumn
  duration_ms: number
}

interface KnowledgeDocumentTable {
  id: Id
  workspace_id: number
  title: string
  body: string
  created_at: CreatedAt
  updated_at: CreatedAt
}

interface KnowledgePassageTable {
  id: Id
  workspace_id: number
  document_id: number
  position: number
  text: string
  /** A tsvector that to_tsvector creates. Only searches use it, so it's never selected. */
  search: ColumnType<never, string, string>
}

interface SpreadsheetTable {
  id: string
  workspace_id: number
  name: string
  columns: string[]
  created_at: CreatedAt
}

interface SpreadsheetRowTable {
  id: Id
  workspace_id: number
  spreadsheet_id: string
  cells: string[]
  created_at: CreatedAt
}

interface GoogleAccountTable {
  workspace_id: number
  client_email: string
  private_key: string
  created_at: CreatedAt
}
