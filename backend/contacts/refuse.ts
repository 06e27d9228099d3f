import type { Deps } from '../deps.ts'
import { invalidField, notFound } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import { addToDoNotCallList } from '../calls/do-not-call.ts'
import { parsePhone } from '../core/phone.ts'
import { lockContact, findWorkspaceCountry } from './contact-store.ts'

/** Whose number: a contact's, or one as a person writes it. */
export type NumberRef = { contactId: number } | { phoneNumber: string }

/**
 * Puts a number on the do-not-call list, for a person in the dashboard: what waits for it ends as suppressed. Where
 * it was there before, the first refusal stands.
 *
 * @returns the number in E.164
 * @throws {ApiError} not_found, validation_failed
 */
export const addNumberToDoNotCallList =
  (deps: Deps) =>
  (workspaceId: number, number: NumberRef, reason: string): Promise<string> =>
    inTransaction(deps, async ({ db, clock, notify }) => {
      const phoneNumber = await resolveNumber({ db }, workspaceId, number)
      await addToDoNotCallList(db, {
        workspaceId,
        phoneNumber,
        source: 'dashboard',
        reason,
        now: clock.now(),
      })
      notify.deliveryQueued()
      return phoneNumber
    })

/** @throws {ApiError} not_found, validation_failed */
export async function resolveNumber(
  { db }: Pick<Deps, 'db'>,
  workspaceId: number,
  number: NumberRef,
): Promise<string> {
  if ('contactId' in number) {
    const contact = await lockContact(db, workspaceId, number.contactId)
    if (contact === undefined) throw notFound('There is no contact with this id in this workspace.')
    return contact.phone_number
  }
  const parsed = parsePhone(number.phoneNumber, await findWorkspaceCountry(db, workspaceId))
  if (!parsed.ok) throw invalidField(parsed.field, parsed.code, parsed.message)
  return parsed.phoneNumber
}
