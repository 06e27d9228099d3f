import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import pg from 'pg'
import { migrate } from '../../platform/db/migrate.ts'
import { roles } from '../../platform/db/roles.ts'
import { useTestDatabase } from '../support/world.ts'

const server = useTestDatabase()
/** Database users of two installations and of a monitoring program. */
let owner: string
let neighbor: string
let monitor: string
let warnings: string[]
const log = { warn: (message: string) => void warnings.push(message) } as never

beforeEach(async () => {
  const id = randomBytes(6).toString('hex')
  ;[owner, neighbor, monitor] = [`owner_${id}`, `neighbor_${id}`, `monitor_${id}`]
  warnings = []
  for (const name of [owner, neighbor, monitor])
    await administer(`create role ${name} login password '${name}'`)
  for (const name of [owner, neighbor])
    await administer(`grant ${roles.workspace}, ${roles.service} to ${name}`)
  await administer(`create database ${owner} owner ${owner} encoding UTF8 template template0`)
})
afterEach(async () => {
  await administer(`drop database ${owner} with (force)`)
  for (const name of [owner, neighbor, monitor]) await administer(`drop role ${name}`)
})

const urlOf = (user: string): string => {
  const url = new URL(server.url)
  Object.assign(url, { username: user, password: user, pathname: `/${owner}` })
  return url.href
}

async function run(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

const administer = (statement: string) => run(server.url, statement)

it("doesn't let another installation's database user read the database, even if both users have the same roles", async () => {
  const read = ['set role outdial_service', 'select from app_user']
  await migrate(urlOf(owner), log)
  await expect(run(urlOf(neighbor), ...read)).rejects.toThrow('permission denied for database')
  await run(urlOf(owner), ...read)
  // With the right to connect, the user's roles let it read the database.
  await administer(`grant connect on database ${owner} to ${neighbor}`)
  await run(urlOf(neighbor), ...read)
})

it('warns only once about users who lose the right to connect, and shows the SQL that restores it', async () => {
  const connected = new pg.Client({ connectionString: urlOf(monitor) })
  await connected.connect()
  await migrate(urlOf(owner), log)
  await connected.end()
  const grant = `grant connect on database "${owner}" to "${monitor}";`
  expect(warnings).toEqual([
    expect.stringContaining(`connected to it or have privileges in it: "${monitor}".`),
  ])
  expect(warnings[0]).toContain(grant)
  await expect(run(urlOf(monitor), 'select 1')).rejects.toThrow('permission denied for database')
  await run(urlOf(owner), grant)
  await run(urlOf(monitor), 'select 1')

  await migrate(urlOf(owner), log)
  expect(warnings).toHaveLength(1)
})

it('warns about a user with privileges in the database, unless the user was granted the right to connect', async () => {
  await run(
    urlOf(owner),
    'create table numbers (id int)',
    `grant select on numbers to ${monitor}, ${neighbor}`,
    `grant connect on database ${owner} to ${neighbor}`,
  )
  await migrate(urlOf(owner), log)
  expect(warnings).toEqual([expect.stringContaining(`have privileges in it: "${monitor}".`)])
})

it("if Outdial's user doesn't own the database, asks the owner to revoke the right to connect from all users", async () => {
  await administer(`alter database ${owner} owner to ${neighbor}`)
  await run(urlOf(neighbor), `grant create on schema public to ${owner}`)
  await migrate(urlOf(owner), log)
  expect(warnings).toEqual([expect.stringContaining(`revoke connect on database "${owner}" from public;`)])
})
