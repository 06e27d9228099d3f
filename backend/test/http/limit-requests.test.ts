import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type OutgoingHttpHeaders, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { finished } from 'node:stream'
import { describe, expect, it } from '@jest/globals'
import type { FastifyInstance } from 'fastify'
import { createApp } from '../../app.ts'
import { maxShare } from '../../platform/core/in-progress.ts'
import { connect } from '../../platform/db/connect.ts'
import { leaseDeliveries } from '../../webhooks/delivery-store.ts'
import { subscribe } from '../../webhooks/subscriptions.ts'
import { doNotCallKey } from '../support/database.ts'
import { completeCall, seedApiKeyCaller } from '../support/factories.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { createSender, useApiWorld } from '../support/test-api.ts'
import { waitUntil } from '../support/wait.ts'

const api = useApiWorld()

const lockCampaign = (work: () => Promise<unknown>) =>
  api.deps.db.transaction().execute(async (tx) => {
    const { campaignId } = api.seed
    await tx.selectFrom('campaign').select('id').where('id', '=', campaignId).forUpdate().execute()
    await work()
  })

it('immediately rejects requests, except health checks, while too many others are in progress', async () => {
  const app = await createApp({ ...api.deps, config: { ...api.deps.config, maxRequestsInProgress: 1 } })
  const send = createSender(app, api.key)
  const body = { phone_number: '+12025550100', campaign_id: api.seed.campaignId }
  let queued: ReturnType<typeof send> | undefined
  await lockCampaign(async () => {
    queued = send({ method: 'POST', path: '/contacts/', body })
    await waitForLockWaiters(api.deps.db)
    const rejected = await send({ path: '/agents/' })
    expect([rejected.statusCode, rejected.headers['retry-after']]).toEqual([503, '1'])
    expect(rejected.json()).toMatchObject({ error: { code: 'unavailable' } })
    expect((await app.inject('/healthz')).statusCode).toBe(200)
    expect((await app.inject('/readyz')).statusCode).toBe(200)
  })
  expect((await queued)?.statusCode).toBe(201)
  expect((await send({ path: '/agents/' })).statusCode).toBe(200)
  await app.close()
})

it('leaves capacity to other workspaces while one workspace sends more requests than the process can handle', async () => {
  const max = 10
  const app = await createApp({ ...api.deps, config: { ...api.deps.config, maxRequestsInProgress: max } })
  const send = createSender(app, api.key)
  const other = await api.seedOtherWorkspace()
  const body = { phone_number: '+12025550100', campaign_id: api.seed.campaignId }
  const rejected: unknown[] = []
  let burst: ReturnType<typeof send>[] = []
  await lockCampaign(async () => {
    burst = Array.from({ length: 3 * max }, () => send({ method: 'POST', path: '/contacts/', body }))
    const neighbor = await send({ path: '/agents/', key: other.key })
    for (const sent of burst)
      void sent.then(({ statusCode, headers }) => rejected.push([statusCode, headers['retry-after']]))
    await waitForLockWaiters(api.deps.db)
    await waitUntil(() => rejected.length >= 2 * max + 2)
    expect(neighbor.statusCode).toBe(200)
    expect((await send({ path: '/agents/', key: other.key })).statusCode).toBe(200)
    expect((await app.inject('/readyz')).json()).toEqual({ status: 'ok' })
  })
  expect(rejected.slice(0, 2 * max + 2)).toEqual(Array.from({ length: 2 * max + 2 }, () => [429, '1']))
  const handled = (await Promise.all(burst)).filter(({ statusCode }) => statusCode !== 429)
  expect(handled).toHaveLength(maxShare(max))
  await app.close()
})

