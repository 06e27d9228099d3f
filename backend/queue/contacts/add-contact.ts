import type { AddContact } from '@outdial/contract'
import type { Deps } from '../../deps.ts'
import { toActor } from '../../platform/core/actor.ts'
import type { Caller } from '../../platform/core/caller.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { checkCallbackUrl } from '../../webhooks/callbacks.ts'
import { normalizeNumber, normalizeNumbers } from '../calls/resolve-number.ts'
import { checkScheduledAt } from '../scheduling/local-time.ts'
import { addContactAlone } from './add-contacts.ts'
import type { Added, Addition } from './add-request.ts'
import { type ContactInput, toContactChanges } from './contact-input.ts'

/** The body of `POST /contacts/`, or only the fields of its contact. */
type AddContactInput = ContactInput & Partial<AddContact>

/**
 * Upserts a contact by its phone number and queues a call to it if a campaign is given, for a form of the dashboard.
 *
 * @throws {ApiError} validation_failed, not_found, campaign_archived
 */
export const addContact = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  caller: Caller,
  input: AddContactInput,
): Promise<Added> =>
  inTransaction(deps, async (tx) =>
    addContactAlone(tx, caller.workspaceId, await toAddition(tx, caller, input)),
  )

/**
 * Converts a request to what it adds, with numbers in E.164. With `do_not_call`, the request can have several numbers: the
 * first is the contact's, and all are added to the do-not-call list.
 *
 * @throws {ApiError} validation_failed
 */
export async function toAddition(
  { config, db, clock }: Pick<Deps, 'config' | 'db' | 'clock'>,
  caller: Caller,
  input: AddContactInput,
): Promise<Addition> {
  const { phone_number: written, country, campaign_id: campaignId } = input
  const now = clock.now()
  const scheduledAt = checkScheduledAt(input.scheduled_at ? new Date(input.scheduled_at) : null, now)
  if (input.callback_url) checkCallbackUrl(config, input.callback_url)
  const actor = toActor(caller)
  const { workspaceId } = caller
  const number = { phoneNumber: written, country }
  const doNotCallNumbers: readonly string[] =
    input.do_not_call === true ? await normalizeNumbers(db, workspaceId, number) : []
  const phoneNumber = doNotCallNumbers[0] ?? (await normalizeNumber(db, workspaceId, number))
  const contact = toContactChanges(input, phoneNumber, actor, now)
  const call = {
    scheduledAt,
    ifOpen: input.if_already_queued ?? 'skip',
    ifListed: 'suppress',
    test: input.test ?? false,
    metadata: input.metadata ?? {},
    origin: actor,
  } as const
  return {
    ...contact,
    contact: { phoneNumber },
    doNotCallNumbers,
    call: campaignId === undefined ? null : { campaignId, ...call },
  }
}
