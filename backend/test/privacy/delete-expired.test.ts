import { expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { hashToken } from '../../platform/secrets/tokens.ts'
import { startExpirationJob } from '../../privacy/delete-expired.ts'
import { asSuperuser } from '../support/database.ts'
import { testDeps } from '../support/deps.ts'
import { seedWorkspace } from '../support/factories.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()

it('deletes expired rows once an hour, and keeps all other rows', async () => {
  const deps = testDeps(database.db)
  const { userId } = await seedWorkspace(deps)
  const minutes = (count: number) => new Date(deps.clock.now().getTime() + count * 60_000)
  await deps.db
    .insertInto('session')
    .values([
      { id_hash: hashToken('gone'), user_id: userId, expires_at: minutes(-1) },
      { id_hash: hashToken('goes'), user_id: userId, expires_at: minutes(30) },
      { id_hash: hashToken('stays'), user_id: userId, expires_at: minutes(300) },
    ])
    .execute()
  await deps.db
    .insertInto('oauth_payload')
    .values([
      { model: 'Session', id_hash: hashToken('gone'), payload: '{}', expires_at: minutes(-1) },
      { model: 'RefreshToken', id_hash: hashToken('stays'), payload: '{}', expires_at: null },
    ])
    .execute()
  const sessions = async () => (await deps.db.selectFrom('session').select('id_hash').execute()).length

  const cleanup = startExpirationJob(deps)
  while (deps.clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
  expect(await sessions()).toBe(2)
  expect(await deps.db.selectFrom('oauth_payload').select('model').execute()).toEqual([
    { model: 'RefreshToken' },
  ])
  deps.clock.advance(3_600_000)
  while ((await sessions()) !== 1) await new Promise((resolve) => setImmediate(resolve))
  await cleanup.stop()
})

it('if deleting from one table always fails, still deletes expired rows from other tables', async () => {
  const deps = testDeps(database.db)
  const { userId } = await seedWorkspace(deps, 'Stuck')
  const expired = new Date(deps.clock.now().getTime() - 60_000)
  const session = { id_hash: hashToken('stuck'), user_id: userId, expires_at: expired }
  await deps.db.insertInto('session').values(session).execute()
  const old = { ...{ model: 'Session', id_hash: hashToken('old'), payload: '{}' }, expires_at: expired }
  await deps.db.insertInto('oauth_payload').values(old).execute()
  await asSuperuser(deps.db, async (db) => {
    await sql`create function fail() returns trigger language plpgsql as 'begin raise ''stuck''; end'`.execute(
      db,
    )
    await sql`create trigger fail before delete on session execute function fail()`.execute(db)
  })
  try {
    const cleanup = startExpirationJob(deps)
    while (deps.clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
    await cleanup.stop()
  } finally {
    await asSuperuser(deps.db, (db) => sql`drop function fail cascade`.execute(db))
  }
  const hashes = await deps.db.selectFrom('oauth_payload').select('id_hash').execute()
  expect(hashes).not.toContainEqual({ id_hash: hashToken('old') })
})

it('keeps expired credentials for a week, so that the error can say that they expired', async () => {
  const deps = testDeps(database.db)
  const { workspaceId, userId } = await seedWorkspace(deps, 'Bolt')
  const key = await deps.db
    .insertInto('api_key')
    .values({ workspace_id: workspaceId, user_id: userId, name: 'Test', prefix: 'odk_test' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const daysAgo = (days: number) => new Date(deps.clock.now().getTime() - days * 86_400_000)
  const credential = (name: string, expires_at: Date) => ({
    token_hash: hashToken(name),
    workspace_id: workspaceId,
    user_id: userId,
    api_key_id: key.id,
    scopes: [],
    expires_at,
  })
  await deps.db
    .insertInto('credential')
    .values([credential('six', daysAgo(6)), credential('eight', daysAgo(8))])
    .execute()

  const cleanup = startExpirationJob(deps)
  while (deps.clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
  await cleanup.stop()
  expect(await deps.db.selectFrom('credential').select('token_hash').execute()).toEqual([
    { token_hash: hashToken('six') },
  ])
})

it('keeps expired invitations and password resets for a month, so that their pages can say that they expired', async () => {
  const deps = testDeps(database.db)
  const { workspaceId, userId } = await seedWorkspace(deps, 'Late')
  const daysAgo = (days: number) => new Date(deps.clock.now().getTime() - days * 86_400_000)
  for (const days of [29, 31]) {
    const link = { token_hash: hashToken(`link ${days}`), expires_at: daysAgo(days) }
    await deps.db
      .insertInto('invitation')
      .values({ ...link, workspace_id: workspaceId, email: 'kim@example.com', role: 'member' })
      .execute()
    await deps.db
      .insertInto('password_reset')
      .values({ ...link, user_id: userId })
      .execute()
  }
  const cleanup = startExpirationJob(deps)
  while (deps.clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
  await cleanup.stop()
  for (const table of ['invitation', 'password_reset'] as const) {
    expect(await deps.db.selectFrom(table).select('token_hash').execute()).toEqual([
      { token_hash: hashToken('link 29') },
    ])
  }
})

it("deletes all expired idempotent responses, even if one statement can't delete that many, and keeps current ones", async () => {
  const deps = testDeps(database.db)
  const { workspaceId } = await seedWorkspace(deps, 'Busy')
  const now = deps.clock.now()
  await sql`
    insert into idempotent_response (scope_hash, body_hash, workspace_id, status, body, expires_at)
    select sha256(n::text::bytea), '', ${workspaceId}, 201, '{}',
      ${now}::timestamptz + interval '1 hour' * case when n = 0 then 1 else -1 end
    from generate_series(0, 5001) n`.execute(deps.db)
  const cleanup = startExpirationJob(deps)
  while (deps.clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
  await cleanup.stop()
  const left = await deps.db.selectFrom('idempotent_response').select('expires_at').execute()
  expect(left).toEqual([{ expires_at: new Date(now.getTime() + 3_600_000) }])
})
