import { randomBytes } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { CallOutcome, WebhookSubscription } from '@outdial/contract'
import type { Caller } from '../../platform/core/caller.ts'
import { dayMs } from '../../platform/core/durations.ts'
import { rotateSubscriptionSecret } from '../../webhooks/signing-secrets.ts'
import {
  deleteOldSubscriptions,
  endEventsOfConnection,
  subscribe,
  unsubscribe,
} from '../../webhooks/subscriptions.ts'
import { completeCall, seedApiKeyCaller, seedAppCaller, seedWorkspace } from '../support/factories.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const target_url = 'https://hooks.example.com/1'
const event = 'call.completed' as const
const body = { target_url, event }

const end = { reason: 'app_disconnected', at: new Date() } as const

const subscriptionsOf = (workspaceId: number) =>
  world.deps.db
    .selectFrom('webhook_subscription')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('ended_at', 'is', null)
    .orderBy('id')
    .execute()

describe('subscribing', () => {
  it('returns the whole subscription with a normalized filter', async () => {
    const caller = await seedApiKeyCaller(world.deps, world.seed)
    const outcome: CallOutcome[] = ['voicemail', 'answered', 'voicemail']
    const { created, subscription } = await subscribe(world.deps, caller, {
      ...body,
      filter: { campaign_id: world.seed.campaignId, outcome },
    })
    expect(created).toBe(true)
    expect(WebhookSubscription.parse(subscription)).toEqual({
      id: expect.any(Number),
      target_url,
      event,
      filter: { campaign_id: world.seed.campaignId, agent_id: null, outcome: ['answered', 'voicemail'] },
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      created_at: world.deps.clock.now().toISOString(),
    })
  })

  it('returns the existing subscription and its secret if the same request is repeated', async () => {
    const caller = await seedAppCaller(world.deps, world.seed)
    const first = await subscribe(world.deps, caller, { ...body, filter: { outcome: ['busy', 'answered'] } })
    const second = await subscribe(world.deps, caller, {
      ...body,
      filter: { outcome: ['answered', 'busy', 'busy'] },
    })
    expect(second).toEqual({ created: false, subscription: first.subscription })
  })

  it.each([
    ['an omitted filter', undefined],
    ['null', null],
    ['an empty filter', {}],
    ['null values', { campaign_id: null, agent_id: null, outcome: null }],
    ['an empty list of outcomes', { outcome: [] }],
    ['any goal', { goal_met: null }],
    ['any opt-out', { opted_out: null }],
    ['test calls included', { test: 'include' as const }],
  ])('saves %s as the filter that matches all calls', async (_name, filter) => {
    const { subscription } = await subscribe(world.deps, await seedApiKeyCaller(world.deps, world.seed), {
      ...body,
      filter,
    })
    expect(subscription.filter).toEqual({ campaign_id: null, agent_id: null, outcome: null })
  })

  it.each([
    ['HTTPS://Hooks.Example.com:443/1', 'https://hooks.example.com/1'],
    ['https://hooks.example.com/1#part', 'https://hooks.example.com/1'],
  ])('saves the URL %s as %s', async (input, normalized) => {
    const { subscription } = await subscribe(world.deps, await seedApiKeyCaller(world.deps, world.seed), {
      ...body,
      target_url: input,
    })
    expect(subscription.target_url).toBe(normalized)
  })

  it('accepts a filter by goal, opt-out, and test calls, and returns it', async () => {
    const filter = { goal_met: false, opted_out: true as const, test: 'exclude' as const }
    const { subscription } = await subscribe(world.deps, await seedApiKeyCaller(world.deps, world.seed), {
      ...body,
      filter,
    })
    expect(WebhookSubscription.parse(subscription).filter).toEqual({
      campaign_id: null,
      agent_id: null,
      outcome: null,
      ...filter,
    })
  })

  it('accepts the longest permitted URL and filter', async () => {
    const caller = await seedAppCaller(world.deps, world.seed)
    const start = 'https://hooks.example.com/'
    const long =
      start +
      randomBytes(2000)
        .toString('base64url')
        .slice(0, 2000 - start.length)
    const filter = {
      campaign_id: world.seed.campaignId,
      agent_id: world.seed.agentId,
      outcome: CallOutcome.options,
      goal_met: false,
      test: 'exclude' as const,
    }
    const { subscription } = await subscribe(world.deps, caller, { ...body, target_url: long, filter })
    expect(subscription.target_url).toBe(long)
  })

  it.each(['campaign_id', 'agent_id'] as const)(
    'rejects a filter with the %s of another workspace',
    async (field) => {
      const other = await seedWorkspace(world.deps, 'Other')
      const caller = await seedApiKeyCaller(world.deps, world.seed)
      const filter = { [field]: field === 'agent_id' ? other.agentId : other.campaignId }
      await expect(subscribe(world.deps, caller, { ...body, filter })).rejects.toMatchObject({
        code: 'not_found',
        details: [{ field: `filter.${field}`, code: 'not_found' }],
      })
      expect(await subscriptionsOf(world.seed.workspaceId)).toEqual([])
    },
  )

  it('immediately rejects a private address and names the field', async () => {
    const caller = await seedApiKeyCaller(world.deps, world.seed)
    const rejected = subscribe(world.deps, caller, {
      ...body,
      target_url: 'https://169.254.169.254/latest/meta-data',
    })
    await expect(rejected).rejects.toMatchObject({
      status: 422,
      details: [{ field: 'target_url', code: 'invalid_target_url' }],
    })
  })
})

