import { sql } from 'kysely'
import type { Db } from '../../platform/db/schema.ts'
import { apiColumns, contactColumns } from '../../platform/db/tables/contact-fields.ts'
import { isContactOnDoNotCallList } from '../calls/check-do-not-call.ts'

/** Fields that a contact can be looked up by. Several contacts may share an email address or external ID. */
export type ContactLookupField = 'id' | 'phone_number' | 'email' | 'external_id'

export type ContactDetails = Awaited<ReturnType<typeof findContactsBy>>[number]

/** Finds up to `limit` contacts whose `field` has this value, most recently updated first. */
export const findContactsBy = (
  db: Db,
  workspaceId: number,
  field: ContactLookupField,
  value: string | number,
  limit = 1,
) =>
  db
    .selectFrom('contact')
    .select(['id', 'phone_number', ...apiColumns, 'created_at', isContactOnDoNotCallList.as('do_not_call')])
    .where('workspace_id', '=', workspaceId)
    .where('erased_at', 'is', null)
    .where((eb) =>
      field === 'email' ? eb('email_folded', '=', sql<string>`lower(${value})`) : eb(field, '=', value),
    )
    .orderBy('updated_at', 'desc')
    .limit(limit)
    .execute()

export type FullContact = NonNullable<Awaited<ReturnType<typeof findContact>>>

/** Finds a contact with all of its fields, even if it was erased. */
export const findContact = (db: Db, workspaceId: number, contactId: number) =>
  db
    .selectFrom('contact')
    .select(['id', 'phone_number', ...contactColumns, 'created_at', 'updated_at', 'erased_at'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', contactId)
    .executeTakeFirst()
