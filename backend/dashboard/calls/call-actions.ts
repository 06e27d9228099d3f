import * as z from 'zod'
import { cancelCall } from '../../calls/cancel-call.ts'
import { getCall } from '../../calls/get.ts'
import { addContact } from '../../contacts/add-contact.ts'
import type { Deps } from '../../deps.ts'
import { ApiError, invalidField, notFound } from '../../core/errors.ts'
import { isDeliveryOfCall } from './call-queries.ts'
import { replayDeliveries } from '../../webhooks/replay.ts'
import { act, none } from '../page/page-route.ts'
import { done } from '../view.ts'
import { pathTo, type Visit } from '../visit.ts'

const back = (visit: Visit) => pathTo(visit, `/calls/${visit.id}`)

export const cancel = act({
  path: '/calls/:id/cancel',
  form: none,
  act: async (own, visit) => {
    const canceled = await cancelCall(own)({ workspaceId: visit.workspace.id, callId: visit.id })
    const late = 'It was too late to cancel this call: it does not wait any more.'
    return done(back(visit), canceled ? 'The call was canceled.' : late)
  },
  back,
})

/** The same person, campaign and metadata once more. The fields of the contact are as they are now. */
export const queueAgain = act({
  path: '/calls/:id/queue-again',
  form: none,
  act: async (own, visit) => {
    const call = await getCall(own)(visit.caller, visit.id)
    if (call.contact.do_not_call) throw refused()
    if (call.contact.phone_number === '') throw erased()
    const added = await addContact(own)(visit.caller, {
      phone_number: call.contact.phone_number,
      campaign_id: call.campaign_id,
      test: call.test,
      metadata: call.metadata,
    })
    const message = added.call_queued
      ? 'The call was queued.'
      : 'Nothing was queued: this call to the same person in the same campaign is still open.'
    return done(pathTo(visit, `/calls/${added.call.id}`), message)
  },
  back,
})

const refused = () =>
  new ApiError(
    'validation_failed',
    'This person asked not to be called: the number is on the do-not-call list.',
  )

const erased = () =>
  new ApiError('validation_failed', 'This contact was erased: there is no number left to call.')

const Replay = z.object({ delivery_id: z.coerce.number().int().positive() })

export const replay = act({
  path: '/calls/:id/replay',
  form: Replay,
  act: async (own: Deps, visit, { delivery_id: deliveryId }) => {
    const workspaceId = visit.workspace.id
    const isOwn = await isDeliveryOfCall(own.db, workspaceId, { deliveryId, callId: visit.id })
    if (!isOwn) throw notFound('There is no such delivery of this call.')
    const revived = await replayDeliveries(own)(workspaceId, { deliveryId })
    if (revived > 0) return done(back(visit), 'The event is sent again.')
    const message = 'It cannot be sent again: it is not given up, or its subscription is disabled.'
    throw invalidField('delivery_id', 'not_dead', message)
  },
  back,
})
