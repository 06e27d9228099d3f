import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { ErrorResponse } from '@outdial/contract'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { createApp } from '../../app.ts'
import { connect } from '../../platform/db/connect.ts'
import { roles } from '../../platform/db/roles.ts'
import type { Db } from '../../platform/db/schema.ts'
import { asSuperuser, doNotCallKey } from '../support/database.ts'
import { createDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { createSender, useApiWorld } from '../support/test-api.ts'

let proxy: DatabaseProxy
let db: Db
let app: FastifyInstance
// This hook must run before useApiWorld()'s hook, which drops the database. Jest runs these hooks in registration order.
afterAll(async () => {
  await app.close()
  await db.destroy()
  await proxy.disconnect()
})
const api = useApiWorld()
beforeAll(async () => {
  proxy = await createDatabaseProxy(api.url)
  db = connect({ url: proxy.url, doNotCallKey })
  app = await createApp({ ...api.deps, db })
})

it('returns 503 while the database is unavailable, and works again as soon as the database is back', async () => {
  const send = createSender(app, api.key)
  const body = { phone_number: '+12025550100', campaign_id: api.seed.campaignId }
  const ready = async () => (await app.inject('/readyz')).statusCode
  expect([(await send({ path: '/agents/' })).statusCode, await ready()]).toEqual([200, 200])

  await proxy.disconnect()
  for (const request of [{ path: '/agents/' }, { method: 'POST' as const, path: '/contacts/', body }]) {
    const response = await send(request)
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '5'])
    expect(ErrorResponse.parse(response.json()).error).toMatchObject({
      type: 'server_error',
      code: 'unavailable',
    })
  }
  expect(await ready()).toBe(503)
  expect((await app.inject('/healthz')).statusCode).toBe(200)

  await proxy.reconnect()
  expect(await ready()).toBe(200)
  expect((await send({ method: 'POST', path: '/contacts/', body })).statusCode).toBe(201)
})

it('returns 503 if the database ends the connection during a request, and does the work when the request is repeated', async () => {
  const send = createSender(app, api.key)
  let running: ReturnType<typeof send> | undefined
  await api.deps.db.transaction().execute(async (transaction) => {
    await transaction
      .selectFrom('campaign')
      .select('id')
      .where('id', '=', api.seed.campaignId)
      .forUpdate()
      .execute()
    const body = { phone_number: '+12025550103', campaign_id: api.seed.campaignId }
    running = send({ method: 'POST', path: '/contacts/', body, headers: { 'idempotency-key': 'cut off' } })
    const [pid] = await waitForLockWaiters(api.deps.db)
    await asSuperuser(api.deps.db, (other) => sql`select pg_terminate_backend(${pid})`.execute(other))
    expect((await running).statusCode).toBe(503)
  })
  const again = await send({
    method: 'POST',
    path: '/contacts/',
    body: { phone_number: '+12025550103', campaign_id: api.seed.campaignId },
    headers: { 'idempotency-key': 'cut off' },
  })
  expect([again.statusCode, again.headers['idempotent-replayed']]).toEqual([201, undefined])
})

it('returns 503 from /readyz if no connection in the pool is free in time', async () => {
  const small = connect({ url: api.url, role: roles.service, max: 1 })
  const crowded = await createApp({ ...api.deps, db: small })
  await small.connection().execute(async () => {
    expect((await crowded.inject('/readyz')).statusCode).toBe(503)
  })
  expect((await crowded.inject('/readyz')).statusCode).toBe(200)
  await crowded.close()
  await small.destroy()
})
