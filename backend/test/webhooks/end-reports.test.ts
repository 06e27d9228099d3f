import { describe, expect, it } from '@jest/globals'
import { endMembership } from '../../accounts/access/remove-member.ts'
import { disconnectApp, revokeApiKey } from '../../accounts/access/revoke-connection.ts'
import { parseConfig } from '../../config.ts'
import type { Caller } from '../../platform/core/caller.ts'
import { dayMs, hourMs } from '../../platform/core/durations.ts'
import { subscribe, unsubscribe } from '../../webhooks/subscriptions.ts'
import { completeCall, seedApiKeyCaller, seedAppCaller, seedWorkspace } from '../support/factories.ts'
import { waitForValue } from '../support/wait.ts'
import { useWebhooksWorld } from '../support/webhooks.ts'

// If a subscription ends in Outdial, Outdial notifies Zapier with a DELETE request to the subscription's URL. In these tests,
// the receiver acts as Zapier.
const webhooks = useWebhooksWorld()
const { world, advanceTo, listAttempts, listDeliveries, start, subscriptionRow, waitForAttempts } = webhooks

const withOrigin = (zapierHooksOrigin: string | undefined) => ({
  ...world.deps,
  config: { ...world.deps.config, zapierHooksOrigin },
})
const deps = () => withOrigin(new URL(world.receiver.url()).origin)
const member = (): Caller => ({
  workspaceId: world.seed.workspaceId,
  userId: world.seed.userId,
  apiKeyId: null,
  clientId: null,
  scopes: [],
})
const hookUrl = () => world.receiver.url('/hooks/standard/1/abc/')
const body = (target_url = hookUrl()) => ({ target_url, event: 'call.completed' as const })

async function subscribeApp(target_url = hookUrl()) {
  const app = await seedAppCaller(world.deps, world.seed)
  const { subscription } = await subscribe(world.deps, app, body(target_url))
  return { app, id: subscription.id }
}

const methods = () => world.receiver.requests.map(({ method }) => method)
const listReports = async () => (await listDeliveries()).filter(({ event_id }) => event_id === null)

/** Advances the clock to the next attempt of the only report, and lets the sender make it. */
async function sendReport(): Promise<void> {
  const [report] = await listReports()
  advanceTo(report?.next_attempt_at ?? null)
  await waitForAttempts(1)
}

/** Waits until the report was canceled without an attempt. */
const waitUntilCanceled = () => waitForValue(listReports, (rows) => rows[0]?.status === 'canceled')

describe('the report to Zapier that a subscription ended', () => {
  it('is sent at least five seconds after a member removes the subscription', async () => {
    const { id } = await subscribeApp()
    const removedAt = world.deps.clock.now().getTime()
    await unsubscribe(deps(), member(), id)
    const [report] = await listReports()
    expect(report).toMatchObject({ subscription_id: id, status: 'pending', target_url: hookUrl() })
    expect(Number(report?.next_attempt_at)).toBeGreaterThanOrEqual(removedAt + 5_000)
    start()
    await sendReport()

    expect(world.receiver.requests).toMatchObject([
      { method: 'DELETE', path: '/hooks/standard/1/abc/', body: '' },
    ])
    expect(world.receiver.requests[0]?.headers).not.toHaveProperty('webhook-signature')
    expect(await listReports()).toMatchObject([{ status: 'delivered' }])
    expect(await listAttempts()).toMatchObject([{ status_code: 204, error: null }])
  })

  it.each(['app', 'key', 'member'])("is sent when the subscription's %s loses access", async (kind) => {
    const caller =
      kind === 'key'
        ? await seedApiKeyCaller(world.deps, world.seed)
        : await seedAppCaller(world.deps, world.seed)
    await subscribe(world.deps, caller, body())
    const { workspaceId, userId } = caller
    if (kind === 'app') await disconnectApp(deps(), workspaceId, userId, caller.clientId ?? '')
    if (kind === 'key') await revokeApiKey(deps(), workspaceId, caller.apiKeyId ?? 0)
    if (kind === 'member') await endMembership(deps(), workspaceId, userId)
    start()
    await sendReport()
    expect(methods()).toEqual(['DELETE'])
  })

  it("is sent once for an API key's subscriptions with the same URL, even if their filters differ", async () => {
    const key = await seedApiKeyCaller(world.deps, world.seed)
    for (const outcome of ['answered', 'busy', 'failed'] as const)
      await subscribe(world.deps, key, { ...body(), filter: { outcome: [outcome] } })
    await revokeApiKey(deps(), key.workspaceId, key.apiKeyId)
    expect(await listReports()).toHaveLength(1)
  })

  it('is sent even if the subscription was disabled before it ended', async () => {
    const { id } = await subscribeApp()
    const disabled = { disabled_at: world.deps.clock.now() }
    await world.deps.db.updateTable('webhook_subscription').set(disabled).where('id', '=', id).execute()
    await unsubscribe(deps(), member(), id)
    start()
    await sendReport()
    expect(await listReports()).toMatchObject([{ status: 'delivered' }])
  })

  it.each([200, 302, 404, 410, 429, 500])(
    "is sent only once, whatever the status of Zapier's response: %d",
    async (status) => {
      world.receiver.respond = (_request, response) => response.writeHead(status).end()
      const { id } = await subscribeApp()
      await unsubscribe(deps(), member(), id)
      start()
      await sendReport()
      expect(await listReports()).toMatchObject([{ status: 'delivered', attempts: 1 }])
      expect(await listAttempts()).toMatchObject([{ status_code: status }])
      expect(await subscriptionRow(id)).toMatchObject({ ended_reason: 'unsubscribed', failing_since: null })
    },
  )

  it("is sent again and again for up to a day if Zapier can't be reached", async () => {
    const { id } = await subscribeApp()
    const removedAt = world.deps.clock.now()
    await unsubscribe(deps(), member(), id)
    await world.receiver.close()
    start()
    for (let attempts = 1; (await listReports())[0]?.status === 'pending'; attempts += 1) {
      advanceTo((await listReports())[0]?.next_attempt_at ?? null)
      await waitForAttempts(attempts)
    }
    const [report] = await listReports()
    expect(report).toMatchObject({ status: 'exhausted' })
    const passedMs = Number(report?.finished_at) - removedAt.getTime()
    expect(passedMs).toBeGreaterThan(12 * hourMs)
    expect(passedMs).toBeLessThanOrEqual(dayMs)
  })
})

