import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import pg from 'pg'
import { StartupError } from '../../platform/core/errors.ts'
import { connect } from '../../platform/db/connect.ts'
import { migrate } from '../../platform/db/migrate.ts'
import { ensureRoles, type Roles, roles } from '../../platform/db/roles.ts'
import { scopeToWorkspace } from '../../platform/db/workspace-scope.ts'
import { addDocument } from '../../tools/knowledge/documents.ts'
import { searchKnowledge } from '../../tools/knowledge/search-knowledge.ts'
import { testDeps } from '../support/deps.ts'
import { seedWorkspace } from '../support/factories.ts'
import { getError } from '../support/wait.ts'
import { useTestDatabase } from '../support/world.ts'

// All databases of a server share its roles, and other tests use the server, too. So these tests use roles with other names,
// except the last test.

const database = useTestDatabase()
let user: string
let wanted: Roles
let databases: string[]
beforeEach(() => {
  user = `test_user_${randomBytes(6).toString('hex')}`
  wanted = { workspace: `${user}_workspace`, service: `${user}_service` }
  databases = []
})
afterEach(async () => {
  for (const name of databases) await administer(`drop database ${name} with (force)`)
  for (const name of [wanted.workspace, wanted.service, user]) await administer(`drop role if exists ${name}`)
})

async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const administer = (statement: string) => withClient(database.url, (client) => client.query(statement))

/** Creates an ordinary user, and returns the URL with which it connects. */
async function createUser(attributes = ''): Promise<string> {
  await administer(`create role ${user} login password '${user}' ${attributes}`)
  const url = new URL(database.url)
  Object.assign(url, { username: user, password: user })
  return url.href
}

/** Checks that the user can switch to both roles, and that the user's migrations see the same rows as the service. */
const expectUsable = (url: string) =>
  withClient(url, async (client) => {
    for (const name of [wanted.workspace, wanted.service]) await client.query(`set role ${name}`)
    await client.query('reset role')
    const { rows } = await client.query<{ inherits: boolean }>(
      `select pg_has_role('${wanted.service}', 'usage') as inherits`,
    )
    expect(rows).toEqual([{ inherits: true }])
  })

it('creates the roles once if several processes start at the same time', async () => {
  const url = await createUser('createrole')
  await Promise.all(Array.from({ length: 8 }, () => withClient(url, (client) => ensureRoles(client, wanted))))
  await expectUsable(url)
})

it('shows the SQL that an administrator must run if the user has no right to create roles', async () => {
  const url = await createUser()
  const error = await getError(withClient(url, (client) => ensureRoles(client, wanted)))
  expect(error).toBeInstanceOf(StartupError)
  const [introduction = '', statements = ''] = String(error).split('\n\n')
  expect(introduction).toContain('Run this SQL as an administrator of the database server')
  expect(statements.replaceAll(user, 'outdial')).toMatch(
    /^create role "outdial_workspace" nologin;\ngrant "outdial_workspace" to "outdial".*;\ncreate role "outdial_service" nologin;\ngrant "outdial_service" to "outdial".*;$/,
  )
  await administer(statements)
  await withClient(url, (client) => ensureRoles(client, wanted))
  await expectUsable(url)
})

it.each([
  ['a role that another user created', ''],
  ['a role with too many rights', 'superuser'],
])('shows the SQL that an administrator must run if there is %s', async (_, attributes) => {
  const url = await createUser()
  for (const name of [wanted.workspace, wanted.service]) await administer(`create role ${name} ${attributes}`)
  const error = await getError(withClient(url, (client) => ensureRoles(client, wanted)))
  expect(error).toBeInstanceOf(StartupError)
  await administer(String(error).split('\n\n')[1] ?? '')
  await withClient(url, (client) => ensureRoles(client, wanted))
  await expectUsable(url)
})

it("shows the SQL that an administrator must run if the user doesn't inherit the rights of its roles", async () => {
  const url = await createUser('noinherit')
  for (const name of [wanted.workspace, wanted.service]) {
    await administer(`create role ${name}`)
    await administer(`grant ${name} to ${user}`)
  }
  const error = await getError(withClient(url, (client) => ensureRoles(client, wanted)))
  expect(error).toBeInstanceOf(StartupError)
  await administer(String(error).split('\n\n')[1] ?? '')
  await withClient(url, (client) => ensureRoles(client, wanted))
  await expectUsable(url)
})

it('separates workspaces in a database that belongs to an ordinary user', async () => {
  const url = new URL(await createUser())
  for (const name of [roles.workspace, roles.service]) await administer(`grant ${name} to ${user}`)
  databases.push(user)
  await administer(`create database ${user} owner ${user} encoding UTF8 template template0`)
  url.pathname = `/${user}`
  await migrate(url.href)

  const db = connect({ url: url.href, role: roles.service, max: 2 })
  try {
    const deps = testDeps(db)
    const [ours] = [await seedWorkspace(deps, 'Ours'), await seedWorkspace(deps, 'Theirs')]
    const names = (source: typeof db) => source.selectFrom('workspace').select('name').orderBy('id').execute()
    expect(await names(db)).toEqual([{ name: 'Ours' }, { name: 'Theirs' }])
    expect(await names(scopeToWorkspace(deps, ours.workspaceId).db)).toEqual([{ name: 'Ours' }])
    const scoped = scopeToWorkspace(deps, ours.workspaceId)
    await addDocument(scoped, ours.workspaceId, { title: 'Prices', body: 'A roof inspection is free.' })
    expect(await searchKnowledge(scoped, ours.workspaceId, 'inspection')).toMatchObject([{ title: 'Prices' }])
    // Reads as the database's owner, which no longer has the role of the service.
    await administer(`revoke ${roles.service} from ${user}`)
    await withClient(url.href, async (client) => {
      await expect(client.query('select from workspace')).rejects.toThrow('outdial.workspace_id')
    })
    expect(await getError(sql`reset role; set role ${sql.id(roles.service)}`.execute(db))).toBeInstanceOf(
      Error,
    )
  } finally {
    await db.destroy()
  }
})