it("while an unsubscribe request waits for the last delivery to end, doesn't count the request toward the limit", async () => {
  const { db, clock } = api.deps
  const caller = await seedApiKeyCaller(api.deps, api.seed)
  const target_url = 'https://hooks.example.com/slow'
  const { subscription } = await subscribe(api.deps, caller, { target_url, event: 'call.completed' })
  await completeCall(api.deps, api.seed)
  const leased = await leaseDeliveries(db, {
    ...{ workerId: randomUUID(), now: clock.now(), capacity: 1, perHost: 1 },
    ...{ activeByHost: new Map(), leaseSeconds: 3600 },
  })
  expect(leased).toHaveLength(1)
  const app = await createApp({ ...api.deps, config: { ...api.deps.config, maxRequestsInProgress: 1 } })
  const send = createSender(app, api.key)
  const steps: string[] = []
  const removed = send({ method: 'DELETE', path: `/webhooks/${subscription.id}/` }).then(({ statusCode }) => {
    steps.push('removed')
    return statusCode
  })
  await waitUntil(async () => (await send({ path: '/agents/' })).statusCode === 200)
  steps.push('listed')
  await db
    .updateTable('webhook_delivery')
    .set({ lease_until: new Date(0) })
    .execute()
  expect(await removed).toBe(204)
  expect(steps).toEqual(['listed', 'removed'])
  await app.close()
})

describe('a request whose client has disconnected', () => {
  it('counts toward the limit until its handler has settled, although no response can be sent', async () => {
    const { app, send, post, close } = await listen(1)
    let isClosed = false
    app.server.once('request', (_, response: ServerResponse) => finished(response, () => (isClosed = true)))
    await lockCampaign(async () => {
      const disconnecting = post(JSON.stringify(contact('+12025550178')))
      await waitForLockWaiters(api.deps.db)
      disconnecting.destroy()
      await waitUntil(() => isClosed)
      expect((await send({ path: '/agents/' })).statusCode).toBe(503)
    })
    await waitUntil(async () => (await send({ path: '/agents/' })).statusCode === 200)
    await close()
  })

  it("doesn't count toward the limit if its body is incomplete", async () => {
    const { app, send, post, close } = await listen(1)
    const arrived = once(app.server, 'request')
    const disconnecting = post('{"phone_number":', { 'content-length': 100 })
    await arrived
    await waitUntil(async () => (await send({ path: '/agents/' })).statusCode === 200)
    disconnecting.destroy()
    await waitUntil(async () => (await countConnections(app)) === 0)
    expect((await send({ path: '/agents/' })).statusCode).toBe(200)
    await close()
  })
})

it("doesn't create the contact of a request whose client disconnects before the request is handled", async () => {
  const db = connect({ url: api.url, max: 1, doNotCallKey })
  const { app, send, post, close } = await listen(200, db)
  const phoneNumber = '+12025550177'
  let received = 0
  app.server.on('request', () => (received += 1))
  await db.connection().execute(async () => {
    const disconnecting = post(JSON.stringify(contact(phoneNumber)))
    await waitUntil(() => received === 1)
    disconnecting.destroy()
    await waitUntil(async () => (await countConnections(app)) === 0)
  })
  // These requests wait until the service is done with the first one.
  for (let count = 0; count < 5; count += 1) expect((await send({ path: '/agents/' })).statusCode).toBe(200)
  const contacts = api.deps.db.selectFrom('contact').select('id').where('phone_number', '=', phoneNumber)
  expect(await contacts.execute()).toEqual([])
  await close()
  await db.destroy()
})

const contact = (phoneNumber: string) => ({ phone_number: phoneNumber, campaign_id: api.seed.campaignId })

const countConnections = (app: FastifyInstance): Promise<number> =>
  new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count)))

/** Starts a server that handles at most `max` requests at the same time. `post` sends a request that the test can interrupt. */
async function listen(max: number, db = api.deps.db) {
  const config = { ...api.deps.config, maxRequestsInProgress: max }
  const app = await createApp({ ...api.deps, db, config })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return {
    app,
    send: createSender(app, api.key),
    post: (body: string, headers: OutgoingHttpHeaders = {}) => {
      const post = request({
        ...{ host: '127.0.0.1', port, method: 'POST', path: '/api/public/v1/contacts/' },
        headers: { authorization: `Bearer ${api.key}`, 'content-type': 'application/json', ...headers },
      })
      post.on('error', () => {})
      // If the headers give a length, the body is incomplete, so the request isn't ended.
      if (headers['content-length'] === undefined) post.end(body)
      else post.write(body)
      return post
    },
    close: async () => {
      const closed = once(app.server, 'close')
      await Promise.all([app.close(), closed])
    },
  }
}
