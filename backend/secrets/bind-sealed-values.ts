import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db } from '../db/schema.ts'
import { openUnboundValue, type SealedPlace, type SecretBox } from './secret-box.ts'

// The first version sealed values without their place, so a value opened in any row. At the first start after the
// upgrade, they're sealed again for their rows. After that, only bound values open.

/**
 * The name of the server secret that shows whether SECRET_KEY fits. It's bound last: from then on, values of the first
 * version are never bound again, so a copy of one that's put into another row stays closed.
 */
export const checkName = 'secret-key-check'

interface SealedColumn {
  table: string
  column: string
  /** Columns of the row's key. The last one is unique alone. */
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

/**
 * Seals every value of the first version again, for its row. Several processes can do this at the same time, because a
 * value changes only if it's still the one that was read. A value that no key opens is left as it is and logged.
 */
export async function bindSealedValues(
  db: Db,
  keys: readonly string[],
  secretBox: SecretBox,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  for (const sealedColumn of sealedColumns) {
    const unopened = await bindColumn(db, keys, secretBox, sealedColumn)
    if (unopened.length === 0) continue
    const { table, column } = sealedColumn
    const rows = unopened.slice(0, 100)
    log.warn(
      { column: `${table}.${column}`, rows, count: unopened.length },
      "some stored secrets can't be decrypted with any key in SECRET_KEY; enter or create them again",
    )
  }
}

/** Returns the keys of rows with a value that can't be opened. */
async function bindColumn(
  db: Db,
  keys: readonly string[],
  secretBox: SecretBox,
  sealedColumn: SealedColumn,
): Promise<string[]> {
  const unopened: string[] = []
  let last: unknown
  for (;;) {
    const rows = await db.transaction().execute(async (tx) => {
      const batch = await selectUnbound(tx, sealedColumn, last)
      for (const row of batch) {
        const plain = openUnboundValue(keys, row.sealed)
        if (plain === undefined) unopened.push(row.key.join('/'))
        else {
          const bound = secretBox.seal(plain, sealedColumn.toPlace(row.key))
          await replaceUnbound(tx, sealedColumn, row, bound)
        }
      }
      return batch
    })
    if (rows.length < batchSize) return unopened
    last = rows.at(-1)?.key.at(-1)
  }
}

interface UnboundRow {
  key: unknown[]
  sealed: string
}

const getUniqueKey = ({ key }: SealedColumn) => sql.ref(key.at(-1) ?? '')

async function selectUnbound(
  db: Db,
  sealedColumn: SealedColumn,
  last: unknown,
): Promise<readonly UnboundRow[]> {
  const { table, column, key } = sealedColumn
  const uniqueKey = getUniqueKey(sealedColumn)
  const { rows } = await sql<Record<string, unknown> & { sealed: string }>`
    select ${sql.join(key.map((name) => sql.ref(name)))}, ${sql.ref(column)} as sealed
    from ${sql.table(table)}
    where ${sql.ref(column)} like 'v1.%'
      ${last === undefined ? sql`` : sql`and ${uniqueKey} > ${last}`}
      ${table === 'server_secret' ? sql`and name <> ${checkName}` : sql``}
    order by ${uniqueKey} limit ${batchSize}`.execute(db)
  return rows.map((row) => ({ key: key.map((name) => row[name]), sealed: row.sealed }))
}

const replaceUnbound = (db: Db, sealedColumn: SealedColumn, row: UnboundRow, bound: string) =>
  sql`
    update ${sql.table(sealedColumn.table)} set ${sql.ref(sealedColumn.column)} = ${bound}
    where ${getUniqueKey(sealedColumn)} = ${row.key.at(-1)} and ${sql.ref(sealedColumn.column)} = ${row.sealed}`.execute(
    db,
  )
