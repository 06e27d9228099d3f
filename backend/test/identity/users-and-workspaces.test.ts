import { randomUUID } from 'node:crypto'
import { expect, it } from '@jest/globals'
import { revokeApiKey } from '../../accounts/access/revoke-connection.ts'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { findRole } from '../../accounts/identity/member-store.ts'
import { addMember, listWorkspaces } from '../../accounts/identity/members.ts'
import { verifyPassword } from '../../accounts/identity/passwords.ts'
import { createUser } from '../../accounts/identity/users.ts'
import type { ApiError } from '../../platform/core/errors.ts'
import { toolKinds } from '../../tools/kind-registry.ts'
import { createOwnWorkspace, createWorkspace } from '../../tools/onboarding/onboarding.ts'
import { seedWorkspace } from '../support/factories.ts'
import { useWorld } from '../support/world.ts'

const password = 'correct horse battery'

const world = useWorld()

it('rejects simultaneous password checks beyond a limit, instead of letting them wait', async () => {
  const checks = Array.from({ length: 100 }, () => verifyPassword(undefined, password))
  const results = await Promise.allSettled(checks)
  const rejected = results.flatMap((result) =>
    result.status === 'rejected' ? [(result.reason as ApiError).code] : [],
  )
  expect(results.length - rejected.length).toBeGreaterThanOrEqual(60)
  expect(new Set(rejected)).toEqual(new Set(['unavailable']))
  expect(await verifyPassword(undefined, password)).toBe(false)
})

it('hashes passwords with Argon2id', async () => {
  const { id } = await createUser(world.deps, { email: 'kim@example.com', name: 'Kim', password })
  const user = await world.database.db
    .selectFrom('app_user')
    .select('password_hash')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect(user.password_hash).toMatch(/^\$argon2id\$/)
})

it('creates only one user if several with the same email are created at the same time', async () => {
  const attempts = ['Lee@example.com', 'lee@example.com', 'LEE@example.com'].map((email) =>
    createUser(world.deps, { email, name: 'Lee', password }),
  )
  const settled = await Promise.allSettled(attempts)
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const rejected = settled.find((attempt) => attempt.status === 'rejected')
  expect(rejected?.reason).toMatchObject({ details: [{ field: 'email', code: 'already_used' }] })
})

it.each([
  ['email', { email: 'not an address' }],
  ['name', { name: '  ' }],
  ['password', { password: 'too short' }],
])('rejects a user with an invalid %s', async (field, invalid) => {
  const making = createUser(world.deps, { email: 'pat@example.com', name: 'Pat', password, ...invalid })
  await expect(making).rejects.toMatchObject({ code: 'validation_failed', details: [{ field }] })
})

it.each([
  ['common_password', '1234567890'],
  ['common_password', 'Password123'],
  ['common_password', '          '],
  ['common_password', 'aaaaaaaaaa'],
  ['common_password', 'ABCDEabcde'],
  ['common_password', 'CorrectHorse'],
  ['common_password', '!Horse-2026'],
  ['personal_password', 'pat.lopez-2026'],
  ['personal_password', 'Pat Lopez rocks'],
  ['personal_password', 'PatLopez1234'],
  ['personal_password', 'MyLopezWord'],
])('rejects a weak password with the error code %s: %s', async (code, weak) => {
  const making = createUser(world.deps, { email: 'Pat.Lopez@example.com', name: 'Pat Lopez', password: weak })
  await expect(making).rejects.toMatchObject({ details: [{ field: 'password', code }] })
})

it.each(['correct horse battery', 'SummerHorseBattery', '9#2!7$x0&5qa', 'kq4vzt8wm1'])(
  'accepts the password %s',
  async (strong) => {
    const input = { email: `${crypto.randomUUID()}@example.com`, name: 'Pat', password: strong }
    expect(await createUser(world.deps, input)).toMatchObject({ id: expect.any(Number) })
  },
)

it("accepts a password that contains a short word from the user's name", async () => {
  const input = { email: 'p@example.com', name: 'Al Ng', password: 'always among birds' }
  expect(await createUser(world.deps, input)).toMatchObject({ id: expect.any(Number) })
})

