import type { WebhookFilter } from '@outdial/contract'
import type { SubscriptionEndedReason } from '../../platform/db/tables/webhook-tables.ts'
import type { Badge } from '../../platform/views/badges.ts'
import type { SubscriptionSummary } from './webhook-queries.ts'

const endedReasons: Record<SubscriptionEndedReason, string> = {
  unsubscribed: 'Unsubscribed',
  gone: 'The receiver responded with status 410',
  app_disconnected: 'The app was disconnected',
  key_revoked: 'The API key was revoked',
  member_removed: 'The member was removed',
}

/** Returns why and when a subscription ended; null if it hasn't. */
export function describeEnd(row: SubscriptionSummary): { reason: string; at: Date } | null {
  if (row.ended_at === null || row.ended_reason === null) return null
  const by = row.ended_by === null ? '' : ` by ${row.ended_by}`
  return { reason: `${endedReasons[row.ended_reason]}${by}`, at: row.ended_at }
}

/** Describes the calls that a subscription receives: "Calls: campaign “Leads”, answered or busy". */
export function formatWebhookFilter(subscription: {
  filter: WebhookFilter
  campaign: string | null
  agent: string | null
}): string {
  const { filter, campaign, agent } = subscription
  const parts: string[] = []
  if (filter.campaign_id !== null) parts.push(`campaign “${campaign ?? filter.campaign_id}”`)
  if (filter.agent_id !== null) parts.push(`agent “${agent ?? filter.agent_id}”`)
  if (filter.outcome !== null)
    parts.push(filter.outcome.map((outcome) => outcome.replaceAll('_', ' ')).join(' or '))
  if (filter.goal_met !== undefined) parts.push(filter.goal_met ? 'goal met' : 'goal not met')
  if (filter.opted_out) parts.push('contact opted out')
  if (filter.test !== undefined) parts.push(filter.test === 'only' ? 'only test calls' : 'without test calls')
  if (parts.length === 0) return 'All completed calls'
  return `Calls: ${parts.join(', ')}`
}

/** Returns "Zapier, connected by Robin", or the name of the API key. */
export function formatSubscriptionOwner(
  subscription: Pick<SubscriptionSummary, 'app' | 'key_name' | 'key_prefix' | 'user_name'>,
): string {
  const { app, key_name, key_prefix, user_name } = subscription
  return app === null
    ? `API key “${key_name ?? ''}” (${key_prefix ?? ''}…), created by ${user_name}`
    : `${app}, connected by ${user_name}`
}

type SubscriptionHealth = Pick<
  SubscriptionSummary,
  'ended_at' | 'disabled_at' | 'failing_since' | 'last_status'
>

/** Says how a subscription's deliveries are doing. */
export function subscriptionBadge({
  ended_at,
  disabled_at,
  failing_since,
  last_status,
}: SubscriptionHealth): Badge {
  if (ended_at !== null) return { tone: 'mute', text: 'Ended' }
  if (disabled_at !== null) return { tone: 'bad', text: 'Disabled' }
  if (failing_since !== null) return { tone: 'warn', text: 'Failing' }
  if (last_status === null) return { tone: 'mute', text: 'No events yet' }
  return { tone: last_status === 'delivered' ? 'good' : 'mute', text: 'Active' }
}
