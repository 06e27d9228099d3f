import type { Scope } from '@outdial/contract'
import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'

/** What oidc-provider keeps under an id: never the id itself, and no expiry but the column's. */
export interface StoredPayload {
  payload: Record<string, unknown>
  expiresAt: Date | null
  consumedAt: Date | null
}

/** The member and the workspace that an authorization is bound to. */
export interface Binding {
  workspaceId: number
  workspaceName: string
  userId: number
}

// Clients -------------------------------------------------------------------------------------

export const insertClient = (
  db: Db,
  values: { id: string; name: string; sealedSecret: string | null; redirectUris: string[] },
) =>
  db
    .insertInto('oauth_client')
    .values({
      id: values.id,
      name: values.name,
      secret: values.sealedSecret,
      redirect_uris: values.redirectUris,
    })
    .execute()

export const findClient = (db: Db, id: string) =>
  db
    .selectFrom('oauth_client')
    .select(['id', 'name', 'secret', 'redirect_uris'])
    .where('id', '=', id)
    .executeTakeFirst()

// Grants --------------------------------------------------------------------------------------

/** Binds a grant to its workspace, which never changes: bound again, it stays as it is. */
export const bindGrant = (
  db: Db,
  workspaceId: number,
  values: { grantHash: Buffer; userId: number; clientId: string; now: Date },
) =>
  db
    .insertInto('oauth_grant')
    .values({
      id_hash: values.grantHash,
      workspace_id: workspaceId,
      user_id: values.userId,
      client_id: values.clientId,
      created_at: values.now,
    })
    .onConflict((conflict) => conflict.column('id_hash').doNothing())
    .execute()

/** Undefined for a revoked grant, and for one whose user is no longer a member of its workspace. */
export const findBinding = (db: Db, grantHash: Buffer): Promise<Binding | undefined> =>
  db
    .selectFrom('oauth_grant as g')
    .innerJoin('membership as m', (join) =>
      join.onRef('m.workspace_id', '=', 'g.workspace_id').onRef('m.user_id', '=', 'g.user_id'),
    )
    .innerJoin('workspace as w', 'w.id', 'g.workspace_id')
    .select(['g.workspace_id as workspaceId', 'w.name as workspaceName', 'g.user_id as userId'])
    .where('g.id_hash', '=', grantHash)
    .executeTakeFirst()

/** Ends a grant with its code, refresh tokens and (by cascade) access tokens. Fine where it is gone. */
export const revokeGrant = async (db: Db, grantHash: Buffer): Promise<void> => {
  await db.deleteFrom('oauth_grant').where('id_hash', '=', grantHash).execute()
  // In a statement of its own: what was inserted while the first waited for the grant's lock is seen only now.
  await db.deleteFrom('oauth_payload').where('grant_hash', '=', grantHash).execute()
}

/** Who connected which app to which workspace by this grant. */
export const findConnection = (db: Db, grantHash: Buffer) =>
  db
    .selectFrom('oauth_grant')
    .select(['workspace_id as workspaceId', 'user_id as userId', 'client_id as clientId'])
    .where('id_hash', '=', grantHash)
    .executeTakeFirst()

export const hasGrant = async (
  db: Db,
  workspaceId: number,
  owner: { userId: number; clientId: string },
): Promise<boolean> => {
  const grant = await db
    .selectFrom('oauth_grant')
    .select('id_hash')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', owner.userId)
    .where('client_id', '=', owner.clientId)
    .limit(1)
    .executeTakeFirst()
  return grant !== undefined
}

/** Ends every grant of a member in a workspace; with `clientId`, those of one app. */
export const revokeGrantsOf = async (
  db: Db,
  workspaceId: number,
  owner: { userId: number; clientId?: string },
): Promise<void> => {
  const gone = await db
    .deleteFrom('oauth_grant')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', owner.userId)
    .$if(owner.clientId !== undefined, (query) => query.where('client_id', '=', owner.clientId ?? ''))
    .returning('id_hash')
    .execute()
  if (gone.length === 0) return
  const hashes = gone.map((grant) => grant.id_hash)
  await db.deleteFrom('oauth_payload').where('grant_hash', 'in', hashes).execute()
}

/** Ends grants of before `before` from which no token came, or none is left: codes that were never exchanged. */
export const deleteUnusedGrants = async (db: Db, before: Date): Promise<void> => {
  const unused = await db
    .selectFrom('oauth_grant as g')
    .select('g.id_hash')
    .where('g.created_at', '<', before)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb.selectFrom('credential as c').select('c.token_hash').whereRef('c.grant_hash', '=', 'g.id_hash'),
        ),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('oauth_payload as p')
            .select('p.id_hash')
            .whereRef('p.grant_hash', '=', 'g.id_hash')
            .where('p.model', '=', 'RefreshToken'),
        ),
      ),
    )
    .execute()
  for (const { id_hash } of unused) await revokeGrant(db, id_hash)
}

// Access tokens -------------------------------------------------------------------------------

/** False where the grant was revoked meanwhile: the row lock makes the revocation wait, or this find nothing. */
export const insertAccessToken = async (
  db: Db,
  values: { tokenHash: Buffer; grantHash: Buffer; scopes: Scope[]; expiresAt: Date },
): Promise<boolean> => {
  const made = await sql`
    insert into credential (token_hash, workspace_id, user_id, grant_hash, client_id, scopes, expires_at)
    select ${values.tokenHash}, workspace_id, user_id, id_hash, client_id, ${values.scopes}, ${values.expiresAt}
    from oauth_grant where id_hash = ${values.grantHash}
    for key share`.execute(db)
  return made.numAffectedRows === 1n
}

export const findAccessToken = (db: Db, tokenHash: Buffer, now: Date) =>
  db
    .selectFrom('credential')
    .select(['client_id', 'user_id', 'scopes', 'expires_at'])
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

// Everything else that the library keeps ------------------------------------------------------

interface PayloadKey {
  model: string
  idHash: Buffer
}

/** False where the payload belongs to a grant that was revoked meanwhile. */
export const putPayload = async (
  db: Db,
  values: PayloadKey & { payload: object; grantHash: Buffer | null; expiresAt: Date | null },
): Promise<boolean> => {
  const { model, idHash, payload, grantHash, expiresAt } = values
  const made = await sql`
    insert into oauth_payload (model, id_hash, payload, grant_hash, expires_at)
    select ${model}, ${idHash}, ${JSON.stringify(payload)}::jsonb, ${grantHash}::bytea, ${expiresAt}::timestamptz
    where ${grantHash}::bytea is null
      or exists (select from oauth_grant where id_hash = ${grantHash} for key share)
    on conflict (model, id_hash) do update
      set payload = excluded.payload, expires_at = excluded.expires_at`.execute(db)
  return made.numAffectedRows === 1n
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

/** False where it was consumed before: of two at once exactly one consumes. It is remembered until `keepUntil`. */
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

export const grantOfPayload = async (db: Db, { model, idHash }: PayloadKey): Promise<Buffer | null> => {
  const row = await db
    .selectFrom('oauth_payload')
    .select('grant_hash')
    .where('model', '=', model)
    .where('id_hash', '=', idHash)
    .executeTakeFirst()
  return row?.grant_hash ?? null
}

// Keys ----------------------------------------------------------------------------------------

/** Keeps the first value that anybody proposes, and answers the one that is kept. */
export const keepServerSecret = async (db: Db, name: string, proposed: string): Promise<string> => {
  await db
    .insertInto('server_secret')
    .values({ name, value: proposed })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const row = await db
    .selectFrom('server_secret')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return row.value
}
