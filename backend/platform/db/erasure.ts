import { type RawBuilder, sql } from 'kysely'
import type { Db } from './schema.ts'

/** Data that identifies a contact in free text. */
export interface ContactIdentifiers {
  /** E.164. */
  phoneNumber: string
  /** The digits that the number contains in every format. */
  digits: string
  email: string | null
}

/** The texts in a file's name that can identify a contact. */
export interface PersonNames extends ContactIdentifiers {
  externalId: string | null
  firstName: string | null
  lastName: string | null
}

/** A contact that is being erased. The rows of the contact and of its calls are locked. */
interface ContactToErase extends ContactIdentifiers {
  workspaceId: number
  contactId: number
  callIds: readonly number[]
  /** Tool calls, of any call, that mention the contact. They were read before the transaction began. */
  mentionIds: readonly number[]
  /** Calls that ended and chats that changed after this time must be read again. */
  mentionsReadAt: Date
  /** Chats that mention the contact. They were read before the transaction began. */
  chatIds: readonly string[]
  at: Date
}

/** Erases what one module stores about a contact. privacy/erase-contact.ts calls all of them in one transaction. */
export type ContactEraser = (db: Db, contact: ContactToErase) => Promise<void>

/** Checks in SQL if a text contains the phone number, in any format, or the email address. */
export const containsIdentifier = (
  text: RawBuilder<unknown>,
  { digits, email }: ContactIdentifiers,
) => sql<boolean>`(
  strpos(regexp_replace(${text}, '\\D+', '', 'g'), ${digits}) > 0
  or coalesce(strpos(lower(${text}), lower(${email})) > 0, false)
)`
