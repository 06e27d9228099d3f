import { expect, it } from '@jest/globals'
import { ContactAdded } from '@outdial/contract'
import { createApp } from '../../app.ts'
import { maxShare } from '../../platform/core/in-progress.ts'
import { getPools } from '../../platform/db/connect.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { type ApiRequest, createSender, useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()

const sendToApi = (request: ApiRequest) => api.send(request)

const post = (phone_number: string, headers = {}, send = sendToApi) =>
  send({
    method: 'POST',
    path: '/contacts/',
    body: { phone_number, campaign_id: api.seed.campaignId },
    headers,
  })

it('if many requests for a number start before the first one commits, queues only one call', async () => {
  const phone_number = '+12025550171'
  // Starts as many processes as a workspace can have connections in this test.
  const count = maxShare(getPools(api.deps.db)[1].options.max)
  const apps = await Promise.all(Array.from({ length: count }, () => createApp(api.deps)))
  let posts: ReturnType<typeof post>[] = []
  // In each process, one request waits for the locked campaign or for the number that another process has locked. The process's
  // other requests wait for that request.
  await api.deps.db.transaction().execute(async (db) => {
    await db.selectFrom('campaign').select('id').where('id', '=', api.seed.campaignId).forUpdate().execute()
    posts = apps.flatMap((app) => {
      const send = createSender(app, api.key)
      return Array.from({ length: 6 }, () => post(phone_number, {}, send))
    })
    await waitForLockWaiters(api.deps.db, apps.length)
  })
  const responses = (await Promise.all(posts)).map((response) => ContactAdded.parse(response.json()))
  await Promise.all(apps.map((app) => app.close()))
  expect(responses.filter((response) => response.call_queued)).toHaveLength(1)
  expect(responses.filter((response) => response.contact_created)).toHaveLength(1)
})

it('returns 409 while the first request with an idempotency key is running, and replays its response afterward', async () => {
  const phone_number = '+12025550172'
  const headers = { 'idempotency-key': 'held' }
  let first: ReturnType<typeof post> | undefined
  await api.deps.db.transaction().execute(async (db) => {
    await db.selectFrom('campaign').select('id').where('id', '=', api.seed.campaignId).forUpdate().execute()
    first = post(phone_number, headers)
    await waitForLockWaiters(api.deps.db)
    const second = await post(phone_number, headers)
    expect([second.statusCode, second.headers['retry-after']]).toEqual([409, '1'])
    expect(second.json()).toMatchObject({ error: { type: 'conflict', code: 'idempotency_key_in_use' } })
  })
  expect((await first)?.statusCode).toBe(201)
  const third = await post(phone_number, headers)
  expect([third.statusCode, third.headers['idempotent-replayed']]).toEqual([201, 'true'])
})