describe('no report to Zapier', () => {
  it('is sent if Zapier itself ended the subscription', async () => {
    const { app, id } = await subscribeApp()
    await unsubscribe(deps(), app, id)
    expect(await listReports()).toEqual([])
  })

  it('is sent if another connection ended the subscription', async () => {
    const { id } = await subscribeApp()
    await unsubscribe(deps(), await seedApiKeyCaller(world.deps, world.seed), id)
    expect(await listReports()).toEqual([])
  })

  it('is sent if the subscription ended because its URL responded with 410', async () => {
    world.receiver.respond = (_request, response) => response.writeHead(410).end()
    const { id } = await subscribeApp()
    await completeCall(world.deps, world.seed)
    world.workers.push(start())
    await waitForAttempts(1)
    await waitForValue(
      () => subscriptionRow(id),
      (row) => row?.ended_reason === 'gone',
    )
    expect(await listReports()).toEqual([])
  })

  it("is sent if a removed subscription's URL responds with 410 to an attempt that was in progress", async () => {
    const { promise: ended, resolve: respondGone } = Promise.withResolvers<void>()
    world.receiver.respond = (_request, response) => {
      void ended.then(() => response.writeHead(410).end())
    }
    const { id } = await subscribeApp()
    await completeCall(world.deps, world.seed)
    start()
    await waitForValue(
      async () => world.receiver.requests.length,
      (length) => length === 1,
    )
    await unsubscribe(deps(), member(), id)
    respondGone()
    await waitUntilCanceled()
    expect(methods()).toEqual(['POST'])
  })

  it('is sent if an app subscribes again with another filter', async () => {
    const { app } = await subscribeApp()
    await subscribe(deps(), app, { ...body(), filter: { test: 'exclude' } })
    expect(await listReports()).toEqual([])
  })

  it.each(['live', 'disabled'])(
    'is sent if a %s subscription in another workspace has the same URL',
    async (state) => {
      const { id } = await subscribeApp()
      await unsubscribe(deps(), member(), id)
      const other = await seedAppCaller(world.deps, await seedWorkspace(world.deps, 'Other'))
      const { subscription } = await subscribe(world.deps, other, body())
      const disabled_at = state === 'disabled' ? world.deps.clock.now() : null
      await world.deps.db
        .updateTable('webhook_subscription')
        .set({ disabled_at })
        .where('id', '=', subscription.id)
        .execute()
      start()
      advanceTo((await listReports())[0]?.next_attempt_at ?? null)
      await waitUntilCanceled()
      expect(world.receiver.requests).toEqual([])
    },
  )

  it.each([
    'https://hooks.zapier.com.evil.example/1/',
    'https://a.hooks.zapier.com/1/',
    'https://zapier.com/hooks/1/',
    'https://hooks.zapier.com:8443/1/',
    'https://evil.example/https://hooks.zapier.com/1/',
  ])("is sent if the subscription's URL isn't Zapier's: %s", async (url) => {
    const { id } = await subscribeApp(url)
    await unsubscribe(withOrigin('https://hooks.zapier.com'), member(), id)
    expect(await listReports()).toEqual([])
  })

  it('is sent in the demo', async () => {
    expect(parseConfig({}).zapierHooksOrigin).toBeUndefined()
    const { id } = await subscribeApp('https://hooks.zapier.com/1/')
    await unsubscribe(withOrigin(undefined), member(), id)
    expect(await listReports()).toEqual([])
  })
})

it('by default, reports the end of a subscription at hooks.zapier.com, however its URL is written', async () => {
  const { zapierHooksOrigin } = parseConfig({
    DATABASE_URL: 'postgres://localhost/outdial',
    SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
  })
  expect(zapierHooksOrigin).toBe('https://hooks.zapier.com')
  const { id } = await subscribeApp('HTTPS://Hooks.Zapier.com:443/1/')
  await unsubscribe(withOrigin(zapierHooksOrigin), member(), id)
  expect(await listReports()).toMatchObject([{ target_url: 'https://hooks.zapier.com/1/' }])
})

it('saves no report if the transaction that ends the subscription is rolled back', async () => {
  const { id } = await subscribeApp()
  const ending = world.deps.db.transaction().execute(async (db) => {
    await unsubscribe({ ...deps(), db }, member(), id)
    throw new Error('rollback')
  })
  await expect(ending).rejects.toThrow('rollback')
  expect(await listReports()).toEqual([])
})
