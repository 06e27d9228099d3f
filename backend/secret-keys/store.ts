import type { Db } from '../db/schema.ts'

/** Keeps the value where there is none of this name yet, and answers the one that is kept. */
export async function getOrCreateServerSecret(db: Db, name: string, value: string): Promise<string> {
  await db
    .insertInto('server_secret')
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const row = await db
    .selectFrom('server_secret')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return row.value
}
