import type { Call } from '@outdial/contract'
import type { Db } from '../../platform/db/schema.ts'
import type { UnmatchedSubscription } from '../../platform/db/tables/webhook-tables.ts'
import { deliveryBadge } from '../../platform/views/badges.ts'
import {
  formatCount,
  formatMilliseconds,
  formatPlural,
  type TimeFormats,
} from '../../platform/views/format.ts'
import {
  type findEventOfCall,
  maxShownDeliveries,
  selectAttemptsOfEvent,
  selectDeliveriesOfEvent,
} from './call-queries.ts'
import { type Step, step } from './story.ts'

type Event = NonNullable<Awaited<ReturnType<typeof findEventOfCall>>>
type Delivery = Awaited<ReturnType<typeof selectDeliveriesOfEvent>>[number]
type DeliveryAttempt = Awaited<ReturnType<typeof selectAttemptsOfEvent>>[number]

interface EventHistory {
  event: Event | undefined
  deliveries: Delivery[]
  deliveryAttempts: DeliveryAttempt[]
}

/** Reads the deliveries of an event and their attempts. Returns empty lists without an event. */
export async function readDeliveries(
  db: Db,
  workspaceId: number,
  eventId: string | undefined,
): Promise<Omit<EventHistory, 'event'>> {
  if (eventId === undefined) return { deliveries: [], deliveryAttempts: [] }
  const [deliveries, deliveryAttempts] = await Promise.all([
    selectDeliveriesOfEvent(db, workspaceId, eventId),
    selectAttemptsOfEvent(db, workspaceId, eventId),
  ])
  return { deliveries, deliveryAttempts }
}

/** Returns true if the event had no receivers. Missing deliveries alone don't show that: they may have been deleted. */
export const hasNoReceivers = (event: Event | undefined, deliveries: readonly Delivery[]): boolean =>
  event?.matched_count === 0 && deliveries.length === 0

/** Returns a step for the event and each attempt to deliver it. */
export function toDeliverySteps(
  { event, deliveryAttempts, deliveries }: EventHistory,
  isAnalyzed: boolean,
): Step[] {
  if (event === undefined) return []
  const title = isAnalyzed ? 'Conversation analyzed and event created' : 'Event created'
  const receivers = hasNoReceivers(event, deliveries) ? 'No webhook deliveries.' : ''
  const created = step(event.created_at, 'mute', title, `${event.type} ${event.id}. ${receivers}`.trim())
  const attempts = deliveryAttempts.map((attempt) => {
    const target = deliveries.find(({ id }) => id === attempt.delivery_id)?.target_url ?? ''
    return step(
      attempt.at,
      attempt.error === null ? 'good' : 'bad',
      `Delivery ${attempt.delivery_id}, attempt ${attempt.number}: ${formatAttemptResult(attempt)}`,
      `${target} in ${formatMilliseconds(attempt.duration_ms)}`,
      `/integrations/deliveries/${attempt.delivery_id}`,
    )
  })
  return [created, ...attempts]
}

function formatAttemptResult({ status_code, error }: DeliveryAttempt): string {
  if (error === null) return `HTTP ${status_code ?? ''}`.trim()
  return error.charAt(0).toUpperCase() + error.slice(1)
}

/** Says whether an event was delivered, and why not, in sentences. */
export function describeDeliveries(
  { event, deliveries, deliveryAttempts }: EventHistory,
  call: FilteredCall,
  timeFormats: TimeFormats,
): string[] {
  if (event === undefined) return []
  const attemptsOf = ({ id }: Delivery) => deliveryAttempts.filter(({ delivery_id }) => delivery_id === id)
  const delivered = deliveries.filter(({ status }) => status === 'delivered')
  return [
    ...(delivered.length > 0 ? [describeDelivered(delivered, deliveries)] : []),
    ...deliveries
      .filter(({ status }) => status !== 'delivered')
      .map((delivery) => describeUndelivered(delivery, attemptsOf(delivery), timeFormats)),
    ...deliveries.flatMap((delivery) => describeRepetition(delivery, attemptsOf(delivery))),
    ...describeSharedTargets(deliveries),
    ...describeDeletedDeliveries(event, deliveries),
    ...describeUnmatched(event, call, deliveries),
  ]
}

function describeDelivered(delivered: readonly Delivery[], all: readonly Delivery[]): string {
  if (all.length === 1) return `The event was delivered to ${all.map(hostOf).join()}.`
  return `The event was delivered to ${delivered.length} of ${formatPlural(all.length, 'receiver')}.`
}

const hostOf = ({ target_url: target }: Delivery): string =>
  URL.canParse(target) ? new URL(target).host : 'an erased URL'

