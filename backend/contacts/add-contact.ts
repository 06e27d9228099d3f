import type { AddContact, ContactAdded } from '@outdial/contract'
import { findCall } from '../calls/get-calls.ts'
import { queueCall } from '../calls/queue-call.ts'
import type { Caller } from '../core/caller.ts'
import { ApiError } from '../core/errors.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import { findTargetUrlIssue } from '../outbound/target-url.ts'
import { checkScheduledAt } from '../scheduling/local-time.ts'
import { upsertContactFromInput } from './upsert-contact.ts'

/**
 * Upserts a contact by its phone number and queues a call to it, in one transaction. If the contact already has an
 * open call in this campaign, returns that one, unless `if_already_queued` is `queue`.
 *
 * @throws {ApiError} validation_failed, not_found, campaign_archived
 */
export const addContact = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  caller: Caller,
  input: AddContact,
): Promise<ContactAdded> =>
  inTransaction(deps, async (tx) => {
    const { workspaceId } = caller
    const now = tx.clock.now()
    const scheduledAt = checkScheduledAt(input.scheduled_at ? new Date(input.scheduled_at) : null, now)
    requireCallbackUrl(tx.config, input.callback_url)
    const contact = await upsertContactFromInput(tx.db, workspaceId, { input, source: 'api', now })
    const { callId, queued } = await queueCall(tx.db, workspaceId, {
      campaignId: input.campaign_id,
      contactId: contact.id,
      now,
      scheduledAt,
      ifAlreadyQueued: input.if_already_queued ?? 'skip',
      test: input.test ?? false,
      metadata: input.metadata ?? {},
      callbackUrl: input.callback_url ?? null,
    })
    const call = await findCall(tx.db, workspaceId, callId, now)
    if (call === undefined) throw new Error('invariant: queued call not found')

    tx.notify.callQueued()
    tx.notify.deliveryQueued()
    return { contact: call.contact, call, contact_created: contact.created, call_queued: queued }
  })

function requireCallbackUrl(config: Deps['config'], url: string | null | undefined): void {
  if (url === null || url === undefined) return
  const issue = findTargetUrlIssue(config, url)
  if (issue === undefined) return
  const details = [{ field: 'callback_url', code: 'invalid_target_url', message: issue }]
  throw new ApiError('validation_failed', { details })
}
