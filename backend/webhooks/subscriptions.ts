import { setTimeout } from 'node:timers/promises'
import type { SubscribeWebhook, WebhookFilter, WebhookSubscription } from '@outdial/contract'
import type { Deps } from '../deps.ts'
import type { Caller } from '../platform/core/caller.ts'
import { dayMs, secondMs } from '../platform/core/durations.ts'
import { ApiError, fieldError, notFound } from '../platform/core/errors.ts'
import { releaseRequestSlot } from '../platform/core/request-slot.ts'
import { lockConnection } from '../platform/db/locks.ts'
import type { Db } from '../platform/db/schema.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import { findTargetUrlIssue, normalizeTargetUrl } from '../platform/outbound/target-url.ts'
import { newWebhookSecret } from '../platform/secrets/tokens.ts'
import { endCallbacksOfOwner } from './callback-url-store.ts'
import { connectionEndedError } from './callbacks.ts'
import {
  type ConnectionOwner,
  deleteEndedSubscriptions,
  endSubscription,
  endSubscriptionsOfOwner,
  findSubscription,
  hasAgent,
  hasCampaign,
  hasLeasedDelivery,
  markSubscriptionEnabled,
  replaceFilter,
  setSubscriptionSecret,
  type SubscriptionEnd,
  type SubscriptionRow,
  upsertSubscription,
} from './subscription-store.ts'

/**
 * Subscribes a URL to `call.completed`. Automation platforms repeat a request when they don't get a response. If the connection
 * already has a subscription with the same URL, event, and filter, that one is enabled again and returned with its secret.
 *
 * A connected app has one subscription for each URL, so another filter replaces the earlier one. Zapier uses a separate URL for
 * each Zap. If an unsubscribe request was lost, a second subscription would run the Zap twice for each call. API keys can use
 * one URL with several filters.
 *
 * @throws {ApiError} validation_failed (target_url), not_found (the filter's campaign or agent), and invalid_credential if the
 *   connection was removed during the request
 */
export async function subscribe(
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify' | 'secretBox'>,
  caller: Caller,
  body: SubscribeWebhook,
): Promise<{ created: boolean; subscription: WebhookSubscription }> {
  const issue = findTargetUrlIssue(deps.config, body.target_url)
  if (issue !== undefined) {
    const details = [{ field: 'target_url', code: 'invalid_target_url', message: issue }]
    throw new ApiError('validation_failed', { details })
  }
  const filter = normalizeFilter(body.filter)

  const { row, created } = await inTransaction(deps, async (tx) => {
    if (!(await lockConnection(tx.db, caller))) throw connectionEndedError()
    await requireInWorkspace(tx.db, caller.workspaceId, filter)
    const targetUrl = normalizeTargetUrl(body.target_url)
    const values = { caller, targetUrl, filter, now: tx.clock.now() }
    const replaced =
      caller.clientId === null ? undefined : await replaceFilter(tx.db, caller.workspaceId, values)
    if (replaced !== undefined) return { row: replaced, created: false }
    const upserted = await upsertSubscription(tx.db, caller.workspaceId, values)
    if (upserted.secret !== '') return { row: upserted, created: false }
    const place = ['webhook_subscription.secret', caller.workspaceId, upserted.id] as const
    const secret = tx.secretBox.seal(newWebhookSecret(), place)
    await setSubscriptionSecret(tx.db, caller.workspaceId, upserted.id, secret)
    return { row: { ...upserted, secret }, created: true }
  })

  const subscription = {
    id: row.id,
    target_url: row.target_url,
    event: row.event,
    filter: row.filter,
    secret: deps.secretBox.open(row.secret, ['webhook_subscription.secret', caller.workspaceId, row.id]),
    created_at: row.created_at.toISOString(),
  }
  return { created, subscription }
}

/**
 * Removes conditions that all calls meet. An empty list of outcomes means all outcomes, because that's what an empty
 * multiple-choice field sends.
 */
function normalizeFilter(filter: SubscribeWebhook['filter']): WebhookFilter {
  const outcomes = [...new Set(filter?.outcome ?? [])].sort()
  return {
    campaign_id: filter?.campaign_id ?? null,
    agent_id: filter?.agent_id ?? null,
    outcome: outcomes.length > 0 ? outcomes : null,
    ...(typeof filter?.goal_met === 'boolean' && { goal_met: filter.goal_met }),
    ...(filter?.opted_out && { opted_out: true as const }),
    ...(filter?.test && filter.test !== 'include' && { test: filter.test }),
  }
}

