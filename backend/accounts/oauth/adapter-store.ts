import type { Scope } from '@outdial/contract'
import { sql } from 'kysely'
import type { Db } from '../../platform/db/schema.ts'

/**
 * A stored oidc-provider model. Its ID (as a hash) and its expiration time are in separate columns, not in `payload`.
 */
export interface StoredPayload {
  payload: Record<string, unknown>
  expiresAt: Date | null
  consumedAt: Date | null
}

// Access tokens -------------------------------------------------------------------------------

/**
 * Inserts an access token. Returns false if its grant was revoked. The lock on the grant's row makes a concurrent
 * revocation wait, so that it deletes this token too.
 */
export const insertAccessToken = async (
  db: Db,
  values: { tokenHash: Buffer; grantHash: Buffer; scopes: Scope[]; expiresAt: Date },
): Promise<boolean> => {
  const inserted = await sql`
    insert into credential (token_hash, workspace_id, user_id, grant_hash, client_id, scopes, expires_at)
    select ${values.tokenHash}, workspace_id, user_id, id_hash, client_id, ${values.scopes}, ${values.expiresAt}
    from oauth_grant where id_hash = ${values.grantHash}
    for key share`.execute(db)
  return inserted.numAffectedRows === 1n
}

export const findAccessToken = (db: Db, tokenHash: Buffer, now: Date) =>
  db
    .selectFrom('credential')
    .select(['client_id as clientId', 'user_id as userId', 'scopes', 'expires_at as expiresAt'])
    .where('token_hash', '=', tokenHash)
    .where('grant_hash', 'is not', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()

export const deleteAccessToken = (db: Db, tokenHash: Buffer) =>
  db
    .deleteFrom('credential')
    .where('token_hash', '=', tokenHash)
    .where('grant_hash', 'is not', null)
    .execute()

// Everything else that oidc-provider stores ---------------------------------------------------

interface PayloadKey {
  model: string
  idHash: Buffer
}

/** Stores a payload, which is JSON. Returns false if it belongs to a grant that was revoked. */
export const upsertPayload = async (
  db: Db,
  values: PayloadKey & { payload: string; grantHash: Buffer | null; expiresAt: Date | null },
): Promise<boolean> => {
  const { model, idHash, payload, grantHash, expiresAt } = values
  const inserted = await sql`
    insert into oauth_payload (model, id_hash, payload, grant_hash, expires_at)
    select ${model}, ${idHash}, ${payload}::jsonb, ${grantHash}::bytea, ${expiresAt}::timestamptz
    where ${grantHash}::bytea is null
      or exists (select from oauth_grant where id_hash = ${grantHash} for key share)
    on conflict (model, id_hash) do update
      set payload = excluded.payload, expires_at = excluded.expires_at`.execute(db)
  return inserted.numAffectedRows === 1n
}

export const findPayload = async (
  db: Db,
  { model, idHash }: PayloadKey,
  now: Date,
): Promise<StoredPayload | undefined> => {
  const row = await db
    .selectFrom('oauth_payload')
    .select(['payload', 'expires_at as expiresAt', 'consumed_at as consumedAt'])
    .where('model', '=', model)
    .where('id_hash', '=', idHash)
    .executeTakeFirst()
  return row && (row.expiresAt === null || row.expiresAt > now) ? row : undefined
}

/**
 * Marks a payload as consumed and stores it until `keepUntil`. Returns false if it was already consumed. Of two
 * concurrent calls, exactly one returns true.
 */
export const consumePayload = async (
  db: Db,
  { model, idHash }: PayloadKey,
  at: { now: Date; keepUntil: Date },
): Promise<boolean> => {
  const consumed = await db
    .updateTable('oauth_payload')
    .set({ consumed_at: at.now, expires_at: at.keepUntil })
    .where('model', '=', model)
    .where('id_hash', '=', idHash)
    .where('consumed_at', 'is', null)
    .executeTakeFirst()
  return consumed.numUpdatedRows > 0n
}

export const deletePayload = (db: Db, { model, idHash }: PayloadKey) =>
  db.deleteFrom('oauth_payload').where('model', '=', model).where('id_hash', '=', idHash).execute()

export const deleteExpiredPayloads = (db: Db, now: Date) =>
  db.deleteFrom('oauth_payload').where('expires_at', '<', now).execute()

export const findGrantOfPayload = async (db: Db, { model, idHash }: PayloadKey): Promise<Buffer | null> => {
  const row = await db
    .selectFrom('oauth_payload')
    .select('grant_hash')
    .where('model', '=', model)
    .where('id_hash', '=', idHash)
    .executeTakeFirst()
  return row?.grant_hash ?? null
}
