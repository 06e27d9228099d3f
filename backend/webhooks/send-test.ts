import { CallCompletedEvent } from '@outdial/contract'
import type { Deps } from '../deps.ts'
import { ApiError, notFound } from '../core/errors.ts'
import { randomToken } from '../secrets/secret-box.ts'
import { inTransaction } from '../db/transaction.ts'
import { findSubscription } from './subscription-store.ts'
import { sampleCall, sampleId } from './send-test-event.ts'
import { findSampleCampaign, insertTestDelivery } from './test-store.ts'

/**
 * Sends a made-up `call.completed` to one subscription, through the same outbox and sender as every other event.
 * A receiver tells it by `data.test` and by its id, which begins with `evt_test_`. It counts like any event: a
 * success ends the time of failing, and 410 removes the subscription. Answers the delivery's id.
 * @throws {ApiError} not_found, and validation_failed where the subscription is disabled: nothing is sent there
 */
export const sendTestEvent =
  (deps: Deps) =>
  (workspaceId: number, id: number): Promise<number> =>
    inTransaction(deps, async ({ db, clock, notify }) => {
      const subscription = await findSubscription(db, workspaceId, id)
      if (subscription === undefined) throw notFound('There is no such webhook subscription.')
      if (subscription.disabled_at !== null) throw subscriptionDisabledError()
      const { filter } = subscription
      const at = clock.now()
      const sample = await findSampleCampaign(db, workspaceId, filter)
      const event = CallCompletedEvent.parse({
        id: `evt_test_${randomToken(18)}`,
        type: 'call.completed',
        timestamp: at.toISOString(),
        workspace_id: workspaceId,
        data: sampleCall({
          campaign: sample?.campaign ?? { id: filter.campaign_id ?? sampleId, name: 'Website leads' },
          agent: sample?.agent ?? { id: filter.agent_id ?? sampleId, name: 'Ava' },
          outcome:
            filter.outcome?.includes('answered') === false ? (filter.outcome[0] ?? 'answered') : 'answered',
          at,
        }),
      })
      const deliveryId = await insertTestDelivery(db, workspaceId, { event, subscriptionId: id, at })
      if (deliveryId === undefined) throw notFound('There is no such webhook subscription.')
      notify.deliveryQueued()
      return deliveryId
    })

const subscriptionDisabledError = () =>
  new ApiError(
    'validation_failed',
    'This subscription is disabled, so nothing is sent to it. Enable it, then send the test event.',
  )
