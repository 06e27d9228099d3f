import type { Db } from '../../platform/db/schema.ts'

/** The member and the workspace that an authorization is bound to. */
interface Binding {
  workspaceId: number
  workspaceName: string
  userId: number
  userEmail: string
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
    .select(['id', 'name', 'secret', 'redirect_uris as redirectUris'])
    .where('id', '=', id)
    .executeTakeFirst()

// Grants --------------------------------------------------------------------------------------

/** Binds a grant to its workspace. Binding it again changes nothing. */
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

/** Finds the binding of a grant. Undefined if the grant was revoked, or if its user is no longer a member of the workspace. */
export const findBinding = (db: Db, grantHash: Buffer): Promise<Binding | undefined> =>
  db
    .selectFrom('oauth_grant as g')
    .innerJoin('membership as m', (join) =>
      join.onRef('m.workspace_id', '=', 'g.workspace_id').onRef('m.user_id', '=', 'g.user_id'),
    )
    .innerJoin('workspace as w', 'w.id', 'g.workspace_id')
    .innerJoin('app_user as u', 'u.id', 'g.user_id')
    .select([
      'g.workspace_id as workspaceId',
      'w.name as workspaceName',
      'g.user_id as userId',
      'u.email as userEmail',
    ])
    .where('g.id_hash', '=', grantHash)
    .executeTakeFirst()

/** Ends a grant with its code, refresh tokens, and (by cascade) access tokens. The grant may already be gone. */
export const revokeGrant = async (db: Db, grantHash: Buffer): Promise<void> => {
  await db.deleteFrom('oauth_grant').where('id_hash', '=', grantHash).execute()
  // Runs in a separate statement, because the first one doesn't see rows inserted while it waited for the grant's lock.
  await db.deleteFrom('oauth_payload').where('grant_hash', '=', grantHash).execute()
}

/** Returns the user, app, and workspace of a grant. */
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

/** Ends every grant of a member in a workspace; with `clientId`, only those of that app. */
export const deleteGrants = async (
  db: Db,
  workspaceId: number,
  userId: number,
  clientId: string | undefined,
): Promise<void> => {
  const grants = await db
    .selectFrom('oauth_grant')
    .select('id_hash')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .$if(clientId !== undefined, (query) => query.where('client_id', '=', clientId ?? ''))
    .forUpdate()
    .execute()
  if (grants.length === 0) return
  const hashes = grants.map((grant) => grant.id_hash)
  // Deletes payloads before the grants, because only grants say which workspace a payload belongs to. The query above
  // can't also select payloads: it doesn't see rows inserted while it waited for the lock.
  await db.deleteFrom('oauth_payload').where('grant_hash', 'in', hashes).execute()
  await db
    .deleteFrom('oauth_grant')
    .where('workspace_id', '=', workspaceId)
    .where('id_hash', 'in', hashes)
    .execute()
}

/** Records when an app last acted for a user in a workspace. Skips grants that are being revoked. */
export async function updateGrantsLastUsed(
  db: Db,
  workspaceId: number,
  connection: { userId: number; clientId: string; now: Date },
): Promise<void> {
  const unlocked = db
    .selectFrom('oauth_grant')
    .select('id_hash')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', connection.userId)
    .where('client_id', '=', connection.clientId)
    .forNoKeyUpdate()
    .skipLocked()
  await db
    .updateTable('oauth_grant')
    .set({ last_used_at: connection.now })
    .where('id_hash', 'in', unlocked)
    .execute()
}

/** Selects grants created before `before` that have no token, such as those whose code was never exchanged. */
export const selectUnusedGrants = async (db: Db, before: Date): Promise<Buffer[]> => {
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
  return unused.map((grant) => grant.id_hash)
}
