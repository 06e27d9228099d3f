import { describe, expect, it } from '@jest/globals'
import { ContactAdded, DoNotCallNumberList } from '@outdial/contract'
import { lockContact } from '../../platform/db/locks.ts'
import { eraseContact } from '../../privacy/erase-contact.ts'
import { findDoNotCallEntry } from '../../queue/calls/check-do-not-call.ts'
import { addNumbersToDoNotCallList } from '../../queue/calls/do-not-call.ts'
import { addContact } from '../../queue/contacts/add-contact.ts'
import { dialCall, getCall, listEvents, toCaller } from '../support/calls.ts'
import { freshNumber } from '../support/factories.ts'
import { lockQueue, waitForLockWaiters } from '../support/locks.ts'
import { parseError, useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()

const send = (body: object) => api.send({ method: 'POST', path: '/do-not-call/', body })

async function add(body: object): Promise<unknown> {
  const response = await send(body)
  expect(response.statusCode).toBe(200)
  return response.json()
}

async function queueCall(phone_number: string) {
  const body = { phone_number, campaign_id: api.seed.campaignId }
  const response = await api.send({ method: 'POST', path: '/contacts/', body })
  return ContactAdded.parse(response.json())
}

const findEntry = (phoneNumber: string) => findDoNotCallEntry(api.deps.db, api.seed.workspaceId, phoneNumber)

it("adds a number to the list with the reason, and suppresses the number's waiting calls", async () => {
  const number = freshNumber()
  const { call } = await queueCall(number)
  expect(await add({ phone_number: number, reason: 'Booked an appointment' })).toEqual({
    phone_number: number,
    phone_numbers: [number],
    do_not_call: true,
    url: `${api.deps.config.publicUrl}/w/${api.seed.workspaceId}/contacts/do-not-call?number=%2B${number.slice(1)}`,
  })
  expect(await findEntry(number)).toMatchObject({ source: 'api', reason: 'Booked an appointment' })
  const suppressed = await getCall(api.deps, api.seed, call.id)
  expect(suppressed).toMatchObject({ outcome: 'suppressed', ended_reason: 'do_not_call' })
  expect((await listEvents(api.deps, call.id)).map((event) => event.data)).toEqual([suppressed])
  expect((await queueCall(number)).call.outcome).toBe('suppressed')
})

it("waits for a concurrent request that adds a contact with the same number, and suppresses that contact's call", async () => {
  const number = freshNumber()
  const { adding, listing } = await lockQueue(api.deps.db, api.seed.campaignId, async () => {
    const pendingContact = queueCall(number)
    await waitForLockWaiters(api.deps.db)
    const pendingEntry = add({ phone_number: number })
    await waitForLockWaiters(api.deps.db, 2)
    return { adding: pendingContact, listing: pendingEntry }
  })
  const added = await adding
  expect(added).toMatchObject({ contact_created: true, call: { status: 'queued' } })
  await listing
  const suppressed = await getCall(api.deps, api.seed, added.call.id)
  expect(suppressed).toMatchObject({ outcome: 'suppressed', ended_reason: 'do_not_call' })
  expect((await listEvents(api.deps, added.call.id)).map((event) => event.data)).toEqual([suppressed])
})

it("never deadlocks if a contact's number is added to the list while the contact is saved", async () => {
  const { deps, seed } = api
  const number = freshNumber()
  const { contact } = await queueCall(number)
  const { listing, saving } = await deps.db.transaction().execute(async (db) => {
    await lockContact(db, seed.workspaceId, contact.id)
    const entry = { source: 'dashboard', reason: null } as const
    const pendingEntry = addNumbersToDoNotCallList(deps, seed.workspaceId, { contactId: contact.id }, entry)
    await waitForLockWaiters(deps.db)
    const pendingContact = addContact(deps, toCaller(seed), { phone_number: number })
    await waitForLockWaiters(deps.db, 2)
    return { listing: pendingEntry, saving: pendingContact }
  })
  expect(await listing).toEqual([number])
  expect(await saving).toMatchObject({ contact: { id: contact.id, created: false } })
})

it('responds in the same way to a repeated request, and keeps the first reason', async () => {
  const number = freshNumber()
  const { call } = await queueCall(number)
  const first = await add({ phone_number: number, reason: 'Opted out' })
  expect(await add({ phone_number: number, reason: 'Again' })).toEqual(first)
  expect(await findEntry(number)).toMatchObject({ reason: 'Opted out' })
  expect(await listEvents(api.deps, call.id)).toHaveLength(1)
})

it("adds a number that no contact has; without a country code, it counts as one in the request's or the workspace's country", async () => {
  expect(await add({ phone_number: '020 7946 0959', country: 'GB' })).toMatchObject({
    phone_number: '+442079460959',
  })
  expect(await add({ phone_number: '(202) 555-9301' })).toMatchObject({ phone_number: '+12025559301' })
  expect(await findEntry('+442079460959')).toMatchObject({ reason: null })
})

it('if phone_number contains several numbers, adds all of them, and suppresses their waiting calls', async () => {
  const [mobile, office] = [freshNumber(), freshNumber()]
  const calls = [await queueCall(mobile), await queueCall(office)]
  const phone_number = `Mobile: ${mobile} ext 5; office (main desk): ${office} / ${mobile}`
  expect(await add({ phone_number })).toMatchObject({
    phone_number: mobile,
    phone_numbers: [mobile, office],
    do_not_call: true,
  })
  for (const { call } of calls)
    expect(await getCall(api.deps, api.seed, call.id)).toMatchObject({ ended_reason: 'do_not_call' })
  expect(await findEntry(office)).toBeDefined()
})

describe('the check of a number', () => {
  const check = async (query: Record<string, string>, key = api.key) => {
    const path = `/do-not-call/?${new URLSearchParams(query).toString()}`
    const response = await api.send({ path, key })
    expect(response.statusCode).toBe(200)
    return DoNotCallNumberList.parse(response.json())
  }
  const nothing = { results: [], next: null, previous: null }

  it('returns the number with the date, reason, and source of its entry', async () => {
    const number = freshNumber()
    expect(await check({ phone_number: number })).toEqual(nothing)
    await add({ phone_number: number, reason: 'Booked an appointment' })
    const entry = {
      phone_number: number,
      added_at: api.deps.clock.now().toISOString(),
      reason: 'Booked an appointment',
      source: 'api',
    }
    expect(await check({ phone_number: number })).toEqual({ ...nothing, results: [entry] })
    expect(await check({ phone_number: number, offset: '1' })).toMatchObject({ results: [], next: null })
  })

  it('finds the same numbers in phone_number as the route that adds numbers, and returns the first one on the list', async () => {
    const [free, listed] = [freshNumber(), freshNumber()]
    await add({ phone_number: `${listed}, 020 7946 0961`, country: 'GB' })
    const find = async (phone_number: string, country = '') =>
      (await check({ phone_number, country })).results.map((entry) => entry.phone_number)
    expect(await find(`Mobile: ${free} / office: ${listed} ext 5`)).toEqual([listed])
    expect(await find(`'${listed}`)).toEqual([listed])
    expect(await find('020 7946 0961', 'GB')).toEqual(['+442079460961'])
    expect(await find(free)).toEqual([])
  })

  it("finds nothing on another workspace's list", async () => {
    const number = freshNumber()
    await add({ phone_number: number })
    expect(await check({ phone_number: number }, (await api.seedOtherWorkspace()).key)).toEqual(nothing)
  })

  it.each([
    ['no number', '', 'phone_number', 'required'],
    ['text without a number', '?phone_number=555-0197', 'phone_number', 'invalid_phone_number'],
    ['an unknown country', '?phone_number=2025550100&country=XX', 'country', 'invalid_country'],
  ])('rejects a request with %s', async (_what, query, field, code) => {
    const response = await api.send({ path: `/do-not-call/${query}` })
    expect(parseError(response)).toMatchObject({ status: 422, details: [{ field, code }] })
  })
})

it('adds a number that it finds in a long text', async () => {
  const number = freshNumber()
  const note = 'Please remove me from your list. '.repeat(28)
  expect(await add({ phone_number: `${note}${number}` })).toMatchObject({ phone_number: number })
})

it('never deadlocks if simultaneous requests name the same numbers in different orders', async () => {
  const numbers = Array.from({ length: 6 }, () => freshNumber())
  for (const number of numbers) await queueCall(number)
  const orders = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? numbers : numbers.toReversed()))
  const responses = await Promise.all(orders.map((order) => send({ phone_number: order.join(', ') })))
  expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
})

