import { type RawBuilder, sql } from 'kysely'
import type { Db } from './schema.ts'

/** Data that identifies a contact in free text. */
export interface ContactIdentifiers {
  /** E.164. */
  phoneNumber: string
  /** The digits that the number contains in every format: the national number, unless that's too short to be unique. */
  digits: string
  email: string | null
}

/** Texts that can identify a contact if they're part of a file's name. */
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
  /** IDs of tool calls, in any call, that mention the contact. They were found before the transaction began. */
  mentionIds: readonly number[]
  /** Calls that ended and chats that changed after this time must be searched again for mentions of the contact. */
  mentionsReadAt: Date
  /** IDs of chats that mention the contact. They were found before the transaction began. */
  chatIds: readonly string[]
  at: Date
}

/** Erases what one module stores about a contact. privacy/erase-contact.ts calls all erasers in one transaction. */
export type ContactEraser = (db: Db, contact: ContactToErase) => Promise<void>

/** Checks in SQL if a text contains the phone number, in any format, or the email address. */
export const containsIdentifier = (
  text: RawBuilder<unknown>,
  { digits, email }: ContactIdentifiers,
) => sql<boolean>`(
  strpos(regexp_replace(${text}, '\\D+', '', 'g'), ${digits}) > 0
  or coalesce(strpos(lower(${text}), lower(${email})) > 0, false)
)`
