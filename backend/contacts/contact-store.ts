import { sql, type Updateable } from 'kysely'
import type { Actor } from '../core/actor.ts'
import type { Database, Db } from '../db/schema.ts'

/** Fields of a contact to write: undefined keeps the stored value, null clears it. */
export interface ContactValues {
  firstName?: string | null
  lastName?: string | null
  email?: string | null
  externalId?: string | null
  timeZone?: string | null
  /** Merged over the stored ones. */
  variables?: Record<string, string> | null
  consent?: { source: string; at: Date } | null
}

/** When a contact is changed and by whom. A trigger writes it to the contact's history, with the changed fields. */
interface ContactChange {
  at: Date
  by: Actor
}

/**
 * Creates the contact with this number, or updates the given fields of the existing one. Locks its row until the
 * transaction ends, so that concurrent requests for one contact run one after the other.
 */
export async function upsertContactRow(
  db: Db,
  workspaceId: number,
  phoneNumber: string,
  values: ContactValues,
  change: ContactChange,
): Promise<{ id: number; created: boolean; variables: Record<string, string> }> {
  const columns = withoutUndefined({
    first_name: values.firstName,
    last_name: values.lastName,
    email: values.email,
    external_id: values.externalId,
    time_zone: values.timeZone,
    consent_source: values.consent && values.consent.source,
    consent_at: values.consent && values.consent.at,
  })
  const variables = values.variables === undefined ? undefined : JSON.stringify(values.variables ?? {})
  const changes: Updateable<Database['contact']> = {
    ...columns,
    ...((variables !== undefined || Object.keys(columns).length > 0) && {
      updated_at: change.at,
      updated_by: JSON.stringify(change.by),
    }),
  }
  return (
    db
      .insertInto('contact')
      .values({
        workspace_id: workspaceId,
        phone_number: phoneNumber,
        ...columns,
        variables,
        created_at: change.at,
        updated_at: change.at,
        updated_by: JSON.stringify(change.by),
      })
      .onConflict((conflict) =>
        conflict
          .columns(['workspace_id', 'phone_number'])
          .where('erased_at', 'is', null)
          .doUpdateSet((eb) => ({
            // If no field is given, this takes the lock.
            phone_number: eb.ref('excluded.phone_number'),
            ...changes,
            ...(variables !== undefined && {
              variables:
                values.variables === null
                  ? sql<string>`'{}'::jsonb`
                  : sql<string>`contact.variables || excluded.variables`,
            }),
          })),
      )
      // xmax is 0 in a row that was inserted and never locked or updated.
      .returning(['id', 'variables', sql<boolean>`xmax = 0`.as('created')])
      .executeTakeFirstOrThrow()
  )
}

/** Replaces all fields of a contact except its number. Returns false if it doesn't exist or was erased. */
export async function replaceContact(
  db: Db,
  workspaceId: number,
  contactId: number,
  values: Required<ContactValues> & ContactChange,
): Promise<boolean> {
  const row = await db
    .updateTable('contact')
    .set({
      first_name: values.firstName,
      last_name: values.lastName,
      email: values.email,
      external_id: values.externalId,
      time_zone: values.timeZone,
      variables: JSON.stringify(values.variables ?? {}),
      consent_source: values.consent && values.consent.source,
      consent_at: values.consent && values.consent.at,
      updated_at: values.at,
      updated_by: JSON.stringify(values.by),
    })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', contactId)
    .where('erased_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

const withoutUndefined = <Row extends object>(row: Row): Partial<Row> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined)) as Partial<Row>

/**
 * Saves a note. Returns false if the contact doesn't exist or was erased: the contact's lock and erasure wait for each
 * other.
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
