import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { toActor } from '../../platform/core/actor.ts'
import { FormError, invalidField } from '../../platform/core/form-errors.ts'
import { cancelCall } from '../../queue/calls/cancel-call.ts'
import { getCall } from '../../queue/calls/get-calls.ts'
import { queueCall } from '../../queue/contacts/add-contacts.ts'
import { describeMissingValues } from '../../queue/contacts/missing-values.ts'
import { replayDeliveries } from '../../webhooks/outbox.ts'
import { alreadyOpenMessage } from '../contacts/call-contact-pages.ts'
import { defineAction, noInput, redirectTo } from '../page/define-page.ts'
import { IdParams, type IdPathContext, pathTo } from '../page/page-context.ts'
import { formatQueued, joinSentences } from '../page/queued-message.ts'
import { isDeliveryOfCall } from '../stories/call-queries.ts'

const callPath = (context: IdPathContext) => pathTo(context, `/calls/${context.params.id}`)

export const cancelCallAction = defineAction({
  params: IdParams,
  form: noInput,
  run: async (tx, context) => {
    const canceled = await cancelCall(tx, context.caller, context.params.id)
    const tooLateMessage =
      "This call can't be canceled because it's no longer waiting. See its status on this page."
    return redirectTo(callPath(context), canceled ? 'Call canceled.' : tooLateMessage)
  },
  back: callPath,
})

/** Queues a call with the same contact, campaign, and metadata. Uses the contact's current details. */
export const queueCallAgainAction = defineAction({
  params: IdParams,
  // The form contains `despite_limit` if the page said that the number was called as often as allowed.
  form: z.object({ despite_limit: z.literal('yes').optional() }),
  run: async (tx, context, { despite_limit: despiteLimit }) => {
    const call = await getCall(tx, context.caller, context.params.id)
    if (call.to_number === '') throw erasedError()
    const { caller } = context
    const again = {
      campaignId: call.campaign_id,
      scheduledAt: null,
      ifOpen: 'skip',
      ifListed: 'reject',
      test: call.test,
      metadata: call.metadata,
      isExempt: despiteLimit === 'yes',
      origin: { kind: 'call_again', id: caller.userId, call_id: call.id },
    } as const
    const { id, queued } = await queueCall(tx, caller.workspaceId, call.contact.id, {
      call: again,
      actor: toActor(caller),
    })
    const to = pathTo(context, `/calls/${id}`)
    if (!queued) return redirectTo(to, alreadyOpenMessage)
    const request = { contactId: call.contact.id, campaignId: call.campaign_id }
    const missing = await describeMissingValues(tx, caller.workspaceId, request)
    return redirectTo(to, joinSentences(await formatQueued(tx, context.workspace, id), missing))
  },
  back: callPath,
})

const erasedError = () =>
  new FormError(
    'validation_failed',
    'This contact was erased, so there is no phone number to call. If this person agrees to be called, add the contact again.',
  )

const ReplayFields = z.object({ delivery_id: z.coerce.number().int().positive() })

export const replayDeliveryOfCallAction = defineAction({
  params: IdParams,
  form: ReplayFields,
  run: async (tx: Pick<Deps, 'db' | 'clock' | 'notify'>, context, { delivery_id: deliveryId }) => {
    const workspaceId = context.workspace.id
    const isOfCall = await isDeliveryOfCall(tx.db, workspaceId, { deliveryId, callId: context.params.id })
    if (!isOfCall)
      throw new FormError('not_found', "This delivery doesn't belong to this call. Reload the page.")
    const replayed = await replayDeliveries(tx, workspaceId, { deliveryId })
    if (replayed > 0) return redirectTo(callPath(context), 'Sending 1 delivery again.')
    const message =
      "This delivery can't be sent again. It was already delivered, it still has retries left, or its subscription is disabled. Reload the page to see its status. If the subscription is disabled, enable it, then send the delivery again."
    throw invalidField('delivery_id', 'not_exhausted', message)
  },
  back: callPath,
})