async function requireInWorkspace(db: Db, workspaceId: number, filter: WebhookFilter): Promise<void> {
  const { campaign_id, agent_id } = filter
  if (campaign_id !== null && !(await hasCampaign(db, workspaceId, campaign_id))) {
    throw fieldError('filter.campaign_id', 'not_found.object', { object: 'campaign' })
  }
  if (agent_id !== null && !(await hasAgent(db, workspaceId, agent_id))) {
    throw fieldError('filter.agent_id', 'not_found.object', { object: 'agent' })
  }
}

/**
 * Ends a subscription and cancels its pending deliveries. Any connection of the workspace may end any of the workspace's
 * subscriptions. An attempt in progress may still arrive: see `waitForAttemptsInProgress`. Zapier is notified if a member, and
 * not a connection, ended its subscription.
 *
 * @throws {ApiError} not_found: unknown, already ended, or of another workspace
 */
export const unsubscribe = (
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  caller: Caller,
  id: number,
): Promise<void> =>
  inTransaction(deps, async (tx) => {
    const isMember = caller.apiKeyId === null && caller.clientId === null
    const reportTo = isMember ? tx.config.zapierHooksOrigin : undefined
    const end = { reason: 'unsubscribed', at: tx.clock.now(), by: caller, reportTo } as const
    if (await endSubscription(tx.db, caller.workspaceId, id, end)) return
    throw notFound('webhook subscription')
  })

/**
 * Waits until no attempt of an ended subscription is in progress, so that nothing arrives after the response. Takes at most as
 * long as a sender's lease, if the sender was killed. Call it after the commit. The waiting request doesn't count as in
 * progress. Otherwise, receivers that respond slowly would make the process reject other requests.
 */
export async function waitForAttemptsInProgress(
  deps: Pick<Deps, 'db'>,
  workspaceId: number,
  subscriptionId: number,
): Promise<void> {
  for (let pollMs = 50; await hasLeasedDelivery(deps.db, workspaceId, subscriptionId); pollMs *= 2) {
    releaseRequestSlot()
    await setTimeout(Math.min(pollMs, secondMs))
  }
}

/**
 * Enables a disabled subscription, which can then fail for another five days. Deliveries that it missed stay exhausted
 * until they're replayed.
 *
 * @throws {ApiError} not_found
 */
export async function enableSubscription(
  deps: Pick<Deps, 'db'>,
  workspaceId: number,
  id: number,
): Promise<void> {
  if (await markSubscriptionEnabled(deps.db, workspaceId, id)) return
  throw notFound('webhook subscription')
}

/**
 * Ends the webhook subscriptions and callback URLs of a connection, or of all connections of a member. Cancels their pending
 * deliveries, and notifies Zapier that its subscriptions have ended.
 *
 * @returns the number of subscriptions
 */
export async function endEventsOfConnection(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  workspaceId: number,
  owner: ConnectionOwner,
  end: Pick<SubscriptionEnd, 'reason' | 'at'>,
): Promise<number> {
  const reported = { ...end, reportTo: config.zapierHooksOrigin }
  const count = await endSubscriptionsOfOwner(db, workspaceId, owner, reported)
  await endCallbacksOfOwner(db, workspaceId, owner, end.at)
  return count
}

/** How long an ended subscription is listed, with its deliveries. */
export const endedTtlMs = 30 * dayMs

/** Deletes subscriptions that ended at least 30 days ago, with their deliveries. */
export async function deleteOldSubscriptions(db: Db, now: Date): Promise<void> {
  const before = new Date(now.getTime() - endedTtlMs)
  while (!(await deleteEndedSubscriptions(db, { before, limit: 1_000 })));
}

/**
 * Returns a subscription as it's stored, with its secret sealed.
 *
 * @throws {ApiError} not_found
 */
export async function getSubscription(
  deps: Pick<Deps, 'db'>,
  workspaceId: number,
  id: number,
): Promise<SubscriptionRow> {
  const subscription = await findSubscription(deps.db, workspaceId, id)
  if (subscription === undefined) throw notFound('webhook subscription')
  return subscription
}
