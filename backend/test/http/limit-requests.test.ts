import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from '@jest/globals'
import { createApp } from '../../app.ts'
import { connect } from '../../db/connect.ts'
import { doNotCallKey } from '../support/database.ts'
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

it('rejects requests immediately while too many others are in progress, but not health checks', async () => {
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

it('does nothing for a client that has disconnected before its request was handled', async () => {
  const db = connect({ url: api.url, max: 1, doNotCallKey })
  const app = await createApp({ ...api.deps, db })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const phoneNumber = '+12025550177'
  let received = 0
  app.server.on('request', () => (received += 1))
  await db.connection().execute(async () => {
    const post = request({
      ...{ host: '127.0.0.1', port, method: 'POST', path: '/api/public/v1/contacts/' },
      headers: { authorization: `Bearer ${api.key}`, 'content-type': 'application/json' },
    })
    post.on('error', () => {})
    post.end(JSON.stringify({ phone_number: phoneNumber, campaign_id: api.seed.campaignId }))
    await waitUntil(() => received === 1)
    post.destroy()
    await waitUntil(async () => (await countConnections()) === 0)
  })
  // These wait behind what the first request did.
  for (let count = 0; count < 5; count += 1)
    expect((await createSender(app, api.key)({ path: '/agents/' })).statusCode).toBe(200)
  const contacts = api.deps.db.selectFrom('contact').select('id').where('phone_number', '=', phoneNumber)
  expect(await contacts.execute()).toEqual([])
  const closed = once(app.server, 'close')
  await Promise.all([app.close(), closed])
  await db.destroy()

  function countConnections(): Promise<number> {
    return new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count)))
  }
})
