import { type Call, CallCompletedEvent, type Contact, ContactAdded } from '@outdial/contract'
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { completeQueuedCalls, publishCompletedCalls } from '../calls/complete-calls.ts'
import { ApiError, notFound } from '../core/errors.ts'
import { lockCallsOfContact, lockContactForErasure } from '../db/locks.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import {
  clearAttempts,
  clearCalls,
  clearCells,
  clearContact,
  clearDoNotCallReasons,
  clearToolCalls,
  deleteImportRows,
  deleteNotes,
  endAnalyses,
  eraseCallbackUrls,
  failUnreadImports,
  findContactForErasure,
  findEventsOfCalls,
  findIdempotentResponses,
  rewriteEvents,
  rewriteIdempotentResponses,
} from './erase-store.ts'

/**
 * Erases a person: what waits is completed as canceled, and nothing that is kept tells any more who it was. That calls
 * were made, and how they ended, stays; a refusal to be called stays, as the hash of a number. Doing it again changes
 * nothing. A call that rings or talks is refused: what would be said in it is still to be written.
 *
 * Locks in the order rows of imports, contact, calls, as everything does. Whatever comes late (notes, reports, tool records, an
 * analysis, another call) takes the contact's key-share lock or finds its call settled: it waits, and finds nobody.
 *
 * @throws {ApiError} not_found, validation_failed
 */
export const eraseContact = (
  deps: Deps,
  contactKey: { workspaceId: number; contactId: number },
): Promise<void> =>
  inTransaction(deps, async ({ db, clock, notify }) => {
    const { workspaceId, contactId } = contactKey
    const now = clock.now()
    const found = await findContactForErasure(db, workspaceId, contactId)
    if (found !== undefined && found.phone_number !== '') {
      await failUnreadImports(db, workspaceId, now)
      await deleteImportRows(db, workspaceId, toIdentifiers(found))
    }
    const contact = await lockContactForErasure(db, workspaceId, contactId)
    if (contact === undefined) throw notFound('There is no contact with this id in this workspace.')
    if (contact.erased_at !== null) return
    const calls = await lockCallsOfContact(db, workspaceId, contactId)
    if (calls.some(({ status }) => status === 'dialing' || status === 'in_progress'))
      throw callInProgressError()

    const callIds = calls.map(({ id }) => id)
    const { phone_number: phoneNumber } = contact
    const end = { outcome: 'canceled', endedReason: 'contact_erased', at: now } as const
    const identifiers = toIdentifiers(contact)
    // The events that are owed are rewritten with all others, before anybody sees them.
    await completeQueuedCalls(db, workspaceId, callIds, end)
    const analyzing = await endAnalyses(db, workspaceId, callIds)
    await publishCompletedCalls(db, workspaceId, analyzing, now)
    await clearDoNotCallReasons(db, workspaceId, phoneNumber)
    await clearContact(db, workspaceId, contactId, now)
    await clearCalls(db, workspaceId, callIds, now)
    await eraseCallbackUrls(db, workspaceId, callIds)
    await clearAttempts(db, workspaceId, callIds)
    await clearToolCalls(db, workspaceId, callIds, identifiers)
    await deleteNotes(db, workspaceId, contactId)
    await clearCells(db, workspaceId, identifiers)
    const events = await findEventsOfCalls(db, workspaceId, callIds)
    await rewriteEvents(db, workspaceId, new Map(events.map(({ id, body }) => [id, toErasedBody(body)])))
    const responses = await findIdempotentResponses(db, workspaceId, contactId)
    await rewriteIdempotentResponses(
      db,
      workspaceId,
      responses.map(({ scopeHash, body }) => ({
        scopeHash,
        body: toErasedResponse(ContactAdded.parse(body)),
      })),
    )
    notify.deliveryQueued()
  })

const toIdentifiers = ({ phone_number: number, email }: { phone_number: string; email: string | null }) => ({
  number,
  digits: toSearchDigits(number),
  email,
})

const callInProgressError = () =>
  new ApiError(
    'validation_failed',
    'A call to this person is under way: erase the contact when it has ended.',
  )

const toErasedBody = (body: string): string =>
  JSON.stringify(toErasedEvent(CallCompletedEvent.parse(JSON.parse(body))))

/** The digits by which a number is known in whatever spelling: those inside its country, where they are enough. */
function toSearchDigits(phoneNumber: string): string {
  const nationalNumber = parsePhoneNumberFromString(phoneNumber)?.nationalNumber ?? ''
  return nationalNumber.length >= 8 ? nationalNumber : phoneNumber.replace(/\D/g, '')
}

/** A contact of which nothing tells any more who it was. Whether it may be called is still told. */
export const toErasedContact = (contact: Contact): Contact => ({
  ...contact,
  phone_number: '',
  first_name: null,
  last_name: null,
  email: null,
  external_id: null,
  time_zone: null,
  variables: {},
  consent: null,
})

/** A call without who was called and what was said: that it was, when, and how it ended. */
export const toErasedCall = (call: Call): Call => ({
  ...call,
  contact: toErasedContact(call.contact),
  to_number: '',
  summary: null,
  transcript: [],
  transcript_text: null,
  extracted: {},
  recording_url: null,
  metadata: {},
})

export const toErasedEvent = (event: CallCompletedEvent): CallCompletedEvent => ({
  ...event,
  data: toErasedCall(event.data),
})

export const toErasedResponse = (response: ContactAdded): ContactAdded => ({
  ...response,
  contact: toErasedContact(response.contact),
  call: toErasedCall(response.call),
})
