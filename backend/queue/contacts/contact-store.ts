import type { ConsentKind } from '@outdial/contract'
import { sql } from 'kysely'
import type { Actor } from '../../platform/core/actor.ts'
import {
  type Consent,
  consentOfContact,
  type NumberUse,
  useOf,
  useOfContact,
} from '../../platform/db/call-rules.ts'
import { prepared } from '../../platform/db/connect.ts'
import type { Db } from '../../platform/db/schema.ts'
import type { ContactColumn, ContactFieldValues } from '../../platform/db/tables/contact-fields.ts'

/**
 * Fields of a contact to write, by column: undefined keeps the stored value, null clears it. Variables are merged over the
 * stored ones.
 */
export type ContactValues = { [Column in ContactColumn]?: ContactFieldValues[Column] | null }

/** A contact that was looked up by its number. */
export interface FoundContact {
  phoneNumber: string
  /** Null if no contact has the number, or if it was erased while this transaction waited for its lock. */
  id: number | null
  /**
   * True if another transaction has locked the number or the contact, and this one didn't wait. The values can then be out of
   * date.
   */
  isBusy: boolean
  timeZone: string | null
  /** The names of the contact's variables. Null unless they were requested. */
  variableNames: string[] | null
  /** True if the number is on the do-not-call list. */
  isListed: boolean
}

/**
 * Locks numbers until the transaction ends, so that no other transaction can create contacts with these numbers or add the
 * numbers to the do-not-call list. Then locks the contacts that have the numbers, and looks the numbers up in that list.
 *
 * @param options.waits waits for other transactions. Use it only for a single number: several are locked in any order, so
 *   waiting could deadlock.
 */
export async function lockContactsByNumber(
  db: Db,
  workspaceId: number,
  numbers: readonly { phoneNumber: string; withVariables: boolean }[],
  { waits }: { waits: boolean },
): Promise<FoundContact[]> {
  const phoneNumbers = numbers.map(({ phoneNumber }) => phoneNumber)
  const withVariables = numbers.map((number) => number.withVariables)
  const { rows } = await sql<FoundContact>`${prepared}
    select phone_number as "phoneNumber", contact_id as id, is_busy as "isBusy", time_zone as "timeZone",
      variable_names as "variableNames", is_listed as "isListed"
    from lock_contacts(${workspaceId}, ${phoneNumbers}::text[], ${withVariables}::boolean[], ${waits})`.execute(
    db,
  )
  return rows
}

/** Returns when numbers were called. Leaves out numbers that weren't called in the last 30 days. */
export async function findNumberUses(
  db: Db,
  workspaceId: number,
  phoneNumbers: readonly string[],
): Promise<Map<string, NumberUse>> {
  const { rows } = await sql<{ phoneNumber: string; use: NumberUse | null }>`
    select number as "phoneNumber", ${useOf(workspaceId, sql.ref('number'))} as use
    from unnest(${phoneNumbers}::text[]) as number`.execute(db)
  return new Map(rows.flatMap(({ phoneNumber, use }) => (use === null ? [] : [[phoneNumber, use] as const])))
}

/** Returns the numbers of contacts by ID, without those that don't exist or were erased. */
export async function findNumbersOfContacts(
  db: Db,
  workspaceId: number,
  contactIds: readonly number[],
): Promise<Map<number, string>> {
  const rows = await db
    .selectFrom('contact')
    .select(['id', 'phone_number'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sql<number>`any(${contactIds}::bigint[])`)
    .where('erased_at', 'is', null)
    .execute()
  return new Map(rows.map((row) => [row.id, row.phone_number]))
}

/** The values that rules look at: whether a contact agreed to be called, and when its number was called. */
export interface ContactHistory {
  consent: Consent | null
  /** Null if the number wasn't called in the last 30 days. */
  use: NumberUse | null
}

/** Returns the histories of contacts, by contact ID. */
export async function findHistories(
  db: Db,
  workspaceId: number,
  contactIds: readonly number[],
): Promise<Map<number, ContactHistory>> {
  if (contactIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('contact')
    .select(['id', consentOfContact.as('consent'), useOfContact.as('use')])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sql<number>`any(${contactIds}::bigint[])`)
    .modifyFront(prepared)
    .execute()
  return new Map(rows.map(({ id, ...history }) => [id, history]))
}

/** A consent whose kind is known. */
export interface StoredConsent {
  source: string | null
  at: Date | null
  kind: ConsentKind | null
}

/** Returns the consents that have a kind, by the ID of the contact. */
export async function findConsentsWithKind(
  db: Db,
  workspaceId: number,
  contactIds: readonly number[],
): Promise<Map<number, StoredConsent>> {
  const rows = await db
    .selectFrom('contact')
    .select(['id', 'consent_source as source', 'consent_at as at', 'consent_kind as kind'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', sql<number>`any(${contactIds}::bigint[])`)
    .where('consent_kind', 'is not', null)
    .execute()
  return new Map(rows.map(({ id, ...consent }) => [id, consent]))
}

/**
 * Creates contacts with these numbers, or updates the given fields of the existing ones. Locks their rows until the
 * transaction ends, so that concurrent requests for one contact run one after the other. A number may occur only once.
 *
 * @returns the contacts by number
 */
export async function upsertContacts(
  db: Db,
  workspaceId: number,
  contacts: readonly { phone_number: string; changes: ContactValues; changed_by: Actor }[],
  at: Date,
): Promise<Map<string, { id: number; created: boolean }>> {
  if (contacts.length === 0) return new Map()
  const { rows } = await sql<{ id: number; phone_number: string; created: boolean }>`${prepared}
    select contact_id as id, phone_number, created
    from upsert_contacts(
      ${workspaceId}, ${at},
      array(
        select changed from json_populate_recordset(null::contact_values, ${JSON.stringify(contacts)}::json) as changed
      )
    )`.execute(db)
  return new Map(rows.map(({ phone_number: phoneNumber, ...contact }) => [phoneNumber, contact]))
}

/** The time and the actor of a change to a contact. A trigger writes both to the contact's history, with the changed fields. */
interface ChangeOrigin {
  at: Date
  by: Actor
}

/** Replaces all fields of a contact except its number. Returns false if it doesn't exist or was erased. */
export async function replaceContact(
  db: Db,
  workspaceId: number,
  contactId: number,
  values: ContactFieldValues,
  change: ChangeOrigin,
): Promise<boolean> {
  const row = await db
    .updateTable('contact')
    .set({
      ...values,
      variables: JSON.stringify(values.variables),
      updated_at: change.at,
      updated_by: JSON.stringify(change.by),
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', contactId)
    .where('erased_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Saves a note. Locks the contact, so that the note and an erasure wait for each other. Returns false if the contact doesn't
 * exist or was erased.
 */
export const insertNote = async (
  db: Db,
  workspaceId: number,
  note: { contactId: number; callId: number | null; text: string; at: Date },
): Promise<boolean> => {
  const { rows } = await sql`
    with existing as (
      select workspace_id, id from contact
      where workspace_id = ${workspaceId} and id = ${note.contactId} and erased_at is null
      for no key update
    )
    insert into contact_note (workspace_id, contact_id, call_id, text, created_at)
    select workspace_id, id, ${note.callId}::bigint, ${note.text}, ${note.at}::timestamptz from existing
    returning id`.execute(db)
  return rows.length > 0
}

/** Returns the latest notes, newest first. */
export const findNotes = (db: Db, workspaceId: number, contactId: number, limit: number) =>
  db
    .selectFrom('contact_note')
    .select(['text', 'created_at'])
    .where('workspace_id', '=', workspaceId)
    .where('contact_id', '=', contactId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
