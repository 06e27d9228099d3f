import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/schema.ts'

// Every place where a contact leaves a trace. A new column or table that holds what people said, or who they are,
// belongs here too.

/** By what a person is known in texts. */
export interface ContactIdentifiers {
  number: string
  digits: string
  email: string | null
}

/** Without a lock: what an import holds of the contact is let go before the contact is taken, as imports do. */
export const findContactForErasure = (tx: Db, workspaceId: number, contactId: number) =>
  tx
    .selectFrom('contact')
    .select(['phone_number', 'email'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', contactId)
    .executeTakeFirst()

/** Ends the wait of events for what is read out of talks. The ids of the calls whose events are owed now. */
export async function endAnalyses(
  tx: Db,
  workspaceId: number,
  callIds: readonly number[],
): Promise<number[]> {
  const rows = await tx
    .updateTable('call')
    .set({ analysis_until: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sql<number>`any(${callIds}::bigint[])`)
    .where('analysis_until', 'is not', null)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

export const clearContact = async (
  tx: Db,
  workspaceId: number,
  contactId: number,
  at: Date,
): Promise<void> => {
  await tx
    .updateTable('contact')
    .set({
      phone_number: '',
      first_name: null,
      last_name: null,
      email: null,
      external_id: null,
      time_zone: null,
      variables: '{}',
      consent_source: null,
      consent_at: null,
      updated_at: at,
      erased_at: at,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', contactId)
    .execute()
}

export const clearCalls = async (
  tx: Db,
  workspaceId: number,
  callIds: readonly number[],
  at: Date,
): Promise<void> => {
  await tx
    .updateTable('call')
    .set({
      to_number: '',
      transcript: '[]',
      summary: null,
      extracted: '{}',
      metadata: '{}',
      recording_url: null,
      conversation_erased_at: at,
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sql<number>`any(${callIds}::bigint[])`)
    .execute()
}

/** Addresses that callers gave: of what was sent there already, the host alone stays. */
export async function eraseCallbackUrls(
  tx: Db,
  workspaceId: number,
  callIds: readonly number[],
): Promise<void> {
  await tx
    .updateTable('call')
    .set({ callback_url: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sql<number>`any(${callIds}::bigint[])`)
    .execute()
  await sql`
    update webhook_delivery set ${setTargetToHost}
    where workspace_id = ${workspaceId} and ${isFinishedCallbackDelivery}
      and event_id in (select id from event where call_id = any(${callIds}::bigint[]))`.execute(tx)
}

/** A dead one could only be sent to the whole address again. */
const setTargetToHost = sql`
  target_url = regexp_replace(target_url, '^([A-Za-z]+://[^/?#]*).*$', '\\1/'),
  status = case status when 'exhausted' then 'gone' else status end`
const isFinishedCallbackDelivery = sql`subscription_id is null and status <> 'pending'`

/** The same for what was still to be delivered when the contact was erased, within the days that a delivery takes. */
export async function eraseCallbackUrlsOfErasedContacts(db: Db, now: Date): Promise<void> {
  await sql`
    update webhook_delivery set ${setTargetToHost}
    where ${isFinishedCallbackDelivery} and target_url ~ '^[A-Za-z]+://[^/?#]*(/.|[?#])' and event_id in (
      select event.id
      from contact
      join call on call.workspace_id = contact.workspace_id and call.contact_id = contact.id
      join event on event.call_id = call.id
      where contact.erased_at > ${now}::timestamptz - interval '10 days'
    )`.execute(db)
}

/** And what runtimes reported of them. */
export async function clearAttempts(tx: Db, workspaceId: number, callIds: readonly number[]): Promise<void> {
  await sql`
    with cleared as (
      update call_attempt set to_number = ''
      where workspace_id = ${workspaceId} and call_id = any(${callIds}::bigint[])
      returning id
    )
    delete from attempt_report where attempt_id in (select id from cleared)`.execute(tx)
}

/** That a tool was used stays. In other calls, those that speak of the number or the address are meant. */
export async function clearToolCalls(
  tx: Db,
  workspaceId: number,
  callIds: readonly number[],
  { digits, email }: ContactIdentifiers,
): Promise<void> {
  const containsDigits = (text: RawBuilder<unknown>) =>
    sql`strpos(regexp_replace(${text}, '\\D', '', 'g'), ${digits}) > 0`
  await sql`
    update tool_call set arguments = '{}', result = ''
    where workspace_id = ${workspaceId} and (
      call_id = any(${callIds}::bigint[])
      or ${containsDigits(sql`arguments::text`)} or ${containsDigits(sql`result`)}
      or strpos(lower(arguments::text), lower(${email})) > 0 or strpos(lower(result), lower(${email})) > 0
    )`.execute(tx)
}

export const deleteNotes = async (tx: Db, workspaceId: number, contactId: number): Promise<void> => {
  await tx
    .deleteFrom('contact_note')
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', contactId)
    .execute()
}

/**
 * Ends the imports of files that were not read to their end: whom they hold, in which spelling, nobody can tell yet.
 * It takes seconds to read one, and a moment to send it again.
 */
export async function failUnreadImports(tx: Db, workspaceId: number, at: Date): Promise<void> {
  const error =
    'A contact was erased before this file was read, and it may hold that person. Send the file again.'
  await tx
    .updateTable('contact_import')
    .set({ bytes: null, status: 'failed', error, lease_until: null, finished_at: at })
    .where('workspace_id', '=', workspaceId)
    .where('bytes', 'is not', null)
    .execute()
}

/** Rows of files that are being imported: they would only bring the person back. A wrong one may quote them. */
export async function deleteImportRows(
  tx: Db,
  workspaceId: number,
  { number, digits, email }: ContactIdentifiers,
): Promise<void> {
  await sql`
    delete from contact_import_row
    where import_id in (select id from contact_import where workspace_id = ${workspaceId}) and (
      phone_number = ${number}
      or issues <> '[]' and (
        strpos(regexp_replace(issues::text, '\\D', '', 'g'), ${digits}) > 0
        or strpos(lower(issues::text), lower(${email})) > 0
      )
    )`.execute(tx)
}

/** Empties the cells of spreadsheets that hold the number, in any spelling, or the address. */
export async function clearCells(
  tx: Db,
  workspaceId: number,
  { digits, email }: ContactIdentifiers,
): Promise<void> {
  const containsIdentifier = sql`(
    strpos(regexp_replace(cell, '\\D', '', 'g'), ${digits}) > 0
    or coalesce(strpos(lower(cell), lower(${email})) > 0, false)
  )`
  await sql`
    update spreadsheet_row
    set cells = (
      select array_agg(case when ${containsIdentifier} then '' else cell end order by position)
      from unnest(cells) with ordinality as row (cell, position)
    )
    where workspace_id = ${workspaceId}
      and exists (select from unnest(cells) as row (cell) where ${containsIdentifier})`.execute(tx)
}

/** Why a number is refused is a text of somebody's: it goes, the refusal stays. */
export async function clearDoNotCallReasons(tx: Db, workspaceId: number, phoneNumber: string): Promise<void> {
  await sql`
    update do_not_call set reason = null
    where workspace_id = ${workspaceId} and number_hash = number_hash(${workspaceId}, ${phoneNumber})`.execute(
    tx,
  )
  await sql`
    update do_not_call_removal set reason = ''
    where workspace_id = ${workspaceId} and number_hash = number_hash(${workspaceId}, ${phoneNumber})`.execute(
    tx,
  )
}

export const findEventsOfCalls = (tx: Db, workspaceId: number, callIds: readonly number[]) =>
  tx
    .selectFrom('event')
    .select(['id', 'body'])
    .where('workspace_id', '=', workspaceId)
    .where('call_id', '=', sql<number>`any(${callIds}::bigint[])`)
    .execute()

/** Bodies by event. What is still to be delivered is delivered like this. */
export async function rewriteEvents(
  tx: Db,
  workspaceId: number,
  bodies: ReadonlyMap<string, string>,
): Promise<void> {
  await sql`
    update event set body = written.body
    from unnest(${[...bodies.keys()]}::text[], ${[...bodies.values()]}::text[]) as written (id, body)
    where event.workspace_id = ${workspaceId} and event.id = written.id`.execute(tx)
}

/** Answers that are kept for callers who ask again. */
export const findIdempotentResponses = (tx: Db, workspaceId: number, contactId: number) =>
  tx
    .selectFrom('idempotent_response')
    .select(['scope_hash as scopeHash', 'body'])
    .where('workspace_id', '=', workspaceId)
    .where(sql<string>`body -> 'contact' ->> 'id'`, '=', String(contactId))
    .execute()

export async function rewriteIdempotentResponses(
  tx: Db,
  workspaceId: number,
  responses: readonly { scopeHash: Buffer; body: unknown }[],
): Promise<void> {
  for (const { scopeHash, body } of responses) {
    await tx
      .updateTable('idempotent_response')
      .set({ body: JSON.stringify(body) })
      .where('workspace_id', '=', workspaceId)
      .where('scope_hash', '=', scopeHash)
      .execute()
  }
}
