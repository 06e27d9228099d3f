import { type RawBuilder, type Selectable, sql, type SqlBool } from 'kysely'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../platform/core/errors.ts'
import { consentOfContact, useOfContact } from '../../platform/db/call-rules.ts'
import type { Database, Db } from '../../platform/db/schema.ts'
import { selectPageBySize } from '../../platform/db/select-page.ts'
import { contactColumns } from '../../platform/db/tables/contact-fields.ts'
import { isContactOnDoNotCallList } from '../../queue/calls/check-do-not-call.ts'
import { selectMatchingCalls } from '../../queue/calls/select-calls.ts'
import { findContact } from '../../queue/contacts/find-contacts.ts'
import type { PlannedCallee } from '../../queue/rules/plan-call.ts'
import type { IdContext } from '../page/page-context.ts'

/** Maximum number of variables that have a column in the export. */
const maxVariableColumns = 500

export async function selectVariableNames(db: Db, workspaceId: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct key as name from contact cross join jsonb_object_keys(variables) key
    where workspace_id = ${workspaceId} and erased_at is null
    order by 1 limit ${maxVariableColumns}`.execute(db)
  return rows.map(({ name }) => name)
}

export type ExportedContact = Awaited<ReturnType<typeof findContactsToExport>>[number]

export const findContactsToExport = (
  db: Db,
  workspaceId: number,
  page: { after: number; limit: number; importId: number | null },
) => {
  const contacts = db
    .selectFrom('contact')
    .select(['id', 'phone_number', ...contactColumns, isContactOnDoNotCallList.as('on_do_not_call_list')])
    .where('workspace_id', '=', workspaceId)
    .where(
      'id',
      'in',
      selectPage(db, workspaceId, page.importId, { position: { after: page.after }, limit: page.limit }),
    )
    .orderBy('id')
  return selectPageBySize(db, contacts, 'id')
}

/**
 * Returns a contact to edit or call. Doesn't find erased contacts.
 *
 * @throws {ApiError} not_found
 */
export async function requireContact({ db }: Pick<Deps, 'db'>, { workspace, params: { id } }: IdContext) {
  const contact = await findContact(db, workspace.id, id)
  if (contact !== undefined && contact.erased_at === null) return contact
  throw notFound('contact')
}

/** Returns the data that decides whether and when a contact may be called. The contact must not be erased. */
export const findCallee = (
  db: Db,
  { workspaceId, contactId }: { workspaceId: number; contactId: number },
): Promise<PlannedCallee> =>
  db
    .selectFrom('contact')
    .select(['phone_number as phoneNumber', 'time_zone as timeZone'])
    .select([consentOfContact.as('consent'), useOfContact.as('use')])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', contactId)
    .executeTakeFirstOrThrow()

/** Returns the campaign of the contact's last call, or undefined without calls. */
export async function findLastCampaignOf(
  db: Db,
  { workspaceId, contactId }: { workspaceId: number; contactId: number },
): Promise<number | undefined> {
  const call = await db
    .selectFrom('call')
    .select('campaign_id')
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', contactId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return call?.campaign_id
}

/** Returns the campaigns in which a contact has a real call that is waiting or in progress. */
export async function findOpenCampaignsOf(
  db: Db,
  { workspaceId, contactId }: { workspaceId: number; contactId: number },
): Promise<number[]> {
  const calls = await db
    .selectFrom('call')
    .select('campaign_id')
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', contactId)
    .where('status', '<>', 'completed')
    .where('test', '=', false)
    .execute()
  return calls.map((call) => call.campaign_id)
}

/** Filter of the contact list. */
interface ContactSearch {
  /** Parts of names, email, external ID, or phone number. All of them must match. */
  words: readonly string[]
  /** E.164 number to find instead of `words`. */
  phoneNumber: string | null
  onDoNotCallList: boolean | null
  /** The import that created or changed the contact. */
  importId: number | null
}

/** The position where a page of the list starts: IDs below `before` or, when paging back, above `after`. */
export type ContactPosition = { before: number } | { after: number } | null

/**
 * Checks in SQL whether a contact's number is on the do-not-call list. Reads the workspace's salt once; `number_hash`
 * would read it again for each contact.
 */
const isNumberOnDoNotCallList = (workspaceId: number): RawBuilder<SqlBool> => sql`
  salted_number_hash((select number_salt from workspace where id = ${workspaceId}), contact.phone_number)
    in (select number_hash from do_not_call where workspace_id = ${workspaceId})`

/** The columns that the conditions of the contact list read. */
type ListedColumns = Pick<
  Selectable<Database['contact']>,
  'id' | 'workspace_id' | 'phone_number' | 'erased_at' | 'search'
>

/**
 * Selects a page of IDs from all contacts, or from those that an import created or changed. The latter are looked up one by
 * one, in the order of the import's index, so that PostgreSQL stops at the end of the page.
 */
function selectPage(
  db: Db,
  workspaceId: number,
  importId: number | null,
  page: { position: ContactPosition; limit: number },
) {
  const isBackward = page.position !== null && 'after' in page.position
  const order = isBackward ? 'asc' : 'desc'
  const source =
    importId === null
      ? sql<ListedColumns>`contact`
      : sql<ListedColumns>`(
          select changed.contact_id as id, contact.workspace_id, phone_number, erased_at, search
          from (
            select distinct contact_id from contact_change
            where workspace_id = ${workspaceId} and import_id = ${importId} and ${isOnPage('contact_id', page.position)}
            order by contact_id ${sql.raw(order)}
          ) as changed
          cross join lateral (select * from contact where id = changed.contact_id limit 1) as contact
        )`
  return db
    .selectFrom(source.as('contact'))
    .select('contact.id')
    .where('contact.workspace_id', '=', workspaceId)
    .where('contact.erased_at', 'is', null)
    .where(isOnPage('contact.id', page.position))
    .orderBy('contact.id', order)
    .limit(page.limit)
}

const isOnPage = (column: string, position: ContactPosition): RawBuilder<SqlBool> => {
  if (position === null) return sql`true`
  return 'after' in position
    ? sql`${sql.ref(column)} > ${position.after}`
    : sql`${sql.ref(column)} < ${position.before}`
}

const containsWord = (word: string): RawBuilder<SqlBool> =>
  sql`contact.search like '%' || lower(${word.replace(/[\\%_]/g, '\\$&')} collate "und-x-icu") || '%'`

/** Finds at most `limit` contacts that aren't erased, newest first, with their last call. */
export async function searchContacts(
  db: Db,
  workspaceId: number,
  search: ContactSearch,
  page: { position: ContactPosition; limit: number },
) {
  let pageIds = selectPage(db, workspaceId, search.importId, page)
  if (search.phoneNumber !== null) pageIds = pageIds.where('contact.phone_number', '=', search.phoneNumber)
  if (search.phoneNumber === null)
    for (const word of search.words) pageIds = pageIds.where(containsWord(word))
  if (search.onDoNotCallList === true) pageIds = pageIds.where(isNumberOnDoNotCallList(workspaceId))
  if (search.onDoNotCallList === false)
    pageIds = pageIds.where((eb) => eb.not(isNumberOnDoNotCallList(workspaceId)))
  return db
    .selectFrom('contact')
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('call')
          .select(['call.id as call_id', 'call.status', 'call.outcome', 'call.queued_at', 'call.ended_at'])
          .whereRef('call.workspace_id', '=', 'contact.workspace_id')
          .whereRef('call.contact_id', '=', 'contact.id')
          .orderBy('call.id', 'desc')
          .limit(1)
          .as('last'),
      (join) => join.onTrue(),
    )
    .select([
      'contact.id',
      'phone_number',
      'first_name',
      'last_name',
      'email',
      'external_id',
      'created_at',
      'last.call_id',
      'last.status',
      'last.outcome',
      'last.queued_at',
      'last.ended_at',
      isNumberOnDoNotCallList(workspaceId).as('on_do_not_call_list'),
    ])
    .where('contact.workspace_id', '=', workspaceId)
    .where('contact.id', 'in', pageIds)
    .orderBy('contact.id', 'desc')
    .execute()
}

/** Returns true if the workspace has any contact, so that an empty list can say why it's empty. */
export const hasContacts = async (db: Db, workspaceId: number): Promise<boolean> =>
  (await db
    .selectFrom('contact')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('erased_at', 'is', null)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** A contact of the list, with its last call. */
export type ListedContact = Awaited<ReturnType<typeof searchContacts>>[number]

export type CallOfContact = Awaited<ReturnType<typeof selectCallsOfContact>>[number]

/** Returns a contact's calls, newest first. */
export const selectCallsOfContact = (
  db: Db,
  workspaceId: number,
  contactId: number,
  page: { before: number | null; limit: number },
) =>
  selectMatchingCalls(db, workspaceId, { contactId })
    .innerJoin('campaign', 'campaign.id', 'call.campaign_id')
    .select([
      'call.id',
      'call.status',
      'call.outcome',
      'call.test',
      'call.queued_at',
      'call.ended_at',
      'call.duration_seconds',
      'call.summary',
      'campaign.name as campaign_name',
    ])
    .$if(page.before !== null, (query) => query.where('call.id', '<', page.before))
    .orderBy('call.id', 'desc')
    .limit(page.limit)
    .execute()
