import type pg from 'pg'
import { connect, getPools } from '../../platform/db/connect.ts'
import { roles } from '../../platform/db/roles.ts'
import type { Db } from '../../platform/db/schema.ts'
import { doNotCallKey } from './database.ts'

/** Opens a database whose pools send `rewrite(text)` instead of each statement's text. */
export function createRewritingDatabase(url: string, rewrite: (text: string) => string): Db {
  const db = connect({ url, role: roles.service, max: 16, doNotCallKey })
  for (const pool of getPools(db)) {
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (text: unknown, values: unknown) => unknown
      client.query = ((statement: string | pg.QueryConfig, values: unknown[]) =>
        query(
          typeof statement === 'string'
            ? rewrite(statement)
            : { ...statement, text: rewrite(statement.text) },
          values,
        )) as typeof client.query
    })
  }
  return db
}
