import type { Db } from '../db/schema.ts'

export const hasWorkspaces = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('workspace').select('id').limit(1).executeTakeFirst()) !== undefined
