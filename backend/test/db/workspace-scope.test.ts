import { beforeAll, describe, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import pg from 'pg'
import { connect } from '../../platform/db/connect.ts'
import { roles } from '../../platform/db/roles.ts'
import type { Db } from '../../platform/db/schema.ts'
import { scopeToWorkspace } from '../../platform/db/workspace-scope.ts'
import { addDocument } from '../../tools/knowledge/documents.ts'
import { searchKnowledge } from '../../tools/knowledge/search-knowledge.ts'
import { asSuperuser } from '../support/database.ts'
import { completeCall } from '../support/factories.ts'
import { createRewritingDatabase } from '../support/rewriting-database.ts'
import { type SeededObjects, seedEverything } from '../support/seed-everything.ts'
import { useServiceWorld } from '../support/service.ts'

// The statements in this file don't filter by workspace, so only the policies separate the workspaces. The list of tables comes
// from the database: a test fails if a new table has no policy.

const world = useServiceWorld()
let ours: SeededObjects
let theirs: SeededObjects
let tables: Table[]
beforeAll(async () => {
  ours = await seedEverything(world.service, 'Ours')
  theirs = await seedEverything(world.service, 'Theirs')
  for (const objects of [ours, theirs]) await fillTables(world.database.db, objects)
  tables = await listTables(world.database.db)
})

/** Adds rows to the tables that are still empty after `seedEverything`. */
async function fillTables(db: Db, of: SeededObjects): Promise<void> {
  const { workspaceId, contact, completedCall: call, owner, memberId } = of
  const hash = Buffer.from(`hash of ${of.mark}`)
  const now = world.service.deps.clock.now()
  await sql`update contact set first_name = 'Renamed' where id = ${contact}`.execute(db)
  const attempt = await sql<{ id: string }>`
    insert into call_attempt (
      workspace_id, call_id, campaign_id, number, to_number, test, provider, worker_id, lease_until, started_at
    ) values (
      ${workspaceId}, ${call}, ${of.campaign}, 9, '+12025550199', false, 'simulated', gen_random_uuid(), ${now}, ${now}
    ) returning id`.execute(db)
  const attemptId = attempt.rows[0]?.id
  const statements = [
    sql`insert into attempt_report (attempt_id, sequence, body) values (${attemptId}, 1, '{}')`,
    sql`insert into tool_call (
      workspace_id, call_id, attempt_id, tool_name, arguments, result, is_error, dry_run, started_at, duration_ms
    ) values (${workspaceId}, ${call}, ${attemptId}, 'look_up', '{}', '', false, false, ${now}, 1)`,
    sql`insert into model_usage (workspace_id, day, tokens) values (${workspaceId}, '2026-05-04', 1000)`,
    sql`insert into delivery_attempt (delivery_id, number, at, duration_ms) values (${of.delivery}, 1, ${now}, 1)`,
    sql`insert into contact_import_row (import_id, position, state) values (${of.import}, 99, 'new')`,
    sql`insert into contact_import_mapping (workspace_id, headers_hash, columns, used_at)
      values (${workspaceId}, ${hash}, '[]', ${now})`,
    sql`insert into call_rules (workspace_id, countries, changed_at, changed_by)
      values (${workspaceId}, '{US}', ${now}, '{}')`,
    sql`insert into erased_file_name (workspace_id, import_id) values (${workspaceId}, 1)`,
    sql`insert into do_not_call (workspace_id, number_hash, source) values (${workspaceId}, ${hash}, 'api')`,
    sql`insert into number_use (workspace_id, number_hash, placed_at) values (${workspaceId}, ${hash}, array[${now}::timestamptz])`,
    sql`insert into limit_use (workspace_id, phone_number_id, period, used)
      values (${workspaceId}, 0, '2026-05-01', 60)`,
    sql`insert into do_not_call_removal (workspace_id, number_hash, source, reason, removed_by)
      values (${workspaceId}, ${hash}, 'api', 'asked', ${owner})`,
    sql`insert into former_member (workspace_id, user_id) values (${workspaceId}, ${memberId})`,
    sql`insert into google_account (workspace_id, client_email, private_key)
      values (${workspaceId}, 'robin@example.com', 'sealed')`,
    sql`insert into idempotent_response (scope_hash, body_hash, workspace_id, status, body, expires_at)
      values (${hash}, ${hash}, ${workspaceId}, 200, '{}', ${now})`,
    sql`insert into credential (token_hash, workspace_id, user_id, api_key_id, scopes)
      values (${hash}, ${workspaceId}, ${owner}, ${of.apiKey}, '{}')`,
    sql`insert into oauth_payload (model, id_hash, payload, grant_hash)
      select 'RefreshToken', ${hash}, '{}', id_hash from oauth_grant where workspace_id = ${workspaceId} limit 1`,
  ]
  for (const statement of statements) await statement.execute(db)
  await addFinishedCall(of)
}

/** Creates a completed call with a row in each table that has data about calls. */
async function addFinishedCall({ user, campaign, subscription }: SeededObjects): Promise<number> {
  const { db } = world.database
  const { deps } = world.service
  const call = await completeCall(deps, user.seed)
  await sql`
    with attempt as (
      insert into call_attempt (
        workspace_id, call_id, campaign_id, number, to_number, test, provider, worker_id, lease_until, started_at,
        ended_at, outcome
      ) values (
        ${user.seed.workspaceId}, ${call.id}, ${campaign}, 1, '', false, 'simulated', gen_random_uuid(), now(), now(),
        now(), 'answered'
      ) returning *
    )
    insert into tool_call (
      workspace_id, call_id, attempt_id, tool_name, arguments, result, is_error, dry_run, started_at, duration_ms
    ) select workspace_id, call_id, id, 'look_up', '{}', '', false, false, now(), 1 from attempt`.execute(db)
  await sql`
    with delivery as (
      update webhook_delivery set status = 'delivered', next_attempt_at = null
      from event where event.id = event_id and call_id = ${call.id} and subscription_id = ${subscription}
      returning webhook_delivery.id
    )
    insert into delivery_attempt (delivery_id, number, at, duration_ms) select id, 1, now(), 1 from delivery`.execute(
    db,
  )
  return call.id
}

interface Table {
  name: string
  isEnabled: boolean
  isForced: boolean
  policies: string[]
  /** A column that statements can set. */
  column: string
  isPartition: boolean
}

async function listTables(db: Db): Promise<Table[]> {
  const { rows } = await sql<Table>`
    select relname as name, relrowsecurity as "isEnabled", relforcerowsecurity as "isForced",
      array(
        select polname || ' ' || array(select rolname from pg_roles where oid = any(polroles))::text
        from pg_policy where polrelid = pg_class.oid order by 1
      ) as policies,
      (
        select attname from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''
        order by attname = 'workspace_id' desc, attnum limit 1
      ) as column, relispartition as "isPartition"
    from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname not like 'schema\\_%'
    order by relname`.execute(db)
  return rows
}

/** Tables without rows of workspaces. A workspace's statements can't use them. */
const installationTables = ['model_health', 'password_reset', 'replica', 'server_secret', 'session']

/** Returns true for tables that a workspace can't use, including partitions, which it reaches only through their table. */
const isServiceTable = ({ name, isPartition }: Table) => installationTables.includes(name) || isPartition

/** Tables in which a workspace can't insert or delete rows. In the tables of users and apps, it can read only some columns. */
const readTables = ['api_request', 'app_user', 'oauth_client', 'workspace']

/** Conditions that find a workspace's rows in tables without the column `workspace_id`. They don't depend on the policies. */
const belongs: Record<string, string> = {
  workspace: 'id = $',
  contact_change_values: 'contact_id in (select id from contact where workspace_id = $)',
  contact_import_row: 'import_id in (select id from contact_import where workspace_id = $)',
  attempt_report: `attempt_id in (
    select call_attempt.id from call_attempt join call on call.id = call_id where call.workspace_id = $)`,
  delivery_attempt: `delivery_id in (
    select webhook_delivery.id from webhook_delivery join event on event.id = event_id where event.workspace_id = $)`,
  oauth_payload: 'grant_hash in (select id_hash from oauth_grant where workspace_id = $)',
  app_user: `id in (select user_id from membership where workspace_id = $)
    or id in (select user_id from former_member where workspace_id = $)`,
  oauth_client: 'true',
}

const workspaceTables = () => tables.filter((table) => !isServiceTable(table))
const separatedTables = () => workspaceTables().filter(({ name }) => name !== 'oauth_client')
const writableTables = () => workspaceTables().filter(({ name }) => !readTables.includes(name))

const scoped = (of: SeededObjects, db = world.database.db): Db => scopeToWorkspace({ db }, of.workspaceId).db

/**
 * Returns an expression that identifies a row of a table. `ctid` works for all tables, but reading it needs the right to read
 * all columns.
 */
const address = ({ name }: Table) => sql.raw<string>(readTables.includes(name) ? 'id::text' : 'ctid::text')

/** Returns the addresses of a workspace's rows. Reads them without the limits of a workspace's scope. */
async function addressesOf(table: Table, of: SeededObjects): Promise<string[]> {
  const condition = (belongs[table.name] ?? 'workspace_id = $').replaceAll('$', String(of.workspaceId))
  const { rows } = await sql<{ address: string }>`
    select ${address(table)} as address from ${sql.table(table.name)} where ${sql.raw(condition)}`.execute(
    world.database.db,
  )
  return rows.map((row) => row.address).sort()
}

const pick = (table: Table, addresses: string[]) => sql`${address(table)} = any(${addresses}::text[])`

/** Returns the SQLSTATE if a statement fails, or else how many rows it affected. */
const getResult = (work: Promise<{ numAffectedRows?: bigint }>): Promise<string> =>
  work.then(
    ({ numAffectedRows }) => `${numAffectedRows} rows`,
    (error: unknown) =>
      error instanceof Error && 'code' in error && typeof error.code === 'string'
        ? error.code
        : String(error),
  )

const notAllowed = '42501'

it('the database has a policy for the service on every table, and one for workspaces on each table that workspaces can use', () => {
  for (const table of tables) {
    const { name } = table
    const policies = [
      `service {${roles.service}}`,
      ...(isServiceTable(table) ? [] : [`workspace {${roles.workspace}}`]),
    ]
    expect(table).toMatchObject({ name, isEnabled: true, isForced: true, policies })
  }
})

it('the check of policies detects a table that has none', async () => {
  await asSuperuser(world.database.db, (db) => sql`create table later (workspace_id bigint)`.execute(db))
  const later = (await listTables(world.database.db)).find(({ name }) => name === 'later')
  await asSuperuser(world.database.db, (db) => sql`drop table later`.execute(db))
  expect(later).toMatchObject({ isEnabled: false, isForced: false, policies: [] })
})

it("the service and workspaces use database roles that are subject to the policies and can't sign in", async () => {
  const { rows } = await sql`
    select rolname as name, rolsuper or rolbypassrls or rolcanlogin or rolcreaterole or rolcreatedb as "isPowerful"
    from pg_roles where rolname in (${roles.workspace}, ${roles.service}) order by 1`.execute(
    world.database.db,
  )
  expect(rows).toEqual([
    { name: roles.service, isPowerful: false },
    { name: roles.workspace, isPowerful: false },
  ])
  expect(await readScope(scoped(ours))).toEqual({
    role: roles.workspace,
    workspace: String(ours.workspaceId),
  })
})

describe('statements without a condition on the workspace', () => {
  it('are tested with rows of two workspaces in every table', async () => {
    const empty: string[] = []
    for (const table of workspaceTables()) {
      for (const objects of [ours, theirs]) {
        if ((await addressesOf(table, objects)).length === 0) empty.push(`${table.name} of ${objects.mark}`)
      }
    }
    expect(empty).toEqual([])
  })

  it('read exactly the rows of their workspace', async () => {
    for (const table of separatedTables()) {
      const expected = await addressesOf(table, ours)
      const { rows } = await sql<{ address: string }>`
        select ${address(table)} as address from ${sql.table(table.name)}`.execute(scoped(ours))
      expect([table.name, rows.map((row) => row.address).sort()]).toEqual([table.name, expected])
    }
  })

  it("don't change, lock, or delete rows of another workspace", async () => {
    for (const table of separatedTables()) {
      const [name, column] = [sql.table(table.name), sql.ref(table.column)]
      const foreign = pick(table, await addressesOf(table, theirs))
      const results = await Promise.all([
        getResult(sql`update ${name} set ${column} = ${column} where ${foreign}`.execute(scoped(ours))),
        getResult(sql`delete from ${name} where ${foreign}`.execute(scoped(ours))),
        sql`select from ${name} where ${foreign} for update`.execute(scoped(ours)).then(
          ({ rows }) => `${rows.length} rows`,
          () => notAllowed,
        ),
      ])
      const isWritable = writableTables().includes(table)
      const allowed = isWritable ? ['0 rows'] : ['0 rows', notAllowed]
      expect([table.name, results.filter((result) => !allowed.includes(result))]).toEqual([table.name, []])
    }
  })

  it('change the rows of their workspace', async () => {
    for (const table of writableTables()) {
      const [name, column] = [sql.table(table.name), sql.ref(table.column)]
      const expected = await addressesOf(table, ours)
      const result = await getResult(sql`update ${name} set ${column} = ${column}`.execute(scoped(ours)))
      expect([table.name, result]).toEqual([table.name, `${expected.length} rows`])
    }
  })

  it("don't insert rows into another workspace", async () => {
    for (const table of workspaceTables()) {
      const result = await getResult(copyRow(table, theirs))
      expect([table.name, result]).toEqual([table.name, notAllowed])
    }
  })

  it("don't move rows to another workspace", async () => {
    for (const { name, column } of writableTables().filter((table) => table.column === 'workspace_id')) {
      const moved = sql`update ${sql.table(name)} set ${sql.ref(column)} = ${theirs.workspaceId}`
      expect([name, await getResult(moved.execute(scoped(ours)))]).toEqual([name, notAllowed])
    }
  })

  it("don't find passages of another workspace's documents, although the search function runs with the rights of its owner", async () => {
    const { workspaceId } = theirs
    await addDocument(world.service.deps, workspaceId, { title: 'Animals', body: 'Zebras have stripes.' })
    expect((await searchKnowledge({ db: scoped(theirs) }, workspaceId, 'zebra')).length).toBe(1)
    const found = sql`select from find_passages(${workspaceId}, to_tsquery('english', 'zebra'), 9)`
    expect((await found.execute(world.database.db)).rows.length).toBe(1)
    expect((await found.execute(scoped(ours))).rows.length).toBe(0)
  })

  it("can't read partitions, the installation's tables, or the passwords and secrets of users and apps", async () => {
    for (const statement of [
      ...tables.filter(isServiceTable).map(({ name }) => sql`select from ${sql.table(name)}`),
      sql`select password_hash from app_user`,
      sql`select secret from oauth_client`,
    ]) {
      expect(await getResult(statement.execute(scoped(ours)))).toBe(notAllowed)
    }
  })

  it.each([
    ['was never set', ''],
    ['was set only for an earlier transaction', "begin; set local outdial.workspace_id = '1'; commit;"],
  ])("fail instead of finding nothing if the connection's workspace %s", async (_, before) => {
    const client = new pg.Client({ connectionString: world.database.url })
    await client.connect()
    await client.query(`${before} set role ${roles.workspace}`)
    for (const { name } of separatedTables()) {
      const failed = await client.query(`select from ${name}`).catch((error: unknown) => error)
      expect({ name, failed: String(failed) }).toEqual({
        name,
        failed: expect.stringMatching(
          /unrecognized configuration parameter "outdial.workspace_id"|invalid input syntax for type bigint: ""/,
        ),
      })
    }
    await client.end()
  })
})

/** Tries to insert a copy of one of the rows of `of` into the other workspace. */
async function copyRow(table: Table, of: SeededObjects) {
  const [first = ''] = await addressesOf(table, of)
  const name = sql.table(table.name)
  const { rows } = await sql<{ row: string; columns: string[] }>`
    select to_jsonb(t)::text as row, array(
      select attname::text from pg_attribute
      where attrelid = ${table.name}::regclass and attnum > 0 and not attisdropped and attgenerated = ''
    ) as columns
    from ${name} t where ${pick(table, [first])}`.execute(world.database.db)
  const [{ row, columns } = { row: '', columns: [] }] = rows
  const names = sql.join(columns.map((column) => sql.ref(column)))
  return sql`
    insert into ${name} (${names}) overriding system value
    select ${names} from jsonb_populate_record(null::${name}, ${row}::jsonb)`.execute(scoped(ours))
}

async function readScope(db: Db): Promise<{ role: string; workspace: string } | undefined> {
  const { rows } = await sql<{ role: string; workspace: string }>`
    select current_user as role,
      coalesce(nullif(current_setting('outdial.workspace_id', true), ''), 'none') as workspace`.execute(db)
  return rows[0]
}

describe('a connection of the pool', () => {
  const unscoped = { role: roles.service, workspace: 'none' }

  it("has the service's role and no workspace after every kind of use", async () => {
    const db = connect({ url: world.database.url, role: roles.service, max: 1 })
    const failing = sql`select 1 / 0`
    const works: (() => Promise<unknown>)[] = [
      () => sql`select 1`.execute(scoped(ours, db)),
      () => failing.execute(scoped(ours, db)),
      () =>
        scoped(ours, db)
          .transaction()
          .execute((tx) => sql`select 1`.execute(tx)),
      () =>
        scoped(ours, db)
          .transaction()
          .execute((tx) => failing.execute(tx)),
      () =>
        scoped(ours, db)
          .transaction()
          .execute(() => Promise.reject(new Error('left'))),
    ]
    try {
      for (const work of works) {
        await work().catch(() => {})
        expect(await readScope(db)).toEqual(unscoped)
      }
    } finally {
      await db.destroy()
    }
  })

  it('returns only rows of the workspace that it serves, even while requests of two workspaces share the pool', async () => {
    const db = connect({ url: world.database.url, role: roles.service, max: 3 })
    const read = async (source: Db) => {
      const { rows } = await sql<{ id: number }>`select id from workspace, pg_sleep(0.002)`.execute(source)
      return rows.map(({ id }) => id)
    }
    const work = async (index: number): Promise<void> => {
      const of = index % 2 === 0 ? ours : theirs
      const source = scoped(of, db)
      if (index % 5 === 0) await sql`select 1 / 0`.execute(source).catch(() => {})
      if (index % 7 === 0) expect((await read(db)).length).toBeGreaterThan(1)
      const found =
        index % 3 === 0
          ? await source.transaction().execute(async (tx) => [...(await read(tx)), ...(await read(tx))])
          : await read(source)
      expect(new Set(found)).toEqual(new Set([of.workspaceId]))
    }
    try {
      await Promise.all(Array.from({ length: 120 }, (_, index) => work(index)))
    } finally {
      await db.destroy()
    }
  })

  it('sets its workspace only if it last served another workspace or none', async () => {
    const messages: string[] = []
    const db = createRewritingDatabase(world.database.url, (text) => {
      messages.push(text)
      return text
    })
    const select = (of: SeededObjects) => sql`select 1`.execute(scoped(of, db))
    await select(ours)
    await select(ours)
    await scoped(ours, db)
      .transaction()
      .execute((tx) => sql`select 1`.execute(tx))
    await select(theirs)
    await db.destroy()
    expect(messages).toEqual([
      `set outdial.workspace_id = '${ours.workspaceId}'`,
      'select 1',
      'select 1',
      ...['begin', 'select 1', 'commit'],
      `set outdial.workspace_id = '${theirs.workspaceId}'`,
      'select 1',
    ])
  })

  it('runs no statement for a workspace if setting that workspace fails', async () => {
    let fails = false
    const db = createRewritingDatabase(world.database.url, (text) =>
      fails && text.startsWith('set outdial') ? 'select 1 / 0' : text,
    )
    const readIds = async (of: SeededObjects) =>
      (await sql<{ id: number }>`select id from workspace`.execute(scoped(of, db))).rows.map(({ id }) => id)
    expect(await readIds(ours)).toEqual([ours.workspaceId])
    fails = true
    await expect(readIds(theirs)).rejects.toThrow('division by zero')
    fails = false
    expect(await readIds(theirs)).toEqual([theirs.workspaceId])
    await db.destroy()
  })

  it("isn't used if its role can't be set", async () => {
    const db = connect({ url: world.database.url, role: 'a_role_that_does_not_exist', max: 1 })
    await expect(sql`select 1`.execute(db)).rejects.toThrow(
      'role "a_role_that_does_not_exist" does not exist',
    )
    await db.destroy()
  })

  it("can't be limited to a workspace in the middle of a transaction", async () => {
    await world.database.db.transaction().execute(async (tx) => {
      expect(() => scopeToWorkspace({ db: tx }, ours.workspaceId)).toThrow('invariant')
    })
  })
})
