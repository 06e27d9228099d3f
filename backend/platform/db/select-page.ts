import { type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from './schema.ts'

/** Maximum size of a page's rows, as text in the database. A single row can be larger. */
const maxPageBytes = 1024 * 1024

/**
 * Selects the first rows of a query, at least one, up to a maximum size in total. So a page of the largest rows that users
 * can create takes no more memory than a page of many small rows.
 *
 * @param order the query's order, by a column that it selects
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
