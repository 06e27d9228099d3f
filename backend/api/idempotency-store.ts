import { sql } from 'kysely'
import { tryLock } from '../db/locks.ts'
import type { Db } from '../db/schema.ts'

/** Returns the advisory lock of a scope, a bigint. */
export const toScopeLock = (scopeHash: Buffer): string => scopeHash.readBigInt64BE(0).toString()

/** Locks a scope until the transaction ends. Returns false if another transaction has the lock. */
export const tryLockScope = (db: Db, lock: string): Promise<boolean> => tryLock(db, sql`${lock}::bigint`)

interface StoredResponse {
  bodyHash: Buffer
  status: number
  body: unknown
}

export async function findStoredResponse(
  db: Db,
  workspaceId: number,
  scopeHash: Buffer,
  now: Date,
): Promise<StoredResponse | undefined> {
  const row = await db
    .selectFrom('idempotent_response')
    .select(['body_hash', 'status', 'body'])
    .where('scope_hash', '=', scopeHash)
    .where('workspace_id', '=', workspaceId)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return row && { bodyHash: row.body_hash, status: row.status, body: row.body }
}

/** Stores a response. Overwrites an expired one that hasn't been deleted yet. */
export async function storeResponse(
  db: Db,
  workspaceId: number,
  scopeHash: Buffer,
  response: StoredResponse & { now: Date; expiresAt: Date },
): Promise<void> {
  const values = {
    body_hash: response.bodyHash,
    status: response.status,
    body: JSON.stringify(response.body),
    created_at: response.now,
    expires_at: response.expiresAt,
  }
  await db
    .insertInto('idempotent_response')
    .values({ scope_hash: scopeHash, workspace_id: workspaceId, ...values })
    .onConflict((conflict) => conflict.column('scope_hash').doUpdateSet(values))
    .execute()
}
