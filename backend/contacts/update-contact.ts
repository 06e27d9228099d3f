import { recomputeWaiting } from '../calls/reschedule-calls.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import { type ContactFields, requireFewVariables } from './fields.ts'
import { rewriteContact } from './contact-store.ts'

/** All that is known of a contact besides its number. What is missing is cleared. */
export interface WholeContact extends ContactFields {
  consent: { source: string; at: Date } | null
}

/**
 * Writes a contact as a person in the dashboard left it, and moves its waiting calls where its time zone is new.
 *
 * @throws {ApiError} not_found, validation_failed
 */
export const editContact =
  (deps: Deps) =>
  (key: { workspaceId: number; contactId: number }, contact: WholeContact): Promise<void> =>
    inTransaction(deps, async ({ db, clock, wake }) => {
      const { workspaceId, contactId } = key
      const now = clock.now()
      requireFewVariables(contact.variables ?? {})
      const found = await rewriteContact(db, workspaceId, contactId, {
        firstName: contact.first_name ?? null,
        lastName: contact.last_name ?? null,
        email: contact.email ?? null,
        externalId: contact.external_id ?? null,
        timeZone: contact.time_zone ?? null,
        variables: contact.variables ?? {},
        consent: contact.consent,
        at: now,
      })
      if (!found) throw notFound('There is no contact with this id in this workspace.')
      await recomputeWaiting(db, { workspaceId, contactId, now })
      wake.dialer()
    })