describe('subscribing again', () => {
  it('creates one subscription for twenty simultaneous requests, and only one response says that it was created', async () => {
    const callers = [
      await seedApiKeyCaller(world.deps, world.seed),
      await seedAppCaller(world.deps, world.seed),
    ]
    for (const caller of callers) {
      const results = await Promise.all(Array.from({ length: 20 }, () => subscribe(world.deps, caller, body)))
      expect(results.filter(({ created }) => created)).toHaveLength(1)
      expect(new Set(results.map(({ subscription }) => subscription.id)).size).toBe(1)
      expect(new Set(results.map(({ subscription }) => subscription.secret)).size).toBe(1)
    }
    expect(await subscriptionsOf(world.seed.workspaceId)).toHaveLength(2)
  })

  it('returns an existing subscription whose filter was saved before filters by goal, opt-out, and test calls existed', async () => {
    const caller = await seedAppCaller(world.deps, world.seed)
    const { subscription } = await subscribe(world.deps, caller, body)
    // Stores the filter in the format of an earlier version.
    await world.deps.db
      .updateTable('webhook_subscription')
      .set({ filter: '{"outcome": null, "agent_id": null, "campaign_id": null}' })
      .where('id', '=', subscription.id)
      .execute()
    for (const filter of [undefined, {}, { goal_met: null, opted_out: null, test: 'include' as const }]) {
      const again = await subscribe(world.deps, caller, { ...body, filter })
      expect(again).toEqual({ created: false, subscription })
    }
    expect(await subscriptionsOf(world.seed.workspaceId)).toHaveLength(1)
  })

  it("enables an app's disabled subscription with the new filter instead of adding a second subscription", async () => {
    const caller = await seedAppCaller(world.deps, world.seed)
    const { subscription } = await subscribe(world.deps, caller, { ...body, filter: { outcome: ['busy'] } })
    const now = world.deps.clock.now()
    await world.deps.db
      .updateTable('webhook_subscription')
      .set({ disabled_at: now, failing_since: now })
      .where('id', '=', subscription.id)
      .execute()

    const again = await subscribe(world.deps, caller, { ...body, filter: { test: 'exclude' } })

    const filter = { campaign_id: null, agent_id: null, outcome: null, test: 'exclude' }
    expect(again).toEqual({ created: false, subscription: { ...subscription, filter } })
    expect(await subscriptionsOf(world.seed.workspaceId)).toMatchObject([
      { id: subscription.id, filter, disabled_at: null, failing_since: null },
    ])
  })

  it("if an app's simultaneous requests have different filters, keeps only one subscription", async () => {
    const caller = await seedAppCaller(world.deps, world.seed)
    const results = await Promise.all(
      CallOutcome.options.map((outcome) =>
        subscribe(world.deps, caller, { ...body, filter: { outcome: [outcome] } }),
      ),
    )
    expect(results.filter(({ created }) => created)).toHaveLength(1)
    expect(await subscriptionsOf(world.seed.workspaceId)).toHaveLength(1)
  })

  it("doesn't replace an app's subscriptions to other URLs, or other connections' subscriptions to the same URL", async () => {
    const app = await seedAppCaller(world.deps, world.seed)
    const others = [
      await seedApiKeyCaller(world.deps, world.seed),
      await seedAppCaller(world.deps, world.seed, 'other app'),
    ]
    await Promise.all(others.map((other) => subscribe(world.deps, other, body)))
    await subscribe(world.deps, app, { ...body, target_url: 'https://hooks.example.com/2' })
    const { created } = await subscribe(world.deps, app, { ...body, filter: { test: 'only' } })
    expect(created).toBe(true)
    expect(await subscriptionsOf(world.seed.workspaceId)).toHaveLength(4)
  })

  it('adds a second subscription for an API key if the URL is the same but the filter differs', async () => {
    const caller = await seedApiKeyCaller(world.deps, world.seed)
    await subscribe(world.deps, caller, body)
    const other = await subscribe(world.deps, caller, { ...body, filter: { test: 'only' } })
    expect(other.created).toBe(true)
    expect(await subscriptionsOf(world.seed.workspaceId)).toHaveLength(2)
  })

  it('keeps the subscription when the same user reconnects the same app to the workspace', async () => {
    const before = await subscribe(world.deps, await seedAppCaller(world.deps, world.seed), body)
    const after = await subscribe(world.deps, await seedAppCaller(world.deps, world.seed), body)
    expect(after).toEqual({ created: false, subscription: before.subscription })
  })

  it('creates a separate subscription for every connection', async () => {
    const owners = [
      await seedApiKeyCaller(world.deps, world.seed),
      await seedApiKeyCaller(world.deps, world.seed),
      await seedAppCaller(world.deps, world.seed),
      await seedAppCaller(world.deps, world.seed, 'another app'),
    ]
    const results = await Promise.all(owners.map((owner) => subscribe(world.deps, owner, body)))
    expect(results.map(({ created }) => created)).toEqual([true, true, true, true])
  })

  it('enables a disabled subscription again and resets its failures', async () => {
    const caller = await seedApiKeyCaller(world.deps, world.seed)
    const { subscription } = await subscribe(world.deps, caller, body)
    await world.deps.db
      .updateTable('webhook_subscription')
      .set({ disabled_at: world.deps.clock.now(), failing_since: world.deps.clock.now() })
      .where('id', '=', subscription.id)
      .execute()
    expect(await subscribe(world.deps, caller, body)).toEqual({ created: false, subscription })
    expect(await subscriptionsOf(world.seed.workspaceId)).toMatchObject([
      { disabled_at: null, failing_since: null },
    ])
  })
})

