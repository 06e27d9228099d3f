import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db } from '../db/schema.ts'
import type { SealedPlace } from './secret-box.ts'

/** The name of the server secret that shows whether SECRET_KEY is right for this database. */
export const checkName = 'secret-key-check'

interface SealedColumn {
  table: string
  column: string
  /** Columns of the row's key. The last column alone is unique. */
  key: readonly string[]
  toPlace: (key: readonly unknown[]) => SealedPlace
}

const workspaceSecret = {
  table: 'workspace',
  key: ['id'],
  toPlace: ([id]: readonly unknown[]) => ['workspace.webhook_secret', Number(id)] as const,
}
const subscriptionSecret = {
  table: 'webhook_subscription',
  key: ['workspace_id', 'id'],
  toPlace: ([workspaceId, id]: readonly unknown[]) =>
    ['webhook_subscription.secret', Number(workspaceId), Number(id)] as const,
}

const sealedColumns: readonly SealedColumn[] = [
  { ...workspaceSecret, column: 'webhook_secret' },
  { ...workspaceSecret, column: 'previous_webhook_secret' },
  { ...subscriptionSecret, column: 'secret' },
  { ...subscriptionSecret, column: 'previous_secret' },
  {
    table: 'oauth_client',
    column: 'secret',
    key: ['id'],
    toPlace: ([id]) => ['oauth_client.secret', String(id)],
  },
  {
    table: 'mcp_tool',
    column: 'secrets',
    key: ['workspace_id', 'id'],
    toPlace: ([workspaceId, id]) => ['mcp_tool.secrets', Number(workspaceId), Number(id)],
  },
  {
    table: 'google_account',
    column: 'private_key',
    key: ['workspace_id'],
    toPlace: ([workspaceId]) => ['google_account.private_key', Number(workspaceId)],
  },
  {
    table: 'server_secret',
    column: 'value',
    key: ['name'],
    toPlace: ([name]) => ['server_secret.value', String(name)],
  },
]

const batchSize = 200

/** Returns the value sealed again, the same value if it needn't change, or undefined if it can't be opened. */
type Reseal = (sealed: string, place: SealedPlace) => string | undefined

/**
 * Seals every stored value again, except the one that checks SECRET_KEY (`checkName`). Several processes can do this at
 * the same time, because a value is replaced only if it hasn't changed since it was read. A value that can't be opened
 * stays unchanged and is logged.
 *
 * @returns how many values changed, and how many couldn't be opened
 */
export async function resealValues(
  db: Db,
  reseal: Reseal,
  log: Pick<Logger, 'warn'>,
): Promise<{ changed: number; unopened: number }> {
  const total = { changed: 0, unopened: 0 }
  for (const sealedColumn of sealedColumns) {
    const { changed, unopened } = await resealColumn(db, reseal, sealedColumn)
    total.changed += changed
    total.unopened += unopened.length
    if (unopened.length === 0) continue
    const { table, column } = sealedColumn
    const rows = unopened.slice(0, 100)
    log.warn(
      { column: `${table}.${column}`, rows, count: unopened.length },
      "some stored secrets can't be decrypted with any key in SECRET_KEY; enter or create them again",
    )
  }
  return total
}

/** Returns how many values changed, and the keys of rows with a value that can't be opened. */
async function resealColumn(db: Db, reseal: Reseal, sealedColumn: SealedColumn) {
  const result = { changed: 0, unopened: [] as string[] }
  let last: unknown
  for (;;) {
    const rows = await db.transaction().execute(async (tx) => {
      const batch = await selectSealed(tx, sealedColumn, last)
      for (const row of batch) {
        const resealed = reseal(row.sealed, sealedColumn.toPlace(row.key))
        if (resealed === undefined) result.unopened.push(row.key.join('/'))
        else if (resealed !== row.sealed) {
          await replaceSealed(tx, sealedColumn, row, resealed)
          result.changed += 1
        }
      }
      return batch
    })
    if (rows.length < batchSize) return result
    last = rows.at(-1)?.key.at(-1)
  }
}

interface SealedRow {
  key: unknown[]
  sealed: string
}

const getUniqueKey = ({ key }: SealedColumn) => sql.ref(key.at(-1) ?? '')

async function selectSealed(
  db: Db,
  sealedColumn: SealedColumn,
  last: unknown,
): Promise<readonly SealedRow[]> {
  const { table, column, key } = sealedColumn
  const uniqueKey = getUniqueKey(sealedColumn)
  const { rows } = await sql<Record<string, unknown> & { sealed: string }>`
    select ${sql.join(key.map((name) => sql.ref(name)))}, ${sql.ref(column)} as sealed
    from ${sql.table(table)}
    where ${sql.ref(column)} <> ''
      ${last === undefined ? sql`` : sql`and ${uniqueKey} > ${last}`}
      ${table === 'server_secret' ? sql`and name <> ${checkName}` : sql``}
    order by ${uniqueKey} limit ${batchSize}`.execute(db)
  return rows.map((row) => ({ key: key.map((name) => row[name]), sealed: row.sealed }))
}

const replaceSealed = (db: Db, sealedColumn: SealedColumn, row: SealedRow, resealed: string) =>
  sql`
    update ${sql.table(sealedColumn.table)} set ${sql.ref(sealedColumn.column)} = ${resealed}
    where ${getUniqueKey(sealedColumn)} = ${row.key.at(-1)} and ${sql.ref(sealedColumn.column)} = ${row.sealed}`.execute(
    db,
  )
