import { sql } from 'kysely'
import type { Config } from '../../config.ts'
import type { Db } from '../db/schema.ts'

type Role = Config['role']

/** A process counts as running if it was seen after this time. Running processes record themselves more often. */
const recently = sql<Date>`now() - interval '10 seconds'`

/** What a process records about itself, for the other processes. */
export interface ReplicaTraits {
  role: Role
  /** True if it has a language model. Null for a process of an earlier version of Outdial. */
  hasModel: boolean | null
}

/**
 * Records that this process runs, and deletes the rows of processes that were killed. Returns the other processes that were
 * seen since this process started: an older row may belong to a process that no longer runs.
 */
export async function recordReplica(
  db: Db,
  id: string,
  { role, hasModel }: ReplicaTraits,
): Promise<ReplicaTraits[]> {
  const { rows } = await sql<ReplicaTraits>`
    with recorded as (
      insert into replica (id, role, has_model) values (${id}, ${role}, ${hasModel})
      on conflict (id) do update set seen_at = now()
    ), deleted as (
      delete from replica where seen_at < now() - interval '1 minute' and id <> ${id}
    )
    select other.role, other.has_model as "hasModel" from replica as other
    join replica as this on this.id = ${id} and other.id <> this.id
    where other.seen_at > this.started_at and other.seen_at > ${recently}`.execute(db)
  return rows
}

export async function deleteReplica(db: Db, id: string): Promise<void> {
  await db.deleteFrom('replica').where('id', '=', id).execute()
}

/** Returns false for a process that has stopped or was killed, at the latest 10 seconds after its end. */
export async function wasSeenRecently(db: Db, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('replica')
    .select('id')
    .where('id', '=', id)
    .where('seen_at', '>', recently)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns when a process was last seen, in milliseconds since 1970, or undefined if it isn't recorded. */
export async function findLastSeen(db: Db, id: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('replica')
    .select('seen_at as seenAt')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.seenAt.getTime()
}
