import { findChatsNaming } from '../calling/chats/erase-chats.ts'
import type { Db } from '../platform/db/schema.ts'
import { formatPlural } from '../platform/views/format.ts'
import { findToolCallsNaming } from '../tools/mcp/erase-tool-calls.ts'
import { toIdentifiers } from './erase-contact.ts'
import { selectStoredData, type StoredData } from './stored-data-store.ts'

export type { StoredData } from './stored-data-store.ts'

/** Counts what erasing a contact erases. */
export async function countStoredData(
  db: Db,
  workspaceId: number,
  contact: { id: number; phone_number: string; email: string | null },
): Promise<StoredData> {
  const identifiers = toIdentifiers({ phoneNumber: contact.phone_number, email: contact.email })
  const mentionIds = await findToolCallsNaming(db, workspaceId, identifiers)
  const chatIds = await findChatsNaming(db, workspaceId, identifiers)
  return selectStoredData(db, workspaceId, { contactId: contact.id, identifiers, mentionIds, chatIds })
}

/** Says what erasing a contact does, with exact counts. */
export const describeErasure = (stored: StoredData): string[] =>
  [
    "This permanently deletes the contact's name, phone number, and all other details. You can't undo this.",
    formatStored(stored) && `It also deletes ${formatStored(stored)}.`,
    stored.waitingCalls > 0 ? `${formatPlural(stored.waitingCalls, 'waiting call')} will be canceled.` : '',
  ].filter(Boolean)

const listFormat = new Intl.ListFormat('en-US')

/** Lists what else is erased, with counts: "the conversations of 2 calls and 1 note". Empty if there's nothing. */
const formatStored = (stored: StoredData): string =>
  listFormat.format(
    [
      stored.calls > 0 ? `the conversations of ${formatPlural(stored.calls, 'call')}` : '',
      stored.toolCalls > 0 ? formatPlural(stored.toolCalls, 'tool call') : '',
      stored.chats > 0 ? formatPlural(stored.chats, 'chat with an agent', 'chats with agents') : '',
      stored.notes > 0 ? formatPlural(stored.notes, 'note') : '',
      stored.changes > 0 ? `the values of ${formatPlural(stored.changes, 'change')} in the history` : '',
      stored.spreadsheetRows > 0
        ? `the matching cells of ${formatPlural(stored.spreadsheetRows, 'spreadsheet row')}`
        : '',
    ].filter(Boolean),
  )