describe('a connection that ends', () => {
  it("can't subscribe once it has ended", async () => {
    const key = await seedApiKeyCaller(world.deps, world.seed)
    await world.deps.db
      .updateTable('api_key')
      .set({ revoked_at: world.deps.clock.now() })
      .where('id', '=', key.apiKeyId)
      .execute()
    const app = await seedAppCaller(world.deps, world.seed)
    await world.deps.db.deleteFrom('oauth_grant').where('client_id', '=', app.clientId).execute()
    for (const caller of [key, app]) {
      await expect(subscribe(world.deps, caller, body)).rejects.toMatchObject({ code: 'invalid_credential' })
    }
  })

  it('leaves no subscription behind if its API key is revoked while it subscribes', async () => {
    const caller = await seedApiKeyCaller(world.deps, world.seed)
    const subscribing = await world.deps.db.transaction().execute(async (db) => {
      await db
        .updateTable('api_key')
        .set({ revoked_at: world.deps.clock.now() })
        .where('id', '=', caller.apiKeyId)
        .execute()
      await endEventsOfConnection(
        { ...world.deps, db },
        caller.workspaceId,
        { apiKeyId: caller.apiKeyId },
        end,
      )
      const waiting = subscribe(world.deps, caller, body)
      await waitForLockWaiters(world.deps.db)
      return [waiting] // in an array, so that the promise isn't awaited: it waits for this transaction
    })
    await expect(subscribing[0]).rejects.toMatchObject({ code: 'invalid_credential' })
    expect(await subscriptionsOf(world.seed.workspaceId)).toEqual([])
  })

  it('leaves no subscription behind if its app is disconnected while it subscribes', async () => {
    const caller = await seedAppCaller(world.deps, world.seed, 'an app to disconnect')
    const { workspaceId, userId, clientId } = caller
    const subscribing = await world.deps.db.transaction().execute(async (db) => {
      await db.deleteFrom('oauth_grant').where('client_id', '=', clientId).execute()
      await endEventsOfConnection({ ...world.deps, db }, workspaceId, { userId, clientId }, end)
      const waiting = subscribe(world.deps, caller, body)
      await waitForLockWaiters(world.deps.db)
      return [waiting]
    })
    await expect(subscribing[0]).rejects.toMatchObject({ code: 'invalid_credential' })
    expect(await subscriptionsOf(world.seed.workspaceId)).toEqual([])
  })

  it('loses its subscriptions, but other API keys, apps, and workspaces keep theirs', async () => {
    const key = await seedApiKeyCaller(world.deps, world.seed)
    const app = await seedAppCaller(world.deps, world.seed)
    const otherApp = await seedAppCaller(world.deps, world.seed, 'another app')
    const otherWorkspaceCaller = await seedAppCaller(world.deps, await seedWorkspace(world.deps, 'Other'))
    const ids = new Map<Caller, number>()
    for (const caller of [key, app, otherApp, otherWorkspaceCaller]) {
      ids.set(caller, (await subscribe(world.deps, caller, body)).subscription.id)
    }
    const remainingIds = async () => (await subscriptionsOf(world.seed.workspaceId)).map(({ id }) => id)

    await endEventsOfConnection(world.deps, key.workspaceId, { apiKeyId: key.apiKeyId }, end)
    expect(await remainingIds()).toEqual([ids.get(app), ids.get(otherApp)])
    await endEventsOfConnection(
      world.deps,
      app.workspaceId,
      { userId: app.userId, clientId: app.clientId },
      end,
    )
    expect(await remainingIds()).toEqual([ids.get(otherApp)])
    await endEventsOfConnection(world.deps, world.seed.workspaceId, { userId: world.seed.userId }, end)
    expect(await remainingIds()).toEqual([])
    expect(await subscriptionsOf(otherWorkspaceCaller.workspaceId)).toHaveLength(1)
  })
})

