import * as z from 'zod'
import { Call, CallOutcome, TestCalls } from './call.ts'
import { filterTexts, subscriptionTexts } from './field-texts.ts'
import { boundedText, describeFields, Id, Timestamp } from './primitives.ts'

export const EventType = z.enum(['call.completed'])
export type EventType = z.infer<typeof EventType>

/**
 * The calls that a subscription receives. The filter is normalized: outcomes are sorted and unique; null means all.
 * `goal_met`, `opted_out`, and `test` are left out if they select all calls, so that subscriptions from before these
 * fields existed have the same filter.
 */
export const WebhookFilter = z
  .object(
    describeFields(
      {
        campaign_id: Id.nullable(),
        agent_id: Id.nullable(),
        outcome: z.array(CallOutcome).nullable(),
        goal_met: z.boolean().optional(),
        opted_out: z.literal(true).optional(),
        test: TestCalls.exclude(['include']).optional(),
      },
      filterTexts,
    ),
  )
  .meta({ id: 'WebhookFilter' })
export type WebhookFilter = z.infer<typeof WebhookFilter>

/** Body of `POST /webhooks/subscribe`. */
export const SubscribeWebhook = z
  .strictObject(
    describeFields(
      {
        target_url: boundedText(2000).check(z.url()),
        event: EventType,
        filter: z
          .strictObject(
            describeFields(
              {
                campaign_id: Id.nullish(),
                agent_id: Id.nullish(),
                outcome: z.array(CallOutcome).max(9).nullish(),
                goal_met: z.boolean().nullish(),
                opted_out: z.literal(true).nullish(),
                test: TestCalls.nullish(),
              },
              filterTexts,
            ),
          )
          .nullish(),
      },
      subscriptionTexts,
    ),
  )
  .meta({ id: 'SubscribeWebhook' })
export type SubscribeWebhook = z.infer<typeof SubscribeWebhook>

/** Response to `POST /webhooks/subscribe`: 201, or 200 with the existing subscription. `secret` verifies the signatures. */
export const WebhookSubscription = z
  .object(
    describeFields(
      {
        id: Id,
        target_url: z.url(),
        event: EventType,
        filter: WebhookFilter,
        secret: z.string().regex(/^whsec_/),
        created_at: Timestamp,
      },
      subscriptionTexts,
    ),
  )
  .meta({ id: 'WebhookSubscription' })
export type WebhookSubscription = z.infer<typeof WebhookSubscription>

/** Body of a delivery, signed as in Standard Webhooks 1.0. Sent at least once, unordered; retries have the same `id`. */
export const CallCompletedEvent = z
  .object({
    id: z.string().regex(/^evt_/),
    type: z.literal('call.completed'),
    timestamp: Timestamp,
    workspace_id: Id,
    data: Call,
  })
  .meta({ id: 'CallCompletedEvent' })
export type CallCompletedEvent = z.infer<typeof CallCompletedEvent>
