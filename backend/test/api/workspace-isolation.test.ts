import { beforeAll, expect, it } from '@jest/globals'
import { type TestApi, useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()
let other: Awaited<ReturnType<TestApi['seedOtherWorkspace']>>
let callId: number
let hookId: number
beforeAll(async () => {
  other = await api.seedOtherWorkspace()
  const called = await api.send({
    method: 'POST',
    path: '/contacts/',
    body: { phone_number: '+12025550100', campaign_id: api.seed.campaignId, first_name: 'Mine' },
  })
  callId = called.json<{ call: { id: number } }>().call.id
  const body = { target_url: 'https://example.com/hook', event: 'call.completed' }
  const subscribed = await api.send({ method: 'POST', path: '/webhooks/subscribe', body })
  hookId = subscribed.json<{ id: number }>().id
})

it.each(['agents', 'campaigns', 'phone-numbers'])("doesn't list another workspace's %s", async (path) => {
  const ids = async (key: string) =>
    (await api.send({ path: `/${path}/`, key }))
      .json<{ results: { id: number }[] }>()
      .results.map(({ id }) => id)
  const [ownedIds, otherIds] = [await ids(api.key), await ids(other.key)]
  expect([ownedIds.length, otherIds.length]).toEqual([1, 1])
  expect(ownedIds).not.toEqual(otherIds)
})

it("doesn't return another workspace's call, in the list or by ID", async () => {
  const list = await api.send({ path: `/calls/?campaign_id=${api.seed.campaignId}`, key: other.key })
  expect(list.json()).toMatchObject({ results: [] })
  expect((await api.send({ path: `/calls/${callId}/`, key: other.key })).statusCode).toBe(404)
})

it("doesn't remove another workspace's subscription", async () => {
  const path = `/webhooks/${hookId}/`
  expect((await api.send({ method: 'DELETE', path, key: other.key })).statusCode).toBe(404)
  expect((await api.send({ method: 'DELETE', path })).statusCode).toBe(204)
})

it("doesn't subscribe to another workspace's campaign or agent", async () => {
  for (const filter of [{ campaign_id: api.seed.campaignId }, { agent_id: api.seed.agentId }]) {
    const body = { target_url: 'https://example.com/hook', event: 'call.completed', filter }
    const response = await api.send({ method: 'POST', path: '/webhooks/subscribe', body, key: other.key })
    expect(response.statusCode).toBe(404)
  }
})

it('creates a separate contact for the same number in another workspace', async () => {
  const body = { phone_number: '+12025550100', campaign_id: other.seed.campaignId }
  const response = await api.send({ method: 'POST', path: '/contacts/', body, key: other.key })
  expect(response.json()).toMatchObject({ contact_created: true, contact: { first_name: null } })
})