describe('removal and rotation', () => {
  it('when a subscription ends, cancels its pending deliveries, keeps the event, and records who ended it', async () => {
    const caller = await seedApiKeyCaller(world.deps, world.seed)
    const { subscription } = await subscribe(world.deps, caller, body)
    const call = await completeCall(world.deps, world.seed)
    await unsubscribe(world.deps, caller, subscription.id)
    const events = await world.deps.db
      .selectFrom('event')
      .select('id')
      .where('call_id', '=', call.id)
      .execute()
    expect(events).toHaveLength(1)
    const deliveries = await world.deps.db
      .selectFrom('webhook_delivery')
      .selectAll()
      .where('subscription_id', '=', subscription.id)
      .execute()
    expect(deliveries).toMatchObject([
      { status: 'canceled', next_attempt_at: null, finished_at: world.deps.clock.now() },
    ])
    const row = await world.deps.db
      .selectFrom('webhook_subscription')
      .selectAll()
      .where('id', '=', subscription.id)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      ended_at: world.deps.clock.now(),
      ended_reason: 'unsubscribed',
      ended_by_user_id: caller.userId,
      ended_by_api_key_id: caller.apiKeyId,
    })
  })

  it('creates a new subscription to a URL if the earlier subscription to it has ended', async () => {
    const caller = await seedApiKeyCaller(world.deps, world.seed)
    const first = await subscribe(world.deps, caller, body)
    await unsubscribe(world.deps, caller, first.subscription.id)
    const second = await subscribe(world.deps, caller, body)
    expect(second.created).toBe(true)
    expect(second.subscription.id).not.toBe(first.subscription.id)
    expect(second.subscription.secret).not.toBe(first.subscription.secret)
  })

  it('deletes a subscription and its deliveries 30 days after it ended', async () => {
    const caller = await seedApiKeyCaller(world.deps, world.seed)
    const { subscription } = await subscribe(world.deps, caller, body)
    await completeCall(world.deps, world.seed)
    await unsubscribe(world.deps, caller, subscription.id)
    const remaining = async () => {
      const rows = await world.deps.db
        .selectFrom('webhook_subscription as s')
        .innerJoin('webhook_delivery as d', 'd.subscription_id', 's.id')
        .select('d.id')
        .where('s.id', '=', subscription.id)
        .execute()
      return rows.length
    }
    const daysLater = (days: number) => new Date(world.deps.clock.now().getTime() + days * dayMs)
    await deleteOldSubscriptions(world.deps.db, daysLater(29))
    expect(await remaining()).toBe(1)
    await deleteOldSubscriptions(world.deps.db, daysLater(31))
    expect(await remaining()).toBe(0)
  })

  it('lets any connection of the workspace remove a subscription', async () => {
    const { subscription } = await subscribe(world.deps, await seedApiKeyCaller(world.deps, world.seed), body)
    await unsubscribe(world.deps, await seedAppCaller(world.deps, world.seed), subscription.id)
    expect(await subscriptionsOf(world.seed.workspaceId)).toEqual([])
  })

  it("returns not_found for a subscription that's unknown, removed, or in another workspace", async () => {
    const caller = await seedApiKeyCaller(world.deps, world.seed)
    const stranger = await seedApiKeyCaller(world.deps, await seedWorkspace(world.deps, 'Other'))
    const { subscription } = await subscribe(world.deps, caller, body)
    const notFound = { code: 'not_found' }
    await expect(unsubscribe(world.deps, caller, Number.MAX_SAFE_INTEGER)).rejects.toMatchObject(notFound)
    await expect(unsubscribe(world.deps, stranger, subscription.id)).rejects.toMatchObject(notFound)
    await unsubscribe(world.deps, caller, subscription.id)
    await expect(unsubscribe(world.deps, caller, subscription.id)).rejects.toMatchObject(notFound)
  })

  it("doesn't rotate another workspace's secret", async () => {
    const other = await seedWorkspace(world.deps, 'Other')
    const caller = await seedApiKeyCaller(world.deps, world.seed)
    const { subscription } = await subscribe(world.deps, caller, body)
    await expect(
      rotateSubscriptionSecret(world.deps, other.workspaceId, subscription.id),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
    expect((await subscribe(world.deps, caller, body)).subscription.secret).toBe(subscription.secret)
  })
})
