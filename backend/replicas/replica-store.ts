import { sql } from 'kysely'
import type { Config } from '../config.ts'
import type { Db } from '../db/schema.ts'

type Role = Config['role']

/**
 * Records that this process runs, and deletes the rows of processes that were killed. Returns the roles of the others
 * that were seen since this process started: an older row may be that of a process that doesn't run anymore.
 */
export async function recordReplica(db: Db, id: string, role: Role): Promise<Role[]> {
  const { rows } = await sql<{ role: Role }>`
    with recorded as (
      insert into replica (id, role) values (${id}, ${role})
      on conflict (id) do update set seen_at = now()
    ), deleted as (
      delete from replica where seen_at < now() - interval '1 minute' and id <> ${id}
    )
    select other.role from replica as other
    join replica as this on this.id = ${id} and other.id <> this.id
    where other.seen_at > this.started_at and other.seen_at > now() - interval '10 seconds'`.execute(db)
  return rows.map((row) => row.role)
}

export async function deleteReplica(db: Db, id: string): Promise<void> {
  await db.deleteFrom('replica').where('id', '=', id).execute()
}

/** Returns when a process was last seen, in milliseconds since 1970. Undefined if it isn't recorded. */
export async function findLastSeen(db: Db, id: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('replica')
    .select('seen_at as seenAt')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.seenAt.getTime()
}
