import type { Db } from '../db/schema.ts'

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

export const selectSpreadsheet = (
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

/** Held so that it cannot go while the transaction lasts; false where there is none. */
export const holdSpreadsheet = async (trx: Db, workspaceId: number, id: string): Promise<boolean> => {
  const row = await trx
    .selectFrom('spreadsheet')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst()
  return row !== undefined
}

export const insertRow = async (
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

/** Rows in their order, after the one with the id `after`. */
export const selectRows = (
  db: Db,
  workspaceId: number,
  spreadsheetId: string,
  { after, limit }: { after: number; limit: number },
): Promise<{ id: number; cells: string[] }[]> =>
  db
    .selectFrom('spreadsheet_row')
    .select(['id', 'cells'])
    .where('workspace_id', '=', workspaceId)
    .where('spreadsheet_id', '=', spreadsheetId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()

/** As the database keeps it: the private key is sealed. */
export interface GoogleAccountRow {
  client_email: string
  private_key: string
}

export const upsertGoogleAccount = async (
  db: Db,
  workspaceId: number,
  account: GoogleAccountRow,
  now: Date,
): Promise<void> => {
  await db
    .insertInto('google_account')
    .values({ workspace_id: workspaceId, ...account, created_at: now })
    .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet({ ...account, created_at: now }))
    .execute()
}

export const selectGoogleAccount = (db: Db, workspaceId: number): Promise<GoogleAccountRow | undefined> =>
  db
    .selectFrom('google_account')
    .select(['client_email', 'private_key'])
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
