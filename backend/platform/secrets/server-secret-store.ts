import type { Db } from '../db/schema.ts'

export const insertServerSecretIfNew = (db: Db, name: string, value: string) =>
  db
    .insertInto('server_secret')
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

export const findServerSecret = async (db: Db, name: string): Promise<string | undefined> => {
  const row = await db.selectFrom('server_secret').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value
}

/** Replaces a value, unless another process has already replaced it. */
export const replaceServerSecret = (db: Db, name: string, change: { from: string; to: string }) =>
  db
    .updateTable('server_secret')
    .set({ value: change.to })
    .where('name', '=', name)
    .where('value', '=', change.from)
    .execute()
