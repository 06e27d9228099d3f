import { type RawBuilder, sql, type SqlBool } from 'kysely'

/**
 * Checks in SQL whether `column` contains `text`, ignoring case. The collation is named because a cluster with the
 * C locale ignores the case of ASCII letters only. `%` and `_` in `text` match only themselves.
 */
export const nameContains = (column: string, text: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`${sql.ref(column)} collate "und-x-icu" ilike ${`%${text.replace(/[\\%_]/g, '\\$&')}%`}`