it('adds a number to the list without ending a call to it that is being dialed', async () => {
  const number = freshNumber()
  const { call } = await queueCall(number)
  await dialCall(api.deps, api.seed, call.id)
  await add({ phone_number: number })
  expect(await getCall(api.deps, api.seed, call.id)).toMatchObject({ status: 'dialing' })
})

it('when the contact is erased, erases the reason and keeps the number on the list', async () => {
  const number = freshNumber()
  const { contact } = await queueCall(number)
  await add({ phone_number: number, reason: 'Zelda asked us to stop' })
  await eraseContact(api.deps, api.seed.workspaceId, contact.id)
  expect(await findEntry(number)).toMatchObject({ source: 'api', reason: null, addedBy: null })
})

it.each([
  ['no number', {}, 'phone_number', 'required'],
  ['text without a number', { phone_number: 'call 555-0197' }, 'phone_number', 'invalid_phone_number'],
  ['a very long text', { phone_number: '1'.repeat(1_001) }, 'phone_number', 'too_long'],
  ['a long reason', { phone_number: '+12025550100', reason: 'x'.repeat(501) }, 'reason', 'too_long'],
  ['an unknown country', { phone_number: '2025550100', country: 'XX' }, 'country', 'invalid_country'],
])('rejects a request with %s', async (_what, body, field, code) => {
  expect(parseError(await send(body))).toMatchObject({ status: 422, details: [{ field, code }] })
})