it.each([
  ['name', { name: '' }],
  ['country', { country: 'usa' }],
  ['time_zone', { timeZone: 'Mars/Base' }],
])('rejects a workspace with an invalid %s', async (field, invalid) => {
  const making = createWorkspace(world.deps, {
    name: 'Acme',
    country: 'US',
    timeZone: 'America/New_York',
    ownerId: 1,
    ...invalid,
  })
  await expect(making).rejects.toMatchObject({ code: 'validation_failed', details: [{ field }] })
})

it('lists a new workspace for its owner, and changes the role of a member who is added again', async () => {
  const { id: ownerId } = await createUser(world.deps, {
    email: 'owner@example.com',
    name: 'Owner',
    password,
  })
  const { id } = await createWorkspace(world.deps, {
    name: 'Acme',
    country: 'DE',
    timeZone: 'Europe/Berlin',
    ownerId,
  })
  expect(await listWorkspaces(world.deps, ownerId)).toMatchObject([{ id, name: 'Acme' }])

  const { id: userId } = await createUser(world.deps, {
    email: 'second@example.com',
    name: 'Second',
    password,
  })
  for (const role of ['member', 'owner'] as const) {
    await addMember(world.deps, id, userId, role)
    expect(await findRole(world.database.db, id, userId)).toBe(role)
  }
  await addMember(world.deps, id, ownerId, 'member')
  expect(await findRole(world.database.db, id, ownerId)).toBe('member')
})

it('gives a new workspace the built-in tools', async () => {
  const { id: ownerId } = await createUser(world.deps, { email: 'new@example.com', name: 'New', password })
  const workspace = { name: 'Acme', country: 'US', timeZone: 'America/New_York', ownerId }
  const { id } = await createWorkspace(world.deps, workspace)
  const tools = await world.database.db
    .selectFrom('mcp_tool')
    .select('name')
    .where('workspace_id', '=', id)
    .orderBy('name')
    .execute()
  const builtIn = [...toolKinds.values()].flatMap((kind) => kind.builtIn?.name ?? [])
  expect(tools.map(({ name }) => name)).toEqual(builtIn.sort())
})

it("doesn't create a workspace if its owner doesn't exist", async () => {
  const making = createWorkspace(world.deps, {
    name: 'Orphan',
    country: 'US',
    timeZone: 'America/New_York',
    ownerId: 999_999,
  })
  await expect(making).rejects.toThrow()
  const orphans = await world.database.db
    .selectFrom('workspace')
    .select('id')
    .where('name', '=', 'Orphan')
    .execute()
  expect(orphans).toEqual([])
})

it('limits a member to 20 API keys in a workspace, even if more are created at the same time', async () => {
  const { workspaceId, userId } = await seedWorkspace(world.deps, 'Keys')
  const creating = Array.from({ length: 22 }, () => createApiKey(world.deps, workspaceId, userId, 'Key'))
  const settled = await Promise.allSettled(creating)
  expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(2)
  await expect(createApiKey(world.deps, workspaceId, userId, 'Key')).rejects.toMatchObject({
    message: "You can have at most 20 API keys in a workspace. Revoke one that you don't use.",
  })
  const created = settled.find((each) => each.status === 'fulfilled')
  await revokeApiKey(world.deps, workspaceId, created?.value.id ?? 0)
  expect(await createApiKey(world.deps, workspaceId, userId, 'Key')).toMatchObject({
    key: expect.stringMatching(/^odk_/),
  })
})

it('lets a user own at most 20 workspaces, even if more are created at the same time', async () => {
  const input = { email: 'many@example.com', name: 'Sam', password }
  const { id: ownerId } = await createUser(world.deps, input)
  const workspace = { name: 'One of many', country: 'US', timeZone: 'America/New_York', ownerId }
  const first = { ...workspace, formId: randomUUID() }
  const { id } = await createOwnWorkspace(world.deps, first)
  const settled = await Promise.allSettled(
    Array.from({ length: 21 }, () => createOwnWorkspace(world.deps, workspace)),
  )
  expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(2)
  await expect(createOwnWorkspace(world.deps, workspace)).rejects.toThrow(
    'You can own at most 20 workspaces.',
  )
  expect(await createOwnWorkspace(world.deps, first)).toEqual({ id })
})
