import type { WebhookFilter } from '@outdial/contract'
import type { SubscriptionSummary } from '../../webhooks/list-store.ts'
import type { Badge } from '../page/badges.ts'

/** "Campaign “Leads”, answered or busy": which calls a subscription hears of. */
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
  if (parts.length === 0) return 'Every completed call'
  return `Calls: ${parts.join(', ')}`
}

/** "Zapier, connected by Robin". */
export function formatSubscriptionOwner(
  subscription: Pick<SubscriptionSummary, 'app' | 'keyName' | 'keyPrefix' | 'person'>,
): string {
  const { app, keyName, keyPrefix, person } = subscription
  return app === null
    ? `API key “${keyName ?? ''}” (${keyPrefix ?? ''}…) of ${person}`
    : `${app}, connected by ${person}`
}

type SubscriptionHealth = Pick<SubscriptionSummary, 'disabledAt' | 'failingSince' | 'lastStatus'>

/** How a subscription is, and, where it is not well, since when. */
export function toHealth({ disabledAt, failingSince, lastStatus }: SubscriptionHealth): {
  badge: Badge
  since: Date | null
} {
  if (disabledAt !== null) return { badge: { tone: 'bad', text: 'Disabled' }, since: disabledAt }
  if (failingSince !== null) return { badge: { tone: 'warn', text: 'Failing' }, since: failingSince }
  if (lastStatus === 'delivered') return { badge: { tone: 'good', text: 'Works' }, since: null }
  return { badge: { tone: 'mute', text: lastStatus === null ? 'No events yet' : 'Enabled' }, since: null }
}

interface AttemptResponse {
  statusCode: number | null
  error: string | null
  durationMs: number | null
}

/** "HTTP 204 after 35 ms", or what went wrong. Empty before the first try. */
export function formatAttemptResponse({ statusCode, error, durationMs }: AttemptResponse): string {
  if (durationMs === null) return ''
  const outcome = error ?? `HTTP ${statusCode ?? 'nothing'}`
  return `${outcome.charAt(0).toUpperCase()}${outcome.slice(1)}, after ${formatMilliseconds(durationMs)}`
}

export const formatMilliseconds = (ms: number): string =>
  ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`

/** "and its 2 webhook subscriptions with it", after what ended; empty where it had none. */
export const formatRemovedSubscriptions = (count: number): string =>
  count === 0
    ? ''
    : `, and ${count === 1 ? 'its webhook subscription' : `its ${count} webhook subscriptions`} with it`
