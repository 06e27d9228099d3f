import { sql } from 'kysely'
import pg from 'pg'
import { parseConfig } from '../../backend/config.ts'
import { createLog } from '../../backend/log.ts'
import { openDeps } from '../../backend/open-deps.ts'

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

/** Opens connections that have only the service's role and its key of the do-not-call list. */
export async function openBarePool(max = 16, role = 'outdial_service'): Promise<pg.Pool> {
  const settings = await readSettings()
  // Returns a promise. The pool waits for it, although the pool's type doesn't say so.
  const prepare: (client: pg.ClientBase) => unknown = async (client) => {
    await client.query(`set role ${role}`)
    for (const { name, value } of settings)
      await client.query('select set_config($1, $2, false)', [name, value])
  }
  return new pg.Pool({
    connectionString: process.env.DATABASE_URL,
    max,
    types,
    onConnect: prepare,
  })
}

/** Reads the additional settings of the service's connections. */
async function readSettings(): Promise<{ name: string; value: string }[]> {
  const config = parseConfig({ ...process.env, ROLE: 'api' })
  const { deps, close } = await openDeps({ config, log: await createLog('silent'), purpose: 'command' })
  const { rows } = await sql<{ name: string; value: string }>`
    select name, current_setting(name) as value
    from unnest(array['outdial.do_not_call_inner_key', 'outdial.do_not_call_outer_key']) as name`.execute(
    deps.db,
  )
  await close()
  return rows
}
