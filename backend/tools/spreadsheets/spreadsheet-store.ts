import { sql } from 'kysely'
import type { Db } from '../../platform/db/schema.ts'
import { selectPageBySize } from '../../platform/db/select-page.ts'

export const insertSpreadsheet = async (
  db: Db,
  workspaceId: number,
  spreadsheet: { id: string; name: string; columns: string[]; createdAt: Date },
): Promise<void> => {
  const { createdAt, ...values } = spreadsheet
  await db
    .insertInto('spreadsheet')
    .values({ workspace_id: workspaceId, ...values, created_at: createdAt })
    .execute()
}

export const findSpreadsheet = (
  db: Db,
  workspaceId: number,
  id: string,
): Promise<{ name: string; columns: string[] } | undefined> =>
  db
    .selectFrom('spreadsheet')
    .select(['name', 'columns'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()

export interface SpreadsheetSummary {
  id: string
  name: string
  columns: string[]
  /** Number of rows, without the header. */
  rows: number
  created_at: Date
}

export const selectSpreadsheets = (db: Db, workspaceId: number): Promise<SpreadsheetSummary[]> =>
  db
    .selectFrom('spreadsheet')
    .select(['id', 'name', 'columns', 'created_at'])
    .select((spreadsheet) =>
      spreadsheet
        .selectFrom('spreadsheet_row')
        .select(({ fn }) => fn.countAll<number>().as('rows'))
        .whereRef('spreadsheet_row.spreadsheet_id', '=', 'spreadsheet.id')
        .$asScalar()
        .$notNull()
        .as('rows'),
    )
    .where('workspace_id', '=', workspaceId)
    .orderBy('name')
    .orderBy('id')
    .execute()

/**
 * Locks a spreadsheet: `share` so that it isn't deleted meanwhile, `update` so that no assignment starts to use it.
 * Returns false if it doesn't exist.
 */
export async function lockSpreadsheet(
  db: Db,
  workspaceId: number,
  id: string,
  mode: 'share' | 'update',
): Promise<boolean> {
  const query = db
    .selectFrom('spreadsheet')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
  const row = await (mode === 'share' ? query.forShare() : query.forUpdate()).executeTakeFirst()
  return row !== undefined
}

/** Selects the names of the agents that write to this spreadsheet. */
export async function selectWritingAgents(db: Db, workspaceId: number, id: string): Promise<string[]> {
  const assignedConfig = JSON.stringify({ spreadsheet_id: id, provider: 'database' })
  const rows = await db
    .selectFrom('widget_tool')
    .innerJoin('mcp_tool', 'mcp_tool.id', 'widget_tool.tool_id')
    .innerJoin('agent', 'agent.id', 'widget_tool.agent_id')
    .select('agent.name')
    .where('widget_tool.workspace_id', '=', workspaceId)
    .where('mcp_tool.kind', '=', 'spreadsheet_append')
    .where(sql<boolean>`widget_tool.config @> ${assignedConfig}::jsonb`)
    .orderBy('agent.id')
    .execute()
  return rows.map(({ name }) => name)
}

export const deleteSpreadsheetRow = async (db: Db, workspaceId: number, id: string): Promise<void> => {
  await db.deleteFrom('spreadsheet').where('workspace_id', '=', workspaceId).where('id', '=', id).execute()
}

export const insertSpreadsheetRow = async (
  db: Db,
  workspaceId: number,
  spreadsheetId: string,
  row: { cells: string[]; createdAt: Date },
): Promise<void> => {
  await db
    .insertInto('spreadsheet_row')
    .values({
      workspace_id: workspaceId,
      spreadsheet_id: spreadsheetId,
      cells: row.cells,
      created_at: row.createdAt,
    })
    .execute()
}

/** Selects rows after the one with the ID `after`, oldest first. */
export const selectSpreadsheetRows = (
  db: Db,
  workspaceId: number,
  spreadsheetId: string,
  { after, limit }: { after: number; limit: number },
): Promise<{ id: number; cells: string[] }[]> => {
  const rows = db
    .selectFrom('spreadsheet_row')
    .select(['id', 'cells'])
    .where('workspace_id', '=', workspaceId)
    .where('spreadsheet_id', '=', spreadsheetId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
  return selectPageBySize(db, rows, 'id')
}

export interface SpreadsheetRow {
  id: number
  cells: string[]
  created_at: Date
}

/** Selects rows, newest first, optionally only those before the one with the ID `before`. */
export const selectNewestRows = (
  db: Db,
  workspaceId: number,
  spreadsheetId: string,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<SpreadsheetRow[]> =>
  db
    .selectFrom('spreadsheet_row')
    .select(['id', 'cells', 'created_at'])
    .where('workspace_id', '=', workspaceId)
    .where('spreadsheet_id', '=', spreadsheetId)
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()

/** The private key is sealed. */
interface GoogleAccount {
  clientEmail: string
  privateKey: string
}

export const upsertGoogleAccount = async (
  db: Db,
  workspaceId: number,
  account: GoogleAccount,
  now: Date,
): Promise<void> => {
  const values = { client_email: account.clientEmail, private_key: account.privateKey, created_at: now }
  await db
    .insertInto('google_account')
    .values({ workspace_id: workspaceId, ...values })
    .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet(values))
    .execute()
}

export const findGoogleAccount = (db: Db, workspaceId: number): Promise<GoogleAccount | undefined> =>
  db
    .selectFrom('google_account')
    .select(['client_email as clientEmail', 'private_key as privateKey'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()

/** Returns false if there was no account. */
export const deleteGoogleAccount = async (db: Db, workspaceId: number): Promise<boolean> => {
  const row = await db
    .deleteFrom('google_account')
    .where('workspace_id', '=', workspaceId)
    .returning('workspace_id')
    .executeTakeFirst()
  return row !== undefined
}