function describeUndelivered(
  delivery: Delivery,
  attempts: readonly DeliveryAttempt[],
  timeFormats: TimeFormats,
): string {
  const name = `Delivery ${delivery.id} to ${hostOf(delivery)}`
  const last = attempts.at(-1)
  const result = last === undefined ? '' : ` Last response: ${formatAttemptResult(last).replace(/\.$/, '')}.`
  switch (delivery.status) {
    case 'delivered':
      return `${name} was delivered.`
    case 'pending': {
      const next = delivery.next_attempt_at
      const at = next === null ? '' : ` Next attempt: ${timeFormats.upcomingTime(next)}.`
      return `${name} ${last === undefined ? 'is waiting to be sent' : 'failed and is retried'}.${result}${at}`
    }
    case 'exhausted':
      return `${name} failed, and no retries are left.${result}`
    case 'gone':
      return `${name} stopped, because the receiver responded with status 410.`
    case 'canceled': {
      const { text } = deliveryBadge('canceled', attempts.length, delivery.ended_reason)
      return `${name} isn't sent anymore. ${text}.`
    }
  }
}

/** Says that a receiver may have processed an event twice, because it didn't respond in time and Outdial sent it again. */
function describeRepetition(delivery: Delivery, attempts: readonly DeliveryAttempt[]): string[] {
  const lost = attempts.find(({ status_code: status }) => status === null)
  const accepted = attempts.find(({ error }) => error === null)
  if (lost === undefined || accepted === undefined || lost.number > accepted.number) return []
  return [
    `${hostOf(delivery)} may have processed the event twice, because attempt ${lost.number} of delivery ${delivery.id} got no response, so Outdial sent it again.`,
  ]
}

function describeSharedTargets(deliveries: readonly Delivery[]): string[] {
  const byTarget = Map.groupBy(
    deliveries.filter(({ target_url: target }) => target !== ''),
    ({ target_url: target }) => target,
  )
  return [...byTarget.values()]
    .filter((sharing) => sharing.length > 1)
    .map((sharing) => {
      const sources = sharing.map(({ subscription_id: id }) =>
        id === null ? 'a callback URL' : `subscription ${id}`,
      )
      return `${sharing.slice(0, 1).map(hostOf).join()} gets the event ${formatCount(sharing.length)} times, because it has the same URL in ${sources.join(' and ')}.`
    })
}

/** The call fields that explain a mismatch with a filter. */
type FilteredCall = Pick<Call, 'goal_met' | 'test'>

const describeReason = (reason: UnmatchedSubscription['reason'], call: FilteredCall): string =>
  ({
    disabled: 'it was disabled',
    campaign_id: 'its filter selects another campaign',
    agent_id: 'its filter selects another agent',
    outcome: "its filter doesn't include this outcome",
    goal_met:
      call.goal_met === null
        ? 'its filter depends on the goal, which is unknown for this call'
        : `its filter selects calls that ${call.goal_met ? "didn't meet" : 'met'} their goal`,
    opted_out: 'its filter selects only calls in which the contact opted out',
    test: call.test ? 'its filter excludes test calls' : 'its filter selects only test calls',
  })[reason]

/** Says that deliveries were deleted with their subscriptions, or that this isn't recorded. */
function describeDeletedDeliveries(event: Event, deliveries: readonly Delivery[]): string[] {
  const { matched_count: matched } = event
  if (matched === null) {
    if (deliveries.length > 0) return []
    return [
      "The event has no deliveries now. It wasn't recorded how many it had: deliveries are deleted 30 days after their webhook subscription ended.",
    ]
  }
  if (deliveries.length === maxShownDeliveries) return [] // there may be more
  const deleted = matched - deliveries.filter(({ subscription_id: id }) => id !== null).length
  if (deleted === 0) return []
  const webhooks = formatPlural(deleted, 'webhook subscription')
  return [`The deliveries to ${webhooks} were deleted, 30 days after the subscription ended.`]
}

/** Says which subscriptions an event wasn't sent to, and why. */
function describeUnmatched(event: Event, call: FilteredCall, deliveries: readonly Delivery[]): string[] {
  const { unmatched, unmatched_count: count } = event
  if (unmatched === null) return [] // older events don't have it
  if (unmatched.length === 0 && hasNoReceivers(event, deliveries))
    return ["The event wasn't sent, because there was no webhook subscription when it was created."]
  const more = (count ?? 0) - unmatched.length
  return [
    ...unmatched.map(
      ({ id, reason }) =>
        `The event wasn't sent to webhook subscription ${id}, because ${describeReason(reason, call)}.`,
    ),
    ...(more > 0 ? [`It wasn't sent to ${formatPlural(more, 'other subscription')} either.`] : []),
  ]
}
