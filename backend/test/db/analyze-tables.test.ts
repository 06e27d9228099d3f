import { expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { startTableAnalysis } from '../../platform/db/analyze-tables.ts'
import { asSuperuser } from '../support/database.ts'
import { waitFor } from '../support/wait.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

/** Returns PostgreSQL's estimate of each table's number of rows: -1 if the table was never analyzed. */
async function readRowEstimates(): Promise<Record<string, number>> {
  const { rows } = await sql<{ relname: string; reltuples: number }>`
    select relname, reltuples from pg_class
    where oid in ('contact'::regclass, 'do_not_call'::regclass)`.execute(world.database.db)
  return Object.fromEntries(rows.map(({ relname, reltuples }) => [relname, reltuples]))
}

it('PostgreSQL reuses the query plans of the functions that queue calls and look up the do-not-call list', async () => {
  const { rows } = await sql<{ proname: string }>`
    select proname from pg_proc
    where 'plan_cache_mode=force_generic_plan' = any(proconfig) order by proname`.execute(world.database.db)
  expect(rows.map(({ proname }) => proname)).toEqual([
    'is_listed',
    'lock_contacts',
    'look_up_number',
    'queue_calls',
    'upsert_contacts',
  ])
})

it('analyzes a table within a second of its first rows, and again when it has grown, without waiting for autovacuum', async () => {
  const { deps, seed, database } = world
  const addContacts = (from: number, to: number) =>
    sql`
      insert into contact (workspace_id, phone_number)
      select ${seed.workspaceId}, '+' || n from generate_series(${from}::bigint, ${to}::bigint) n`.execute(
      database.db,
    )
  await asSuperuser(database.db, async (db) => {
    await sql`alter table contact set (autovacuum_enabled = off)`.execute(db)
    await sql`alter table do_not_call set (autovacuum_enabled = off)`.execute(db)
  })
  const job = startTableAnalysis(deps)
  await waitFor(async () => deps.clock.waiting > 0)
  expect(await readRowEstimates()).toEqual({ contact: -1, do_not_call: -1 })

  await addContacts(12_022_000_000, 12_022_001_999)
  deps.clock.advance(1_000)
  await waitFor(async () => deps.clock.waiting > 0 && (await readRowEstimates()).contact !== -1)
  expect(await readRowEstimates()).toEqual({ contact: 2_000, do_not_call: -1 })

  await addContacts(12_022_002_000, 12_022_009_999)
  deps.clock.advance(1_000)
  await waitFor(async () => deps.clock.waiting > 0 && (await readRowEstimates()).contact !== 2_000)
  expect(await readRowEstimates()).toEqual({ contact: 10_000, do_not_call: -1 })
  await job.stop()
})
