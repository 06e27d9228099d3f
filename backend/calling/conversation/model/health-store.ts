import { sql } from 'kysely'
import type { Db } from '../../../platform/db/schema.ts'
import type { ModelFailures } from './health.ts'

export const selectFailures = (db: Db, key: string): Promise<ModelFailures | undefined> =>
  db
    .selectFrom('model_health')
    .select(['failures as count', 'failed_at as lastAt'])
    .where('key', '=', key)
    .executeTakeFirst()

export async function addFailure(db: Db, key: string, now: Date): Promise<void> {
  await db
    .insertInto('model_health')
    .values({ key, failures: 1, failed_at: now })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({ failures: sql<number>`model_health.failures + 1`, failed_at: now }),
    )
    .execute()
}

export async function deleteFailures(db: Db, key: string): Promise<void> {
  await db.deleteFrom('model_health').where('key', '=', key).execute()
}
