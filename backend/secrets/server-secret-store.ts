import type { Db } from '../db/schema.ts'

export const insertServerSecretIfNew = (db: Db, name: string, value: string) =>
  db
    .insertInto('server_secret')
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

export const findServerSecret = async (db: Db, name: string): Promise<string> => {
  const row = await db
    .selectFrom('server_secret')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return row.value
}
