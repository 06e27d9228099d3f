import type { Scope } from '@outdial/contract'
import { sql } from 'kysely'
import type { Caller } from '../../platform/core/caller.ts'
import { hidden, prepared } from '../../platform/db/connect.ts'
import type { Db } from '../../platform/db/schema.ts'

/** The caller that a credential acts for, and when it expires. */
export interface Credential extends Caller {
  /** Null for an API key. */
  expiresAt: Date | null
}

/**
 * Finds API keys and access tokens in one query, because one table has both. Returns them in the order of `tokenHashes`.
 */
export async function findCredentials(
  db: Db,
  tokenHashes: readonly Buffer[],
): Promise<(Credential | undefined)[]> {
  const rows = await db
    .selectFrom('credential')
    .select([
      'token_hash',
      'workspace_id as workspaceId',
      'user_id as userId',
      'api_key_id as apiKeyId',
      'client_id as clientId',
      'scopes',
      'expires_at as expiresAt',
    ])
    .modifyFront(prepared)
    .where('token_hash', '=', sql<Buffer>`any(${hidden(tokenHashes, 'bytea[]')})`)
    .execute()
  const byHash = new Map(
    rows.map(({ token_hash: hash, ...credential }) => [hash.toString('base64'), credential]),
  )
  return tokenHashes.map((hash) => byHash.get(hash.toString('base64')))
}

/** Inserts a key and its credential. Call it in a transaction. */
export async function insertApiKey(
  db: Db,
  workspaceId: number,
  key: { userId: number; name: string; prefix: string; tokenHash: Buffer; scopes: Scope[]; now: Date },
): Promise<number> {
  const { id } = await db
    .insertInto('api_key')
    .values({
      workspace_id: workspaceId,
      user_id: key.userId,
      name: key.name,
      prefix: key.prefix,
      created_at: key.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('credential')
    .values({
      token_hash: key.tokenHash,
      workspace_id: workspaceId,
      user_id: key.userId,
      api_key_id: id,
      scopes: key.scopes,
    })
    .execute()
  return id
}

/** Counts a member's keys that aren't revoked. */
export const countLiveApiKeys = async (db: Db, workspaceId: number, userId: number): Promise<number> => {
  const { count } = await db
    .selectFrom('api_key')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/**
 * Marks a key as revoked, and deletes its credential. The key's row stays, for the list of past keys. Returns false if
 * the workspace has no such key, or the key is already revoked. Call it in a transaction.
 */
export async function revokeApiKeyCredential(
  db: Db,
  workspaceId: number,
  apiKeyId: number,
  now: Date,
): Promise<boolean> {
  const revoked = await db
    .updateTable('api_key')
    .set({ revoked_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', apiKeyId)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  if (revoked === undefined) return false
  await db.deleteFrom('credential').where('api_key_id', '=', apiKeyId).execute()
  return true
}

export async function updateApiKeyLastUsed(db: Db, apiKeyId: number, now: Date): Promise<void> {
  await db.updateTable('api_key').set({ last_used_at: now }).where('id', '=', apiKeyId).execute()
}

/** Ends every key that a user created in a workspace, and deletes the `credential` rows that authenticate them. */
export const revokeApiKeysOfUser = async (
  db: Db,
  workspaceId: number,
  userId: number,
  now: Date,
): Promise<void> => {
  await db
    .updateTable('api_key')
    .set({ revoked_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute()
  await db
    .deleteFrom('credential')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .where('api_key_id', 'is not', null)
    .execute()
}
