import { type RawBuilder, sql, type SqlBool } from 'kysely'

/**
 * Whether the text in `column` contains `part`, in any case. The collation is named because a cluster
 * made with the C locale folds ASCII letters alone; the caller's own `%` and `_` mean themselves.
 */
export const nameContains = (column: string, text: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`${sql.ref(column)} collate "und-x-icu" ilike ${`%${text.replace(/[\\%_]/g, '\\$&')}%`}`
