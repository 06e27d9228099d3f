import { type AddContact, ContactAdded } from '@outdial/contract'
import { findCall } from '../calls/get-calls.ts'
import { queueCall } from '../calls/queue-call.ts'
import { type CallOrigin, toActor } from '../core/actor.ts'
import type { Caller } from '../core/caller.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { checkScheduledAt } from '../scheduling/local-time.ts'
import { addCallback, prepareCallback } from '../webhooks/callbacks.ts'
import { upsertContactFromInput } from './upsert-contact.ts'

/**
 * Upserts a contact by its phone number and queues a call to it, in one transaction. If the contact already has an
 * open call in this campaign, returns that one, unless `if_already_queued` is `queue`. A `callback_url` is added to the
 * returned call.
 *
 * @param origin what queues the call, if it isn't the caller alone
 * @throws {ApiError} validation_failed, not_found, campaign_archived
 */
export const addContact = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  caller: Caller,
  input: AddContact,
  origin: CallOrigin = toActor(caller),
): Promise<ContactAdded> =>
  inTransaction(deps, async (tx) => {
    const { workspaceId } = caller
    const now = tx.clock.now()
    const scheduledAt = checkScheduledAt(input.scheduled_at ? new Date(input.scheduled_at) : null, now)
    if (input.callback_url) await prepareCallback(tx, caller, input.callback_url)
    const contact = await upsertContactFromInput(tx, workspaceId, {
      input,
      source: 'api',
      actor: toActor(caller),
      now,
    })
    const { callId, queued } = await queueCall(tx, workspaceId, {
      campaignId: input.campaign_id,
      contactId: contact.id,
      now,
      scheduledAt,
      ifAlreadyQueued: input.if_already_queued ?? 'skip',
      test: input.test ?? false,
      metadata: input.metadata ?? {},
      origin,
    })
    if (input.callback_url) await addCallback(tx, caller, { callId, url: input.callback_url })
    const call = await findCall(tx, workspaceId, callId, now)
    if (call === undefined) throw new Error('invariant: queued call not found')

    tx.notify.callQueued()
    tx.notify.deliveryQueued()
    return { contact: call.contact, call, contact_created: contact.created, call_queued: queued }
  })

/**
 * Adds the callback URL of a repeated request to the call that the first one returned.
 *
 * @throws {ApiError} validation_failed
 */
export async function addCallbackOfReplay(
  tx: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  caller: Caller,
  replay: { callbackUrl: string | null | undefined; stored: unknown },
): Promise<void> {
  if (!replay.callbackUrl) return
  const { call } = ContactAdded.parse(replay.stored)
  await prepareCallback(tx, caller, replay.callbackUrl)
  await addCallback(tx, caller, { callId: call.id, url: replay.callbackUrl })
  tx.notify.deliveryQueued()
}
