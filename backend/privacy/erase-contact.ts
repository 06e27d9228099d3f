import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { eraseChatsNaming, findChatsNaming } from '../calling/chats/erase-chats.ts'
import { eraseAttempts } from '../calling/dialer/erase-attempts.ts'
import { deleteReportsOfCalls } from '../calling/telephony/all-providers.ts'
import type { Deps } from '../deps.ts'
import { hourMs } from '../platform/core/durations.ts'
import { notFound } from '../platform/core/errors.ts'
import { FormError } from '../platform/core/form-errors.ts'
import type { ContactEraser, ContactIdentifiers } from '../platform/db/erasure.ts'
import {
  lockCallsOfContact,
  lockCampaignsOfQueuedCalls,
  lockContactForErasure,
} from '../platform/db/locks.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import { eraseContactFromResponses } from '../platform/idempotency/erase-responses.ts'
import { completeQueuedCalls, publishCompletedCalls } from '../queue/calls/complete-calls.ts'
import { endAnalyses, eraseCalls, eraseDoNotCallReasons } from '../queue/calls/erase-calls.ts'
import {
  eraseChanges,
  eraseChatsOfContact,
  eraseContactRow,
  eraseNotes,
  findIdentifyingData,
} from '../queue/contacts/erase-contact-data.ts'
import { findImportsNaming, queueNameErasure } from '../queue/contacts/import/erase-file-names.ts'
import { eraseImportRows } from '../queue/contacts/import/erase-imports.ts'
import { eraseToolCalls, findToolCallsNaming } from '../tools/mcp/erase-tool-calls.ts'
import { eraseSpreadsheetCells } from '../tools/spreadsheets/erase-cells.ts'
import { eraseCallbackUrls, eraseEvents } from '../webhooks/erase-events.ts'

/**
 * One eraser for every place that stores something about a contact, except import rows, which are locked before the contact. A
 * new table or column that can contain who a person is, or what they said, needs an eraser here; test/privacy/erasers.test.ts
 * fails without it. Erasers of rows that other transactions also lock are in the order of platform/db/locks.ts. Before the
 * erasers run, the contact and its calls are locked, and its call attempts have ended.
 */
const erasers: readonly ContactEraser[] = [
  eraseContactRow,
  eraseAttempts,
  eraseCalls,
  eraseCallbackUrls,
  eraseEvents,
  (db, { workspaceId, callIds }) => deleteReportsOfCalls(db, workspaceId, callIds),
  eraseDoNotCallReasons,
  eraseToolCalls,
  eraseChatsOfContact,
  eraseChatsNaming,
  eraseNotes,
  eraseChanges,
  eraseSpreadsheetCells,
  eraseContactFromResponses,
]

/**
 * Erases a contact. Completes queued calls as canceled, and erases what was said and what identifies the person, wherever it's
 * stored. The calls and how they ended stay, and so does the do-not-call entry, as the hash of a number. Erasing a contact
 * again changes nothing. While a call is in progress, erasing is rejected, because the end of the call is yet to be stored.
 *
 * Anything that arrives late (notes, reports, tool calls, an analysis, another call) waits for the contact's lock, or finds its
 * call completed or its chat deleted, and stores nothing.
 *
 * @throws {ApiError} not_found, validation_failed
 */
export async function eraseContact(
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  contactId: number,
): Promise<void> {
  const found = await findIdentifyingData(deps.db, workspaceId, contactId)
  if (found === undefined) throw notFound('contact')
  if (found.phoneNumber === '') return // already erased
  const identifiers = toIdentifiers(found)
  const person = { ...found, ...identifiers }
  // Subtracts an hour, which is more than the clocks of the processes can differ by.
  const mentionsReadAt = new Date(deps.clock.now().getTime() - hourMs)
  const mentionIds = await findToolCallsNaming(deps.db, workspaceId, identifiers)
  const chatIds = await findChatsNaming(deps.db, workspaceId, identifiers)
  const importsNaming = await findImportsNaming(deps.db, workspaceId, person)
  await inTransaction(deps, async (tx) => {
    await eraseImportRows(tx.db, { workspaceId, ...person })
    await queueNameErasure(tx.db, workspaceId, importsNaming)
    tx.notify.importQueued()
    const contact = await lockContactForErasure(tx.db, workspaceId, contactId)
    if (contact === undefined) throw notFound('contact')
    if (contact.erasedAt !== null) return
    if (contact.phoneNumber !== found.phoneNumber || contact.email !== found.email) throw changedError()
    await lockCampaignsOfQueuedCalls(tx.db, workspaceId, { contactId })
    const calls = await lockCallsOfContact(tx.db, workspaceId, contactId)
    if (calls.some(({ status }) => status === 'dialing' || status === 'in_progress'))
      throw callInProgressError()

    const at = tx.clock.now()
    const callIds = calls.map(({ id }) => id)
    const end = { outcome: 'canceled', endedReason: 'contact_erased', at } as const
    // The events that these two functions write are erased later in this transaction, before anything can send them.
    await completeQueuedCalls(tx, workspaceId, callIds, end)
    await publishCompletedCalls(tx, workspaceId, await endAnalyses(tx.db, workspaceId, callIds), at)
    const toErase = {
      workspaceId,
      contactId,
      callIds,
      mentionIds,
      mentionsReadAt,
      chatIds,
      ...identifiers,
      at,
    }
    for (const erase of erasers) await erase(tx.db, toErase)
  })
}

/** Returns the values that can identify a contact in texts. */
export const toIdentifiers = ({
  phoneNumber,
  email,
}: Pick<ContactIdentifiers, 'phoneNumber' | 'email'>): ContactIdentifiers => ({
  phoneNumber,
  digits: toSearchDigits(phoneNumber),
  email,
})

/**
 * Returns the digits that every spelling of a number has: the national number, or all digits if it's too short to be unique.
 */
function toSearchDigits(phoneNumber: string): string {
  const nationalNumber = parsePhoneNumberFromString(phoneNumber)?.nationalNumber ?? ''
  return nationalNumber.length >= 8 ? nationalNumber : phoneNumber.replace(/\D/g, '')
}

const callInProgressError = () =>
  new FormError(
    'validation_failed',
    'A call to this contact is in progress. Wait until it ends, then erase the contact.',
  )

const changedError = () =>
  new FormError(
    'validation_failed',
    "This contact's phone number or email address was changed meanwhile. Nothing was erased. Try again.",
  )
