import {
  type Call,
  CallCompletedEvent,
  type CallOutcome,
  type EndedReason,
  exampleCall,
  type WebhookFilter,
} from '@outdial/contract'
import type { Deps } from '../deps.ts'
import { secondMs } from '../platform/core/durations.ts'
import { ApiError, notFound } from '../platform/core/errors.ts'
import { callPageUrl } from '../platform/core/page-urls.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import { randomToken } from '../platform/secrets/tokens.ts'
import { findSampleCampaign, insertTestDelivery } from './outbox-store.ts'
import { findSubscription } from './subscription-store.ts'

/** No call or contact has this ID, and it fits into 32-bit integers, which receivers' databases may use. */
const sampleId = 2_147_483_647

const endedReasons: Record<CallOutcome, EndedReason> = {
  answered: 'agent_hung_up',
  voicemail: 'voicemail_reached',
  no_answer: 'ring_timeout',
  busy: 'line_busy',
  declined: 'contact_declined',
  failed: 'line_failed',
  suppressed: 'do_not_call',
  expired: 'not_attempted_in_time',
  canceled: 'canceled_by_user',
}

const outcomesWithoutAttempt = new Set<CallOutcome>(['suppressed', 'expired', 'canceled'])

/** Values that make a sample pass the filter of its subscription. */
interface SampleCall {
  campaign: { id: number; name: string }
  agent: { id: number; name: string }
  outcome: CallOutcome
  goalMet: boolean | undefined
  optedOut: boolean
  url: string
  at: Date
}

/**
 * Returns a sample call with `test` set. No real call or contact has the sample's IDs, so that a receiver that looks up records
 * by ID doesn't overwrite a real record.
 */
function sampleCall({ campaign, agent, outcome, goalMet, optedOut, url, at }: SampleCall): Call {
  const secondsBefore = (seconds: number) => new Date(at.getTime() - seconds * secondMs).toISOString()
  const call: Call = {
    ...exampleCall,
    id: sampleId,
    test: true,
    outcome,
    ended_reason: endedReasons[outcome],
    opted_out: optedOut,
    campaign_id: campaign.id,
    campaign_name: campaign.name,
    agent_id: agent.id,
    agent_name: agent.name,
    agent_version: null,
    contact: {
      ...exampleCall.contact,
      id: sampleId,
      external_id: null,
      created_at: secondsBefore(90),
      updated_at: secondsBefore(90),
    },
    attempts: outcomesWithoutAttempt.has(outcome) ? 0 : 1,
    url,
    queued_at: secondsBefore(90),
    answered_at: secondsBefore(66),
    ended_at: at.toISOString(),
    transcript: exampleCall.transcript.map((turn, index) => ({
      ...turn,
      at: secondsBefore(60 - 10 * index),
    })),
  }
  const sample = outcome === 'answered' ? call : withoutConversation(call)
  return goalMet === undefined ? sample : { ...sample, goal_met: goalMet }
}

const withoutConversation = (call: Call): Call => ({
  ...call,
  answered_at: null,
  duration_seconds: null,
  summary: null,
  transcript: [],
  transcript_text: null,
  sentiment: 'unknown',
  goal_met: null,
  extracted: {},
})

/** Values that replace the example values of a sample call, such as those of a chat. The outcome is then always `answered`. */
export type SampleCallValues = Partial<Omit<Call, 'id' | 'test' | 'contact'>> & {
  contact: Pick<Call['contact'], 'first_name' | 'last_name' | 'variables'>
}

/** Returns a sample `call.completed`. A receiver recognizes it by `data.test` and its ID, which starts with `evt_test_`. */
export async function createTestEvent(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  workspaceId: number,
  { filter, at, values }: { filter: WebhookFilter; at: Date; values: SampleCallValues | undefined },
): Promise<CallCompletedEvent> {
  const sample = await findSampleCampaign(db, workspaceId, filter)
  const isAnswered = values !== undefined || filter.outcome?.includes('answered') !== false
  const call = sampleCall({
    campaign: sample?.campaign ?? { id: filter.campaign_id ?? sampleId, name: 'Website leads' },
    agent: sample?.agent ?? { id: filter.agent_id ?? sampleId, name: 'Ava' },
    outcome: isAnswered ? 'answered' : (filter.outcome?.[0] ?? 'answered'),
    goalMet: filter.goal_met,
    optedOut: filter.opted_out === true,
    url: callPageUrl(config, workspaceId, sampleId),
    at,
  })
  return CallCompletedEvent.parse({
    id: `evt_test_${randomToken(18)}`,
    type: 'call.completed',
    timestamp: at.toISOString(),
    workspace_id: workspaceId,
    data:
      values === undefined ? call : { ...call, ...values, contact: { ...call.contact, ...values.contact } },
  })
}

/**
 * Sends a sample `call.completed` to one subscription, through the same outbox and sender as every other event. The event gets
 * a single attempt, and isn't retried or replayed. The response only appears on the delivery's page: it neither resets nor adds
 * to the subscription's failures, and 410 doesn't remove the subscription. If the worker dies during the attempt, another
 * worker sends the event again.
 *
 * @param values replacements for the example values; by default, none
 * @returns the ID of the delivery
 * @throws {ApiError} not_found, or validation_failed if the subscription is disabled
 */
export const sendTestEvent = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  workspaceId: number,
  id: number,
  values?: SampleCallValues,
): Promise<number> =>
  inTransaction(deps, async (tx) => {
    const subscription = await findSubscription(tx.db, workspaceId, id)
    if (subscription === undefined) throw subscriptionNotFound()
    if (subscription.disabled_at !== null) throw subscriptionDisabledError()
    const at = tx.clock.now()
    const event = await createTestEvent(tx, workspaceId, { filter: subscription.filter, at, values })
    const deliveryId = await insertTestDelivery(tx.db, workspaceId, { event, subscriptionId: id, at })
    if (deliveryId === undefined) throw subscriptionNotFound()
    tx.notify.deliveryQueued()
    return deliveryId
  })

const subscriptionNotFound = () => notFound('webhook subscription')

const subscriptionDisabledError = () => new ApiError('validation_failed.subscription_disabled')
