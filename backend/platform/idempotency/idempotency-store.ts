import { sql } from 'kysely'
import { prepared } from '../db/connect.ts'
import type { Db } from '../db/schema.ts'

/** Returns the advisory lock of a scope, a bigint. */
export const toScopeLock = (scopeHash: Buffer): string => scopeHash.readBigInt64BE(0).toString()

/** Locks scopes until the transaction ends, except those that another transaction has locked. Returns the locks it got. */
export async function tryLockScopes(db: Db, locks: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ lock: string }>`${prepared}
    select lock::text from unnest(${locks}::bigint[]) as lock where pg_try_advisory_xact_lock(lock)`.execute(
    db,
  )
  return new Set(rows.map(({ lock }) => lock))
}

interface StoredResponseRow {
  scopeHash: Buffer
  bodyHash: Buffer
  status: number
  body: unknown
}

export const findStoredResponses = (
  db: Db,
  workspaceId: number,
  scopeHashes: readonly Buffer[],
  now: Date,
): Promise<StoredResponseRow[]> =>
  db
    .selectFrom('idempotent_response')
    .select(['scope_hash as scopeHash', 'body_hash as bodyHash', 'status', 'body'])
    .modifyFront(prepared)
    .where('scope_hash', '=', sql<Buffer>`any(${scopeHashes}::bytea[])`)
    .where('workspace_id', '=', workspaceId)
    .where('expires_at', '>', now)
    .execute()

/** Stores responses. Overwrites expired ones that haven't been deleted yet. */
export async function insertResponses(
  db: Db,
  workspaceId: number,
  responses: readonly StoredResponseRow[],
  { now, expiresAt }: { now: Date; expiresAt: Date },
): Promise<void> {
  await sql`${prepared}
    insert into idempotent_response (scope_hash, workspace_id, body_hash, status, body, created_at, expires_at)
    select scope_hash, ${workspaceId}, body_hash, status, body, ${now}, ${expiresAt}
    from unnest(
      ${responses.map(({ scopeHash }) => scopeHash)}::bytea[],
      ${responses.map(({ bodyHash }) => bodyHash)}::bytea[],
      ${responses.map(({ status }) => status)}::int[],
      ${responses.map(({ body }) => JSON.stringify(body))}::jsonb[]
    ) as response (scope_hash, body_hash, status, body)
    on conflict (scope_hash) do update set
      body_hash = excluded.body_hash, status = excluded.status, body = excluded.body,
      created_at = excluded.created_at, expires_at = excluded.expires_at`.execute(db)
}
