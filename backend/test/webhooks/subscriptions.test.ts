import { randomBytes } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { CallOutcome, WebhookSubscription } from '@outdial/contract'
import type { Caller } from '../../core/caller.ts'
import { rotateSubscriptionSecret } from '../../webhooks/signing-secrets.ts'
import { removeSubscriptions, subscribe, unsubscribe } from '../../webhooks/subscriptions.ts'
import { completeCall, seedApiKeyCaller, seedAppCaller, seedWorkspace } from '../support/factories.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const target_url = 'https://hooks.example.com/1'
const event = 'call.completed' as const
const body = { target_url, event }

const subscriptionsOf = (workspaceId: number) =>
  world.deps.db
    .selectFrom('webhook_subscription')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
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

  it('answers a repeated subscribe with the standing subscription and its secret', async () => {
    const caller = await seedAppCaller(world.deps, world.seed)
    const first = await subscribe(world.deps, caller, { ...body, filter: { outcome: ['busy', 'answered'] } })
    const second = await subscribe(world.deps, caller, {
      ...body,
      filter: { outcome: ['answered', 'busy', 'busy'] },
    })
    expect(second).toEqual({ created: false, subscription: first.subscription })
  })

  it.each([
    ['no filter', undefined],
    ['null', null],
    ['an empty filter', {}],
    ['nulls', { campaign_id: null, agent_id: null, outcome: null }],
    ['no outcome chosen', { outcome: [] }],
  ])('takes %s as all calls', async (_name, filter) => {
    const { subscription } = await subscribe(world.deps, await seedApiKeyCaller(world.deps, world.seed), {
      ...body,
      filter,
    })
    expect(subscription.filter).toEqual({ campaign_id: null, agent_id: null, outcome: null })
  })

  it.each([
    ['HTTPS://Hooks.Example.com:443/1', 'https://hooks.example.com/1'],
    ['https://hooks.example.com/1#part', 'https://hooks.example.com/1'],
  ])('keeps %s as %s', async (input, normalized) => {
    const { subscription } = await subscribe(world.deps, await seedApiKeyCaller(world.deps, world.seed), {
      ...body,
      target_url: input,
    })
    expect(subscription.target_url).toBe(normalized)
  })

  it('keeps the longest URL and filter that it may be given', async () => {
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
    }
    const { subscription } = await subscribe(world.deps, caller, { ...body, target_url: long, filter })
    expect(subscription.target_url).toBe(long)
  })

  it.each(['campaign_id', 'agent_id'] as const)(
    'does not find the %s of another workspace in a filter',
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

  it('refuses a private address at once, naming the field', async () => {
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
  it('makes one subscription of twenty simultaneous requests, and calls one of them the creator', async () => {
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

  it('keeps the subscription over a reconnect of the same app, user and workspace', async () => {
    const before = await subscribe(world.deps, await seedAppCaller(world.deps, world.seed), body)
    const after = await subscribe(world.deps, await seedAppCaller(world.deps, world.seed), body)
    expect(after).toEqual({ created: false, subscription: before.subscription })
  })

  it('gives every connection a subscription of its own', async () => {
    const owners = [
      await seedApiKeyCaller(world.deps, world.seed),
      await seedApiKeyCaller(world.deps, world.seed),
      await seedAppCaller(world.deps, world.seed),
      await seedAppCaller(world.deps, world.seed, 'another app'),
    ]
    const results = await Promise.all(owners.map((owner) => subscribe(world.deps, owner, body)))
    expect(results.map(({ created }) => created)).toEqual([true, true, true, true])
  })

  it('enables a disabled subscription again, its failures forgotten', async () => {
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
  it('does not subscribe for a connection that has just ended', async () => {
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

  it('leaves no subscription behind when its key is revoked while it subscribes', async () => {
    const caller = await seedApiKeyCaller(world.deps, world.seed)
    const subscribing = await world.deps.db.transaction().execute(async (db) => {
      await db
        .updateTable('api_key')
        .set({ revoked_at: world.deps.clock.now() })
        .where('id', '=', caller.apiKeyId)
        .execute()
      await removeSubscriptions(db, caller.workspaceId, { apiKeyId: caller.apiKeyId })
      const waiting = subscribe(world.deps, caller, body)
      await waitForLockWaiters(world.deps.db)
      return [waiting] // in an array: it waits for this transaction, which must not wait for it
    })
    await expect(subscribing[0]).rejects.toMatchObject({ code: 'invalid_credential' })
    expect(await subscriptionsOf(world.seed.workspaceId)).toEqual([])
  })

  it('leaves no subscription behind when its app is disconnected while it subscribes', async () => {
    const caller = await seedAppCaller(world.deps, world.seed, 'an app to disconnect')
    const { workspaceId, userId, clientId } = caller
    const subscribing = await world.deps.db.transaction().execute(async (db) => {
      await db.deleteFrom('oauth_grant').where('client_id', '=', clientId).execute()
      await removeSubscriptions(db, workspaceId, { userId, clientId })
      const waiting = subscribe(world.deps, caller, body)
      await waitForLockWaiters(world.deps.db)
      return [waiting]
    })
    await expect(subscribing[0]).rejects.toMatchObject({ code: 'invalid_credential' })
    expect(await subscriptionsOf(world.seed.workspaceId)).toEqual([])
  })

  it('removes exactly what an owner had', async () => {
    const key = await seedApiKeyCaller(world.deps, world.seed)
    const app = await seedAppCaller(world.deps, world.seed)
    const otherApp = await seedAppCaller(world.deps, world.seed, 'another app')
    const otherWorkspaceCaller = await seedAppCaller(world.deps, await seedWorkspace(world.deps, 'Other'))
    const ids = new Map<Caller, number>()
    for (const caller of [key, app, otherApp, otherWorkspaceCaller]) {
      ids.set(caller, (await subscribe(world.deps, caller, body)).subscription.id)
    }
    const remainingIds = async () => (await subscriptionsOf(world.seed.workspaceId)).map(({ id }) => id)

    await removeSubscriptions(world.deps.db, key.workspaceId, { apiKeyId: key.apiKeyId })
    expect(await remainingIds()).toEqual([ids.get(app), ids.get(otherApp)])
    await removeSubscriptions(world.deps.db, app.workspaceId, { userId: app.userId, clientId: app.clientId })
    expect(await remainingIds()).toEqual([ids.get(otherApp)])
    await removeSubscriptions(world.deps.db, world.seed.workspaceId, { userId: world.seed.userId })
    expect(await remainingIds()).toEqual([])
    expect(await subscriptionsOf(otherWorkspaceCaller.workspaceId)).toHaveLength(1)
  })
})

describe('removal and rotation', () => {
  it('ends what waits for a subscription that is removed, and keeps the event', async () => {
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
    expect(await world.deps.db.selectFrom('webhook_delivery').selectAll().execute()).toEqual([])
  })

  it('lets another connection of the workspace remove a subscription', async () => {
    const { subscription } = await subscribe(world.deps, await seedApiKeyCaller(world.deps, world.seed), body)
    await unsubscribe(world.deps, await seedAppCaller(world.deps, world.seed), subscription.id)
    expect(await subscriptionsOf(world.seed.workspaceId)).toEqual([])
  })

  it('does not find a subscription that is unknown, removed, or of another workspace', async () => {
    const caller = await seedApiKeyCaller(world.deps, world.seed)
    const stranger = await seedApiKeyCaller(world.deps, await seedWorkspace(world.deps, 'Other'))
    const { subscription } = await subscribe(world.deps, caller, body)
    const notFound = { code: 'not_found' }
    await expect(unsubscribe(world.deps, caller, Number.MAX_SAFE_INTEGER)).rejects.toMatchObject(notFound)
    await expect(unsubscribe(world.deps, stranger, subscription.id)).rejects.toMatchObject(notFound)
    await unsubscribe(world.deps, caller, subscription.id)
    await expect(unsubscribe(world.deps, caller, subscription.id)).rejects.toMatchObject(notFound)
  })

  it('rotates no secret of another workspace', async () => {
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
