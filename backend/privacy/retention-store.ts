import { sql } from 'kysely'
import type { Db } from '../platform/db/schema.ts'

/** How many days a workspace keeps a conversation after the end of its call. Null means forever. */
export type RetentionDays = number | null

export interface Retention {
  days: RetentionDays
  /** A shorter retention that takes effect later; null if there is none. */
  pending: { days: number; at: Date } | null
}

/**
 * Returns an SQL expression for the retention in effect at a time. A pending retention counts as soon as its time has come, so
 * that the row needn't be updated then.
 */
const daysAt = (now: Date) =>
  sql<RetentionDays>`case when pending_retention_at <= ${now} then pending_retention_days else retention_days end`

const selectRetention = (db: Db, workspaceId: number, now: Date) =>
  db
    .selectFrom('workspace')
    .select([
      daysAt(now).as('days'),
      'pending_retention_days as pendingDays',
      'pending_retention_at as pendingAt',
    ])
    .where('id', '=', workspaceId)

type RetentionRow = Awaited<ReturnType<ReturnType<typeof selectRetention>['executeTakeFirstOrThrow']>>

const toRetention = ({ days, pendingDays, pendingAt }: RetentionRow, now: Date): Retention => ({
  days,
  pending:
    pendingDays === null || pendingAt === null || pendingAt <= now
      ? null
      : { days: pendingDays, at: pendingAt },
})

export const findRetention = async (db: Db, workspaceId: number, now: Date): Promise<Retention> =>
  toRetention(await selectRetention(db, workspaceId, now).executeTakeFirstOrThrow(), now)

/** Locks the workspace, so that simultaneous changes of its retention take turns. */
export const lockRetention = async (db: Db, workspaceId: number, now: Date): Promise<Retention> =>
  toRetention(await selectRetention(db, workspaceId, now).forNoKeyUpdate().executeTakeFirstOrThrow(), now)

export const updateRetention = (db: Db, workspaceId: number, { days, pending }: Retention) =>
  db
    .updateTable('workspace')
    .set({
      retention_days: days,
      pending_retention_days: pending?.days ?? null,
      pending_retention_at: pending?.at ?? null,
    })
    .where('id', '=', workspaceId)
    .execute()

/** Selects workspaces that keep conversations for a limited number of days. */
export const selectRetentions = (db: Db, now: Date) =>
  db
    .selectFrom('workspace')
    .select(['id as workspaceId', daysAt(now).as('days')])
    .where(daysAt(now), 'is not', null)
    .$narrowType<{ days: number }>()
    .execute()
