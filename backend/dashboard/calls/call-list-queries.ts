import { type Expression, type ExpressionBuilder, sql, type SqlBool } from 'kysely'
import { startsWith } from '../../platform/db/name-search.ts'
import type { Database, Db } from '../../platform/db/schema.ts'
import { selectPageBySize } from '../../platform/db/select-page.ts'
import { waitingFor } from '../../queue/calls/can-call.ts'
import { type CallFilter, selectMatchingCalls } from '../../queue/calls/select-calls.ts'

/** Search criteria. A call is found if any of them matches. */
export interface CallSearch {
  callId?: number
  /** Prefixes of E.164 numbers. */
  numbers?: readonly string[]
  /** Lowercase prefixes. Each must match the contact's first or last name. */
  names?: readonly string[]
  externalId?: string
  requestId?: string
  eventId?: string
}

export interface CallListFilter extends CallFilter {
  search?: CallSearch
}

/**
 * A page of calls: the closest ones with IDs below `before`, newest first, or above `after`, oldest first. `newest` is
 * the highest ID to include.
 */
export interface CallCursor {
  before?: number
  after?: number
  newest?: number
  limit: number
}

/** A call as lists show it. */
export type ListedCall = Awaited<ReturnType<typeof findListedCalls>>[number]

/** If more contacts than this match a name, names are checked call by call, newest first. */
const maxContactIds = 500

/**
 * Finds a page of calls. Limits the rows before it joins or computes anything, and starts at a cursor, so that page 100
 * costs as much as page 1. With a date range, calls are sorted by `queued_at`, whose index covers only the range.
 * Otherwise they're sorted by ID, which is the same order except for calls queued at the same time.
 */
export async function findListedCalls(
  db: Db,
  workspaceId: number,
  filter: CallListFilter,
  slice: CallCursor,
  now: Date,
) {
  const direction = slice.after === undefined ? 'desc' : 'asc'
  const byTime = filter.from !== undefined || filter.to !== undefined
  let ids = (await selectFoundCalls(db, workspaceId, filter)).select('call.id')
  const cursor = slice.before ?? slice.after
  if (cursor !== undefined) {
    const comparison = sql.raw(direction === 'desc' ? '<' : '>')
    const position = byTime ? await findPosition(db, workspaceId, cursor) : undefined
    ids = ids.where(
      position === undefined
        ? sql<SqlBool>`call.id ${comparison} ${cursor}`
        : sql<SqlBool>`(call.queued_at, call.id) ${comparison} (${position.queued_at}, ${cursor})`,
    )
  }
  if (slice.newest !== undefined) ids = ids.where('call.id', '<=', slice.newest)
  if (byTime) ids = ids.orderBy('call.queued_at', direction)
  const onPage = ids.orderBy('call.id', direction).limit(slice.limit)
  return db
    .selectFrom('call')
    .innerJoin('campaign', 'campaign.id', 'call.campaign_id')
    .innerJoin('agent', 'agent.id', 'call.agent_id')
    .innerJoin('phone_number', 'phone_number.id', 'call.phone_number_id')
    .innerJoin('contact', 'contact.id', 'call.contact_id')
    .where('call.workspace_id', '=', workspaceId)
    .where('call.id', 'in', onPage)
    .select([
      'call.id',
      'call.status',
      'call.outcome',
      'call.test',
      'call.to_number',
      'call.attempts',
      'call.queued_at',
      'call.duration_seconds',
      'campaign.name as campaign_name',
      'agent.name as agent_name',
    ])
    .select(contactColumns(['first_name', 'last_name']))
    .select(waitingFor(now))
    .$if(byTime, (calls) => calls.orderBy('call.queued_at', direction))
    .orderBy('call.id', direction)
    .execute()
}

/** Selects fields of the contact: as they were when the call was completed, or as they are now. */
const contactColumns = <Field extends 'first_name' | 'last_name' | 'email' | 'external_id'>(
  fields: readonly Field[],
) =>
  fields.map((field) =>
    sql<string | null>`
      case when call.completed_contact is null then ${sql.ref(`contact.${field}`)}
      else call.completed_contact ->> ${sql.lit(field)} end`.as(field),
  )

const findPosition = (
  db: Db,
  workspaceId: number,
  callId: number,
): Promise<{ queued_at: Date } | undefined> =>
  db
    .selectFrom('call')
    .select('queued_at')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', callId)
    .executeTakeFirst()

