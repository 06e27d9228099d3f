import { expect, it } from '@jest/globals'
import { CallsCanceled, ContactAdded } from '@outdial/contract'
import { addContact, dialCall, getCall, listEvents, toCaller } from '../support/calls.ts'
import { freshNumber, seedCampaign } from '../support/factories.ts'
import { lockQueue, waitForLockWaiters } from '../support/locks.ts'
import { parseError, useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()

const send = (body: object, key = api.key) => api.send({ method: 'POST', path: '/calls/cancel', body, key })

async function cancel(body: object): Promise<number[]> {
  const response = await send(body)
  expect(response.statusCode).toBe(200)
  return CallsCanceled.parse(response.json()).canceled
}

async function queueCall(phone_number: string, values: object = {}) {
  const body = { phone_number, campaign_id: api.seed.campaignId, ...values }
  const response = await api.send({ method: 'POST', path: '/contacts/', body })
  return ContactAdded.parse(response.json())
}

const seedOtherCampaign = () => seedCampaign(api.deps, { ...api.seed, name: 'Follow-up' })

it("cancels a contact's waiting calls in all campaigns, and publishes each call's event", async () => {
  const number = freshNumber()
  const { call, contact } = await queueCall(number)
  const { call: other } = await queueCall(number, { campaign_id: await seedOtherCampaign() })
  const { call: test } = await queueCall(number, { test: true })
  const { call: unrelated } = await queueCall(freshNumber())
  const ids = [call.id, other.id, test.id]
  expect(await cancel({ contact_id: contact.id })).toEqual(ids)
  for (const id of ids) {
    const canceled = await getCall(api.deps, api.seed, id)
    expect(canceled).toMatchObject({
      status: 'completed',
      outcome: 'canceled',
      ended_reason: 'canceled_by_user',
    })
    expect((await listEvents(api.deps, id)).map((event) => event.data)).toEqual([canceled])
  }
  expect(await getCall(api.deps, api.seed, unrelated.id)).toMatchObject({ status: 'queued' })
})

it('if phone_number contains several numbers, cancels the waiting calls to all of them', async () => {
  const [mobile, office] = [freshNumber(), freshNumber()]
  const { call } = await queueCall(mobile)
  const { call: other } = await queueCall(office)
  const response = await send({ phone_number: `${office} ext. 12, p:${mobile}` })
  expect(response.json()).toEqual({
    canceled: [call.id, other.id],
    phone_numbers: [office, mobile],
    url: `${api.deps.config.publicUrl}/w/${api.seed.workspaceId}/calls?search=%2B${office.slice(1)}`,
  })
})

it('if the calls are already canceled, returns an empty list and publishes no second event', async () => {
  const number = freshNumber()
  const { call } = await queueCall(number)
  expect(await cancel({ phone_number: number })).toEqual([call.id])
  expect(await cancel({ phone_number: number })).toEqual([])
  expect(await listEvents(api.deps, call.id)).toHaveLength(1)
})

it('if the request names a campaign, cancels only the calls in that campaign', async () => {
  const number = freshNumber()
  const { call } = await queueCall(number)
  const campaign_id = await seedOtherCampaign()
  const { call: other } = await queueCall(number, { campaign_id })
  expect(await cancel({ phone_number: number, campaign_id })).toEqual([other.id])
  expect(await getCall(api.deps, api.seed, call.id)).toMatchObject({ status: 'queued' })
})

it("treats a number without a country code as one in the request's country, or else in the workspace's country", async () => {
  const american = await queueCall('(202) 555-9201')
  const british = await queueCall('020 7946 0958', { country: 'GB' })
  expect(await cancel({ phone_number: '202-555-9201' })).toEqual([american.call.id])
  expect(await cancel({ phone_number: '020 7946 0958', country: 'GB' })).toEqual([british.call.id])
})

it('returns an empty list for a number that no contact has', async () => {
  expect(await cancel({ phone_number: freshNumber() })).toEqual([])
})

it("doesn't cancel a call that is being dialed", async () => {
  const number = freshNumber()
  const { call } = await queueCall(number)
  await dialCall(api.deps, api.seed, call.id)
  expect(await cancel({ phone_number: number })).toEqual([])
  expect(await getCall(api.deps, api.seed, call.id)).toMatchObject({ status: 'dialing', outcome: null })
})

it('cancels a call that another request is queueing', async () => {
  const number = freshNumber()
  const { call: old } = await queueCall(number)
  await cancel({ phone_number: number })
  const [queued, canceling] = await api.deps.db.transaction().execute(async (db) => {
    const body = { phone_number: number, campaign_id: api.seed.campaignId }
    const { call } = await addContact({ ...api.deps, db }, toCaller(api.seed), body)
    const waiting = cancel({ phone_number: number })
    await waitForLockWaiters(api.deps.db)
    return [call, [waiting]] as const // in an array, so that the promise isn't awaited: it waits for this transaction
  })
  expect(await canceling[0]).toEqual([queued.id])
  expect(queued.id).not.toBe(old.id)
})

it('cancels the call to a contact that another request is still adding', async () => {
  const number = freshNumber()
  const { adding, canceling } = await lockQueue(api.deps.db, api.seed.campaignId, async () => {
    const pendingContact = queueCall(number)
    await waitForLockWaiters(api.deps.db)
    const pendingCancel = cancel({ phone_number: number })
    await waitForLockWaiters(api.deps.db, 2)
    return { adding: pendingContact, canceling: pendingCancel }
  })
  const added = await adding
  expect(added).toMatchObject({ contact_created: true, call: { status: 'queued' } })
  expect(await canceling).toEqual([added.call.id])
  expect(await getCall(api.deps, api.seed, added.call.id)).toMatchObject({ outcome: 'canceled' })
})

it.each([
  ['neither a number nor a contact', {}, 'phone_number', 'required', 'Send phone_number or contact_id.'],
  [
    'a blank number and no contact',
    { phone_number: '' },
    'phone_number',
    'required',
    'Send phone_number or contact_id.',
  ],
  [
    'both a number and a contact',
    { phone_number: '+12025550100', contact_id: 1 },
    'contact_id',
    'invalid_value',
    'Send only one of them.',
  ],
  [
    'an unreadable number',
    { phone_number: '12' },
    'phone_number',
    'invalid_phone_number',
    'Include the country code',
  ],
])('rejects a request that has %s', async (_what, body, field, code, sentence) => {
  const response = await send(body)
  expect(parseError(response)).toMatchObject({ status: 422, details: [{ field, code }] })
  expect(response.json<{ error: { message: string } }>().error.message).toContain(sentence)
})

it('if the contact or campaign belongs to another workspace, returns 404, names the field, and cancels nothing', async () => {
  const other = await api.seedOtherWorkspace()
  const number = freshNumber()
  const { call, contact } = await queueCall(number)
  for (const [field, body] of [
    ['contact_id', { contact_id: contact.id }],
    ['campaign_id', { phone_number: number, campaign_id: api.seed.campaignId }],
  ] as const) {
    const response = await send(body, other.key)
    expect(parseError(response)).toMatchObject({ status: 404, details: [{ field, code: 'not_found' }] })
  }
  expect(CallsCanceled.parse((await send({ phone_number: number }, other.key)).json()).canceled).toEqual([])
  expect(await getCall(api.deps, api.seed, call.id)).toMatchObject({ status: 'queued' })
})
