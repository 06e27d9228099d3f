import { type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from './schema.ts'

/** Size of a page in the database, as text. A single row can be larger. */
const maxPageBytes = 1024 * 1024

/**
 * Selects the first rows of a query up to a size, and at least one. So a page of rows that users have filled to the limits
 * takes no more memory than one of many small rows.
 *
 * @param order of the query, by a column that it selects
 */
export async function selectPageBySize<DB, Table extends keyof DB, Row>(
  db: Db,
  query: SelectQueryBuilder<DB, Table, Row>,
  order: 'id' | 'id desc' | 'position',
): Promise<Row[]> {
  const by = sql.raw(order)
  const { rows } = await sql<Row>`
    select * from (
      select page.*, sum(octet_length(page::text))
        over (order by ${by} rows between unbounded preceding and 1 preceding) as bytes_before
      from ${query} as page
    ) as sized
    where coalesce(bytes_before, 0) < ${maxPageBytes}
    order by ${by}`.execute(db)
  return rows
}
