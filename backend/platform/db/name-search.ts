import { type RawBuilder, sql, type SqlBool } from 'kysely'

/**
 * Checks in SQL whether `column` starts with `prefix`. These operators, unlike `like`, can use an index under a row-level
 * security policy.
 */
export const startsWith = (column: string, prefix: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${sql.ref(column)} ~>=~ ${prefix} and ${sql.ref(column)} ~<~ ${`${prefix}${greatestCharacter}`})`

const greatestCharacter = '\u{10FFFF}'

/**
 * Checks in SQL whether `column` contains `text`, ignoring case. The collation is named because a cluster with the
 * C locale ignores the case of ASCII letters only. `%` and `_` in `text` match only themselves.
 */
export const nameContains = (column: string, text: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`${sql.ref(column)} collate "und-x-icu" ilike ${`%${text.replace(/[\\%_]/g, '\\$&')}%`}`