/** Counts the matching calls whose ID is greater than `after`, up to `limit`. */
export async function countNewerCalls(
  db: Db,
  workspaceId: number,
  filter: CallListFilter,
  after: number,
  limit: number,
): Promise<number> {
  const newer = (await selectFoundCalls(db, workspaceId, filter))
    .select('call.id')
    .where('call.id', '>', after)
    .limit(limit)
  const { count } = await db
    .selectFrom(newer.as('newer'))
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Builds the query for the calls that match a filter and its search. */
async function selectFoundCalls(db: Db, workspaceId: number, filter: CallListFilter) {
  const { search } = filter
  const calls = selectMatchingCalls(db, workspaceId, filter)
  if (search === undefined) return calls
  const contacts = search.names && (await findContactIds(db, workspaceId, search.names))
  const { callIds, contactIds } = await findByForeignIds(db, workspaceId, search)
  return calls.where((eb) => {
    const conditions: Expression<SqlBool>[] = []
    if (search.callId !== undefined) conditions.push(eb('call.id', '=', search.callId))
    if (callIds.length > 0) conditions.push(eb('call.id', 'in', callIds))
    if (contactIds.length > 0) conditions.push(eb('call.contact_id', 'in', contactIds))
    for (const number of search.numbers ?? [])
      conditions.push(
        isWholeNumber(number) ? eb('call.to_number', '=', number) : startsWith('call.to_number', number),
      )
    if (contacts) conditions.push(eb('call.contact_id', '=', sql<number>`any(${contacts}::bigint[])`))
    if (search.names && contacts === undefined) conditions.push(contactHasNames(eb, search.names))
    return eb.or(conditions)
  })
}

/**
 * Returns true for a number that can't be the start of a longer one: after the country code 1, all numbers have ten digits. The
 * query can then use `=`, and PostgreSQL estimates its number of rows better than that of a search for a prefix.
 */
const isWholeNumber = (prefix: string): boolean => /^\+1\d{10}$/.test(prefix)

/** Finds the calls of a request or an event, and the contacts with an ID in another system. */
async function findByForeignIds(
  db: Db,
  workspaceId: number,
  { externalId, requestId, eventId }: CallSearch,
): Promise<{ callIds: number[]; contactIds: number[] }> {
  const [contacts, requests, events] = await Promise.all([
    externalId === undefined
      ? []
      : db
          .selectFrom('contact')
          .select('id')
          .where('workspace_id', '=', workspaceId)
          .where('external_id', '=', externalId)
          .limit(maxContactIds)
          .execute(),
    requestId === undefined
      ? []
      : db
          .selectFrom('api_request')
          .select('call_id')
          .where('workspace_id', '=', workspaceId)
          .where('request_id', '=', requestId)
          .where('call_id', 'is not', null)
          .limit(50)
          .execute(),
    eventId === undefined
      ? []
      : db
          .selectFrom('event')
          .select('call_id')
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', eventId)
          .execute(),
  ])
  const callIds = [...requests, ...events].flatMap(({ call_id: id }) => (id === null ? [] : [id]))
  return { callIds, contactIds: contacts.map(({ id }) => id) }
}

/** Returns the matching contacts, or undefined if there are more than `maxContactIds`. */
async function findContactIds(
  db: Db,
  workspaceId: number,
  names: readonly string[],
): Promise<number[] | undefined> {
  const rows = await db
    .selectFrom('contact')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where((eb) => eb.and(names.map(nameStartsWith)))
    .limit(maxContactIds + 1)
    .execute()
  return rows.length > maxContactIds ? undefined : rows.map(({ id }) => id)
}

const contactHasNames = (eb: ExpressionBuilder<Database, 'call'>, names: readonly string[]) =>
  eb.exists(
    eb
      .selectFrom('contact')
      .select(sql`1`.as('one'))
      .whereRef('contact.id', '=', 'call.contact_id')
      .whereRef('contact.workspace_id', '=', 'call.workspace_id')
      .where((inner) => inner.and(names.map(nameStartsWith))),
  )

const nameStartsWith = (prefix: string): Expression<SqlBool> =>
  sql<SqlBool>`(
    ${startsWith('contact.first_name_folded', prefix)} or ${startsWith('contact.last_name_folded', prefix)}
  )`

/** Returns the campaigns and agents to choose from, sorted by name. */
export async function findFilterOptions(db: Db, workspaceId: number) {
  const [campaigns, agents] = await Promise.all([
    db
      .selectFrom('campaign')
      .select(['id', 'name'])
      .where('workspace_id', '=', workspaceId)
      .orderBy('name')
      .limit(500)
      .execute(),
    db
      .selectFrom('agent')
      .select(['id', 'name'])
      .where('workspace_id', '=', workspaceId)
      .orderBy('name')
      .limit(500)
      .execute(),
  ])
  return { campaigns, agents }
}

/** Finds calls with the export's columns and IDs below `before`, newest first. */
export const findCallsToExport = async (
  db: Db,
  workspaceId: number,
  filter: CallListFilter,
  { before, limit }: { before: number | undefined; limit: number },
) => {
  const all = (await selectFoundCalls(db, workspaceId, filter)).select('call.id')
  const older = before === undefined ? all : all.where('call.id', '<', before)
  const calls = db
    .selectFrom('call')
    .innerJoin('campaign', 'campaign.id', 'call.campaign_id')
    .innerJoin('agent', 'agent.id', 'call.agent_id')
    .innerJoin('contact', 'contact.id', 'call.contact_id')
    .where('call.workspace_id', '=', workspaceId)
    .where('call.id', 'in', older.orderBy('call.id', 'desc').limit(limit))
    .select([
      'call.id',
      'call.status',
      'call.outcome',
      'call.ended_reason',
      'call.test',
      'campaign.name as campaign_name',
      'agent.name as agent_name',
      'call.to_number',
      'call.from_number',
      'call.attempts',
      'call.queued_at',
      'call.next_attempt_at',
      'call.answered_at',
      'call.ended_at',
      'call.duration_seconds',
      'call.sentiment',
      'call.opted_out',
      'call.goal_met',
      'call.summary',
      'call.extracted',
      'call.metadata',
    ])
    .select(contactColumns(['first_name', 'last_name', 'email', 'external_id']))
    .orderBy('call.id', 'desc')
  return selectPageBySize(db, calls, 'id desc')
}

export type ExportedCall = Awaited<ReturnType<typeof findCallsToExport>>[number]
