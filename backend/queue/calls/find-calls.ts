import { sql } from 'kysely'
import { hidden, prepared } from '../../platform/db/connect.ts'
import type { Db } from '../../platform/db/schema.ts'
import { contactColumns } from '../../platform/db/tables/contact-fields.ts'
import { waitingFor } from './can-call.ts'
import { isContactOnDoNotCallList } from './check-do-not-call.ts'
import { type CallFilter, selectMatchingCalls } from './select-calls.ts'

/**
 * Selects calls with their contacts, and with the names of their campaigns and agents.
 *
 * @param db can have a common table expression with the name and the columns of `call`
 */
export const selectCalls = (
  db: Pick<Db, 'selectFrom'>,
  workspaceId: number,
  now: Date,
  isListed = isContactOnDoNotCallList,
) =>
  db
    .selectFrom('call')
    .innerJoin('contact', 'contact.id', 'call.contact_id')
    // This is a subquery with an offset. Otherwise, PostgreSQL would compare every order of the four joins. With row-level
    // security, that takes longer than the rest of the query.
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('campaign')
          .innerJoin('agent', (join) => join.onRef('agent.id', '=', 'call.agent_id'))
          .innerJoin('phone_number', (join) => join.onRef('phone_number.id', '=', 'call.phone_number_id'))
          .select(['campaign.name as campaign_name', 'agent.name as agent_name', waitingFor(now)])
          .whereRef('campaign.id', '=', 'call.campaign_id')
          .offset(sql.lit(0))
          .as('made_with'),
      (join) => join.onTrue(),
    )
    .where('call.workspace_id', '=', workspaceId)
    // Lists the columns by name, because a prepared statement with `*` fails once a newer version has added a column.
    .select([
      'call.id',
      'call.workspace_id',
      'call.campaign_id',
      'call.contact_id',
      'call.agent_id',
      'call.agent_version',
      'call.status',
      'call.outcome',
      'call.ended_reason',
      'call.test',
      'call.from_number',
      'call.to_number',
      'call.attempts',
      'call.origin',
      'call.scheduled_at',
      'call.queued_at',
      'call.due_at',
      'call.next_attempt_at',
      'call.answered_at',
      'call.ended_at',
      'call.duration_seconds',
      'call.summary',
      'call.transcript',
      'call.sentiment',
      'call.opted_out',
      'call.goal_met',
      'call.extracted',
      'call.recording_url',
      'call.metadata',
      'call.completed_contact',
      'made_with.campaign_name',
      'made_with.agent_name',
      'made_with.waiting_for',
      'contact.phone_number',
      ...contactColumns.map((column) => `contact.${column}` as const),
      'contact.created_at',
      'contact.updated_at',
      isListed.as('do_not_call'),
    ])

/** A call with all columns of the API's `Call`, under the same names. */
export type CallRow = Awaited<ReturnType<typeof findCallRows>>[number]

/**
 * Returns calls by ID, in order of ID.
 *
 * @param listedIds the IDs of the calls whose numbers are on the do-not-call list, if known. Otherwise, the query looks up each
 *   number, which takes as long as the rest of the query.
 */
export const findCallRows = (
  db: Db,
  workspaceId: number,
  ids: readonly number[],
  now: Date,
  listedIds?: readonly number[],
) =>
  selectCalls(
    db,
    workspaceId,
    now,
    listedIds && sql<boolean>`call.id = any(${hidden(listedIds, 'bigint[]')})`,
  )
    .modifyFront(prepared)
    .where('call.id', '=', sql<number>`any(${hidden(ids, 'bigint[]')})`)
    .orderBy('call.id')
    .execute()

export const findCallRow = (
  db: Db,
  workspaceId: number,
  id: number,
  now: Date,
): Promise<CallRow | undefined> =>
  selectCalls(db, workspaceId, now).modifyFront(prepared).where('call.id', '=', id).executeTakeFirst()

/** Returns a page of calls, newest first. Selects the page's IDs before joining, so that later pages are fast, too. */
export const findCallPage = (
  db: Db,
  workspaceId: number,
  filter: CallFilter,
  page: { limit: number; offset: number },
  now: Date,
): Promise<CallRow[]> => {
  const ids = selectMatchingCalls(db, workspaceId, filter).select('call.id')
  const onPage = ids.orderBy('call.id', 'desc').limit(page.limit).offset(page.offset)
  // The statement isn't prepared: which index is best depends on the values, because some statuses, outcomes, and
  // campaigns are rare.
  return selectCalls(db, workspaceId, now).where('call.id', 'in', onPage).orderBy('call.id', 'desc').execute()
}

/** Counts a campaign's queued calls, test calls included. Archiving the campaign cancels them. */
export async function countQueuedCalls(db: Db, workspaceId: number, campaignId: number): Promise<number> {
  const { count } = await db
    .selectFrom('call')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('campaign_id', '=', campaignId)
    .where('status', '=', 'queued')
    .executeTakeFirstOrThrow()
  return Number(count)
}
