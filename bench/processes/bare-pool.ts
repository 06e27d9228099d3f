import pg from 'pg'

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

/** Opens 16 connections that have nothing of the service but its role and these settings. */
export function openBarePool(settings: readonly { name: string; value: string }[] = []): pg.Pool {
  return new pg.Pool({
    connectionString: process.env.DATABASE_URL,
    max: 16,
    types,
    onConnect: async (client) => {
      await client.query('set role outdial_service')
      for (const { name, value } of settings) await client.query('select set_config($1, $2, false)', [name, value])
    },
  })
}
