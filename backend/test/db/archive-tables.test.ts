import { beforeEach, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { readPage } from '../../../test/support/docs.ts'
import { restoreCalls } from '../../db/restore-calls.ts'
import { finishAnalysis } from '../../dialer/finish-attempt.ts'
import { subscribe } from '../../webhooks/subscriptions.ts'
import { archiveCalls, archivedTables, listArchivedCalls } from '../support/archive.ts'
import { asSuperuser } from '../support/database.ts'
import { analysis, useErasureWorld } from '../support/erasure.ts'
import { seedApiKeyCaller } from '../support/factories.ts'

const { world, seedConversation, toolCall } = useErasureWorld()
beforeEach(async () => {
  await world.deps.db.deleteFrom('call').execute()
  await world.deps.db.deleteFrom('archived_call').execute()
})

/** Returns the columns of a table or view in their order. */
async function listColumns(table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attgenerated::text as name
    from pg_attribute where attrelid = ${table}::regclass and attnum > 0 and not attisdropped
    order by attnum`.execute(world.deps.db)
  return rows.map(({ name }) => name)
}

it.each(archivedTables)('has the columns of %s in its archive table and its view', async (table) => {
  const columns = await listColumns(table)
  expect(columns.length).toBeGreaterThan(5)
  expect(await listColumns(`archived_${table}`)).toEqual(columns)
  // A view's columns are never generated.
  const ofView = columns.map((column) => column.replace(/ s$/, ' '))
  expect(await listColumns(`any_${table}`)).toEqual(ofView)
})

/** Returns the tables whose rows PostgreSQL deletes or changes when a call is deleted. */
async function listTablesOfCalls(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    with recursive related as (
      select 'call'::regclass::oid as id
      union
      select con.conrelid from pg_constraint con join related on con.confrelid = related.id where con.contype = 'f'
    )
    select relname as name from related join pg_class on pg_class.oid = related.id order by 1`.execute(
    world.deps.db,
  )
  return rows.map(({ name }) => name)
}

it('moves every table whose rows would be deleted with their call, except reports, which nothing reads later', async () => {
  expect(await listTablesOfCalls()).toEqual([...archivedTables, 'attempt_report'].sort())
})

it('notices a new table that refers to calls', async () => {
  await asSuperuser(world.deps.db, (db) =>
    sql`create table call_rating (delivery_id bigint references webhook_delivery on delete cascade)`.execute(
      db,
    ),
  )
  expect(await listTablesOfCalls()).toContain('call_rating')
  await asSuperuser(world.deps.db, (db) => sql`drop table call_rating`.execute(db))
})

it('says for every index of calls and of the archive what it is for', async () => {
  const { rows } = await sql<{ name: string }>`
    select indexrelid::regclass::text as name from pg_index
    where (indrelid = 'call'::regclass or indrelid::regclass::text like 'archived\\_%') and not indisprimary
      and obj_description(indexrelid, 'pg_class') is null`.execute(world.deps.db)
  expect(rows).toEqual([])
})

/** Returns all rows of the moved tables, with microseconds. */
async function dumpMovedTables(prefix: '' | 'archived_' = '') {
  const dumps: Record<string, string[]> = {}
  for (const table of archivedTables) {
    const { rows } = await sql<{ row: string }>`
      select t::text as row from ${sql.table(prefix + table)} t order by 1`.execute(world.deps.db)
    dumps[table] = rows.map(({ row }) => row)
  }
  return dumps
}

/** Creates a call that has ended, with a row in each of the tables, and values that are easily lost. */
async function seedCompleteCall(): Promise<number> {
  const { deps, seed } = world
  const caller = await seedApiKeyCaller(deps, seed)
  await subscribe(deps, caller, { target_url: 'https://hooks.example.com/all', event: 'call.completed' })
  const conversation = await seedConversation('http')
  const callId = conversation.call.id
  await toolCall(conversation)
  await finishAnalysis(deps, { workspaceId: seed.workspaceId, callId }, analysis)
  await sql`
    update call set queued_at = '2026-05-04 15:00:00.123456+00', extracted = '{"a": 1.10, "b": null, "c": "\\u0041"}',
      metadata = '{"☎ \u2028": "\\"quoted\\", (x), {y}"}' where id = ${callId}`.execute(deps.db)
  await sql`update tool_call set result = ${'a\n"b", \\c\t(d)'} where call_id = ${callId}`.execute(deps.db)
  await sql`
    update webhook_delivery set status = 'delivered', next_attempt_at = null, finished_at = '2026-05-05 10:00:00.654321+00',
      worker_id = gen_random_uuid()
    where event_id in (select id from event where call_id = ${callId})`.execute(deps.db)
  await sql`
    insert into delivery_attempt (delivery_id, number, at, duration_ms, status_code, error)
    select id, 1, '2026-05-05 10:00:00.111111+00', 12, null, 'No response: "x"' from webhook_delivery`.execute(
    deps.db,
  )
  return callId
}

it('restores exactly the rows that moved to the archive, in every table', async () => {
  const callId = await seedCompleteCall()
  const before = await dumpMovedTables()
  for (const [table, rows] of Object.entries(before)) expect([table, rows.length > 0]).toEqual([table, true])

  await archiveCalls(world.deps)
  for (const rows of Object.values(await dumpMovedTables())) expect(rows).toEqual([])
  expect(await dumpMovedTables('archived_')).toEqual(before)
  const reports = await world.deps.db.selectFrom('attempt_report').select('attempt_id').execute()
  expect(reports).toEqual([])

  const { workspaceId } = world.seed
  const restored = await world.deps.db
    .transaction()
    .execute((db) => restoreCalls(db, workspaceId, sql`select ${callId}::bigint`))
  expect(restored).toBe(1)
  expect(await dumpMovedTables()).toEqual(before)
  for (const rows of Object.values(await dumpMovedTables('archived_'))) expect(rows).toEqual([])
})

it('restores all calls with the statement in the docs', async () => {
  const callId = await seedCompleteCall()
  const before = await dumpMovedTables()
  await archiveCalls(world.deps)
  const [, statement = ''] = /```sql\n([^`]*restore_calls[^`]*)```/.exec(readPage('docs/operating.md')) ?? []
  await sql.raw(statement).execute(world.deps.db)
  expect(await dumpMovedTables()).toEqual(before)
  expect(before.call?.join()).toContain(`(${callId},`)
})

it('restores no call of another workspace', async () => {
  const callId = await seedCompleteCall()
  await archiveCalls(world.deps)
  const restore = (workspaceId: number) =>
    world.deps.db.transaction().execute((db) => restoreCalls(db, workspaceId, sql`select ${callId}::bigint`))
  expect(await restore(world.seed.workspaceId + 1)).toBe(0)
  expect(await listArchivedCalls(world.deps, world.seed.workspaceId)).toEqual([callId])
})

it('moves columns that a later version added, without a change of the code', async () => {
  const callId = await seedCompleteCall()
  await asSuperuser(world.deps.db, async (db) => {
    await sql`alter table call add column later text default 'x'`.execute(db)
    await sql`alter table archived_call add column later text default 'x'`.execute(db)
  })
  await sql`update call set later = 'y' where id = ${callId}`.execute(world.deps.db)
  await archiveCalls(world.deps)
  const { rows } = await sql`select id, later from archived_call`.execute(world.deps.db)
  await asSuperuser(world.deps.db, async (db) => {
    await sql`alter table call drop column later`.execute(db)
    await sql`alter table archived_call drop column later`.execute(db)
  })
  expect(rows).toEqual([{ id: callId, later: 'y' }])
})

it('deletes archived calls with their workspace', async () => {
  await seedCompleteCall()
  await archiveCalls(world.deps)
  await world.deps.db.deleteFrom('workspace').where('id', '=', world.seed.workspaceId).execute()
  for (const rows of Object.values(await dumpMovedTables('archived_'))) expect(rows).toEqual([])
})
