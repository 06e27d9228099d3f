import { sql } from 'kysely'
import type { Db } from '../../backend/platform/db/schema.ts'
import { analyze, type World } from '../world.ts'

/**
 * Adds calls that ended in the past year, distributed among a workspace's contacts and campaigns. Each has an attempt, an
 * event, and a delivery.
 */
export async function addFinishedCalls(world: World, workspaceId: number, count: number): Promise<void> {
  if (count === 0) return
  await world.owner.connection().execute(async (db) => {
    await sql`set maintenance_work_mem = '1GB'`.execute(db)
    // A table that was just filled has no statistics. Without them, the planner would choose nested loops.
    await sql`set enable_nestloop = off`.execute(db)
    await sql`set jit = off`.execute(db)
    const { id: lastId } = await db
      .selectFrom('call')
      .select((eb) => eb.fn.coalesce(eb.fn.max('id'), sql<number>`0`).as('id'))
      .executeTakeFirstOrThrow()
    await fillTable(db, 'call', () =>
      sql`
        insert into call (workspace_id, campaign_id, contact_id, agent_id, phone_number_id, status, outcome, ended_reason,
          from_number, to_number, attempts, queued_at, due_at, answered_at, ended_at, duration_seconds)
        select ${workspaceId}, campaign.id, contact.id, campaign.agent_id, campaign.phone_number_id, 'completed', outcome,
          'contact_hung_up', phone_number.phone_number, contact.phone_number, 1, at, at,
          case when outcome = 'answered' then at end, at, case when outcome = 'answered' then 90 end
        from (
          select 1 + n % (select count(*) from campaign where workspace_id = ${workspaceId}) as campaign_number,
            1 + n % (select count(*) from contact where workspace_id = ${workspaceId}) as contact_number,
            now() - interval '31 days' - (${count}::int - n) * (interval '334 days' / ${count}::int) as at,
            (array['answered', 'answered', 'no_answer', 'busy', 'voicemail'])[1 + n % 5] as outcome
          from generate_series(0, ${count - 1}::int) n
        ) as finished
        join (
          select *, row_number() over (order by id) as campaign_number from campaign where workspace_id = ${workspaceId}
        ) as campaign using (campaign_number)
        join (
          select id, phone_number, row_number() over (order by id) as contact_number
          from contact where workspace_id = ${workspaceId}
        ) as contact using (contact_number)
        join phone_number on phone_number.id = campaign.phone_number_id
        order by at`.execute(db),
    )
    await fillTable(db, 'call_attempt', () =>
      sql`
        insert into call_attempt (workspace_id, call_id, campaign_id, number, to_number, test, provider, worker_id,
          lease_until, started_at, ended_at, outcome, ended_reason)
        select workspace_id, id, campaign_id, 1, to_number, test, 'simulated', gen_random_uuid(), ended_at, queued_at,
          ended_at, outcome, ended_reason
        from call
        where id > ${lastId}`.execute(db),
    )
    await fillTable(db, 'event', () =>
      sql`
        insert into event (id, workspace_id, type, call_id, body, created_at)
        select 'evt_bench_' || id, workspace_id, 'call.completed', id, '{}', ended_at
        from call
        where id > ${lastId}`.execute(db),
    )
    await fillTable(db, 'webhook_delivery', () =>
      sql`
        insert into webhook_delivery (workspace_id, event_id, target_url, status, attempts, finished_at, created_at)
        select workspace_id, id, 'https://hooks.example.com/' || call_id % 10, 'delivered', 1, created_at, created_at
        from event
        where call_id > ${lastId}`.execute(db),
    )
  })
  await analyze(world)
}

/**
 * Inserts rows without triggers, and afterward creates the table's indexes and checks its foreign keys. This takes a tenth of
 * the usual time.
 */
async function fillTable(db: Db, table: string, insert: () => Promise<unknown>): Promise<void> {
  const { rows } = await sql<{ drop: string; restore: string }>`
    select format('alter table %I drop constraint %I', ${table}::text, conname) as drop,
      format('alter table %I add constraint %I %s', ${table}::text, conname, pg_get_constraintdef(oid)) as restore
    from pg_constraint
    where conrelid = ${table}::regclass and contype = 'f'
    union all
    select format('drop index %I', relname), pg_get_indexdef(indexrelid)
    from pg_index join pg_class on pg_class.oid = indexrelid
    where indrelid = ${table}::regclass and not exists (select from pg_constraint where conindid = indexrelid)`.execute(
    db,
  )
  await sql`alter table ${sql.table(table)} disable trigger user`.execute(db)
  for (const { drop } of rows) await sql.raw(drop).execute(db)
  await insert()
  for (const { restore } of rows) await sql.raw(restore).execute(db)
  await sql`alter table ${sql.table(table)} enable trigger user`.execute(db)
}
