import { describe, expect, it } from '@jest/globals'
import { ContactAdded, ErrorResponse } from '@outdial/contract'
import { sql } from 'kysely'
import { eraseContact } from '../../privacy/erase-contact.ts'
import { findDoNotCallEntry } from '../../queue/calls/check-do-not-call.ts'
import { getCall } from '../support/calls.ts'
import { freshNumber, seedCampaign } from '../support/factories.ts'
import { parseError, useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()

const post = (fields: object, headers?: Record<string, string>) =>
  api.send({
    method: 'POST',
    path: '/contacts/',
    body: { phone_number: freshNumber(), campaign_id: api.seed.campaignId, ...fields },
    ...(headers && { headers }),
  })

async function add(fields: object, headers?: Record<string, string>): Promise<ContactAdded> {
  const response = await post(fields, headers)
  expect(response.statusCode).toBe(201)
  return ContactAdded.parse(response.json())
}

const addLeniently = (fields: object) => add({ ...fields, lenient: true })

const listWarnings = ({ warnings }: ContactAdded) => warnings.map(({ field, code }) => `${field} ${code}`)

const tooMany = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`key ${index}`, 'value']))

describe('a lenient request', () => {
  it('queues the call but leaves out an invalid email address, and returns a warning', async () => {
    const added = await addLeniently({ first_name: 'Maya', email: 'N/A' })
    expect(added.contact).toMatchObject({ first_name: 'Maya', email: null })
    expect(added.call.status).toBe('queued')
    expect(added.warnings).toEqual([
      {
        field: 'email',
        code: 'invalid_email',
        message:
          "Left out: email isn't a valid email address. Enter it like ada@example.com, or leave it blank.",
      },
    ])
  })

  it('keeps the stored email address if an invalid new one is left out', async () => {
    const phone_number = freshNumber()
    await addLeniently({ phone_number, email: 'maya@example.com' })
    const again = await post({ phone_number, email: 'none', lenient: true })
    expect(ContactAdded.parse(again.json()).contact.email).toBe('maya@example.com')
  })

  it.each([
    ['an unreadable date', { source: 'Website form', at: 'yesterday' }, 'consent.at invalid_datetime'],
    ['a date without a time zone', { source: 'Form', at: '2026-01-02 09:30' }, 'consent.at invalid_datetime'],
    ['a date in the future', { source: 'Form', at: '2999-01-02T09:30:00Z' }, 'consent.at in_the_future'],
    ['no source', { at: '2026-01-02T09:30:00Z' }, 'consent.source required'],
    ['no date', { source: 'Website form' }, 'consent.at required'],
    ['a long source', { source: 'x'.repeat(501), at: '2026-01-02T09:30:00Z' }, 'consent.source too_long'],
  ])('leaves out a consent with %s, and returns a warning', async (_, consent, warning) => {
    const added = await addLeniently({ consent })
    expect(added.contact.consent).toBeNull()
    expect(listWarnings(added)).toEqual([warning])
  })

  it('leaves out an invalid kind of consent, and keeps the source and the date', async () => {
    const consent = { source: 'Form', at: '2026-01-02T09:30:00.000Z' }
    const added = await addLeniently({ consent: { ...consent, kind: 'by phone' } })
    expect(added.contact.consent).toEqual({ ...consent, kind: null })
    expect(added.warnings).toEqual([
      {
        field: 'consent.kind',
        code: 'invalid_value',
        message: "Left out: consent.kind has a value that isn't allowed. Use one of these: written, oral.",
      },
    ])
  })

  it('leaves out the kind of a consent that has no source or date', async () => {
    const added = await addLeniently({ consent: { kind: 'written' } })
    expect(added.contact.consent).toBeNull()
    expect(listWarnings(added)).toEqual(['consent.source required', 'consent.at required'])
  })

  it('leaves out variables and metadata entries that are too long, and keeps the others', async () => {
    const added = await addLeniently({
      variables: { note: 'x'.repeat(2_001), product: 'roof' },
      metadata: { note: 'x'.repeat(501), ['k'.repeat(250)]: 'long name', 'a.b\u0000': 'c', lead_id: '7' },
    })
    expect(added.contact.variables).toEqual({ product: 'roof' })
    expect(added.call.metadata).toEqual({ lead_id: '7' })
    expect(added.warnings.map(({ field }) => field.slice(0, 15)).toSorted()).toEqual([
      'metadata.a.b\uFFFD',
      'metadata.kkkkkk',
      'metadata.note',
      'variables.note',
    ])
  })

  it('leaves out the last metadata entries if there are too many', async () => {
    const added = await addLeniently({ metadata: tooMany })
    expect(Object.keys(added.call.metadata)).toHaveLength(50)
    expect(listWarnings(added)).toEqual(['metadata too_big'])
  })

  it.each([
    ['phone_number', { phone_number: '12' }],
    ['country', { phone_number: '2025550100', country: 'USA' }],
    ['time_zone', { time_zone: 'Mars/Base' }],
    ['scheduled_at', { scheduled_at: 'tomorrow' }],
    ['do_not_call', { do_not_call: 'perhaps' }],
    ['test', { test: 'perhaps' }],
    ['campaign_id', { campaign_id: 'Q1' }],
    ['first_name', { first_name: 'x'.repeat(201) }],
    ['metadata.lead', { metadata: { lead: { id: 7 } } }],
    ['metadata.lead.id', { metadata: { lead: { id: '\u0000' } } }],
    ['consent.form', { consent: { source: 'Form', at: '2026-01-02T09:30:00Z', form: 7 } }],
    ['consent', { consent: 'yes' }],
    ['email', { email: 7 }],
    ['mail', { mail: 'a@example.com' }],
  ])('is rejected if %s is invalid, and the error names only this field', async (field, fields) => {
    const response = await post({ email: 'N/A', ...fields, lenient: true })
    expect(response.statusCode).toBe(422)
    expect(parseError(response).details.map((detail) => detail.field)).toEqual([field])
  })

  it.each([
    '{"variables":["\\u0000"]}',
    '{"metadata":["a\\ud800"]}',
    '{"variables":"ab","variables.0":"\\u0000"}',
    '{"consent.x":"\\u0000"}',
    '{"consent.x":"\\u0000","consent":{"source":"Form"}}',
    '{"consent.kind":"\\u0000"}',
    '{"consent.kind":"\\u0000","consent":{"kind":"by phone"}}',
    '{"email.x":"\\u0000","email":"N/A"}',
    '{"metadata":{"a":{"b":"\\u0000"}},"metadata.a":"\\u0000"}',
  ])('is rejected if it contains %s', async (json) => {
    const response = await post({ ...(JSON.parse(json) as object), lenient: true })
    expect(response.statusCode).toBe(422)
  })

  it("returns the same warnings if it's repeated, and its idempotency key can't be reused for a strict request", async () => {
    const phone_number = freshNumber()
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const body = { phone_number, metadata: tooMany, lenient: true }
    const first = await add(body, headers)
    const repeated = await post(body, headers)
    expect(repeated.json()).toEqual(first)
    const strict = await post({ phone_number, metadata: first.call.metadata }, headers)
    expect(parseError(strict).code).toBe('idempotency_key_reused')
  })

  it('an error about a reused idempotency key names the call of the first request, until the contact is erased', async () => {
    const phone_number = freshNumber()
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const { call, contact } = await add({ phone_number }, headers)
    const reuse = async () =>
      ErrorResponse.parse((await post({ phone_number, first_name: 'Maya' }, headers)).json()).error
    const message = `The key was used for call ${call.id} (${call.url}). Open that call.`
    expect(await reuse()).toMatchObject({
      code: 'idempotency_key_reused',
      message: expect.stringContaining(`for call ${call.id} (${call.url})`),
      details: [{ field: 'call_id', code: 'used_for_call', message }],
    })
    await eraseContact(api.deps, api.seed.workspaceId, contact.id)
    const afterErasure = await reuse()
    expect(afterErasure.details).toEqual([])
    expect(afterErasure.message).not.toContain(String(call.url))
  })

  it("returns its warnings even if the contact's call was already waiting", async () => {
    const phone_number = freshNumber()
    await addLeniently({ phone_number })
    const again = await post({ phone_number, email: 'N/A', lenient: true })
    expect(again.statusCode).toBe(200)
    expect(listWarnings(ContactAdded.parse(again.json()))).toEqual(['email invalid_email'])
  })
})

it.each([
  { email: 'N/A' },
  { metadata: tooMany },
  { consent: { source: 'Form' } },
  { consent: { kind: 'oral' } },
])("rejects an invalid value if the request isn't lenient: %j", async (fields) => {
  expect((await post(fields)).statusCode).toBe(422)
  expect((await post({ ...fields, lenient: false })).statusCode).toBe(422)
})

describe("variables that the agent doesn't list", () => {
  const setAgentVariables = (variables: string[]) =>
    api.deps.db
      .updateTable('agent')
      .set({ variables })
      .where('workspace_id', '=', api.seed.workspaceId)
      .execute()

  it('are saved under a listed name that differs only in capitalization, spaces, _, or -', async () => {
    await setAgentVariables(['product_name', 'city'])
    const added = await addLeniently({ variables: { 'Product Name': 'roof', CITY: 'Rome' } })
    expect(added.contact.variables).toEqual({ product_name: 'roof', city: 'Rome' })
    expect(added.warnings).toEqual([])
  })

  it('are saved as typed, and named in a warning, if no listed name is similar', async () => {
    await setAgentVariables(['product'])
    const added = await addLeniently({ variables: { sort_code: 'roof' } })
    expect(added.contact.variables).toEqual({ sort_code: 'roof' })
    expect(added.warnings).toEqual([
      {
        field: 'variables.sort_code',
        code: 'unknown_variable',
        message: "variables.sort_code isn't one of the agent's variables. Check its name.",
      },
    ])
  })

  it('are saved as typed, with a warning, if the request already has a value for the similar listed name', async () => {
    await setAgentVariables(['product'])
    const added = await addLeniently({ variables: { Product: 'wall', product: 'roof' } })
    expect(added.contact.variables).toEqual({ Product: 'wall', product: 'roof' })
    expect(listWarnings(added)).toEqual(['variables.Product unknown_variable'])
  })

  it('are saved as typed, with a warning, if the request is strict', async () => {
    await setAgentVariables(['product'])
    const added = await add({ variables: { Product: 'wall' } })
    expect(added.contact.variables).toEqual({ Product: 'wall' })
    expect(listWarnings(added)).toEqual(['variables.Product unknown_variable'])
  })

  it('cause no warnings if the agent lists no variables', async () => {
    await setAgentVariables([])
    expect((await addLeniently({ variables: { anything: 'goes' } })).warnings).toEqual([])
  })
})

it("removes an erased contact's data from the warnings in stored responses and from the API log", async () => {
  const secret = 'maya-secret'
  const variables = { [secret]: 'x'.repeat(2_001) }
  const added = await add(
    { variables, email: `${secret}@`, lenient: true },
    { 'idempotency-key': crypto.randomUUID() },
  )
  expect(JSON.stringify(added.warnings)).not.toContain(`${secret}@`)
  await eraseContact(api.deps, api.seed.workspaceId, added.contact.id)
  for (const table of ['idempotent_response', 'api_request'] as const) {
    const rows = await api.deps.db.selectFrom(table).selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(secret)
  }
})

it('if a lenient request would give a contact too many variables, leaves out the new ones, and saves the changed ones', async () => {
  const phone_number = freshNumber()
  const full = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`name ${index}`, 'old']))
  await addLeniently({ phone_number, variables: full })
  const body = { phone_number, variables: { 'name 7': 'new', another: 'one' }, lenient: true }
  const added = ContactAdded.parse((await post(body)).json())
  expect(added.contact.variables['name 7']).toBe('new')
  expect(Object.keys(added.contact.variables)).toHaveLength(100)
  expect(listWarnings(added)).toEqual(['variables too_big'])
  expect((await post({ ...body, lenient: false })).statusCode).toBe(422)
})

it('replays a response that an earlier version stored without the field for warnings', async () => {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const body = { phone_number: freshNumber() }
  const { contact } = await add(body, headers)
  await api.deps.db
    .updateTable('idempotent_response')
    .set({ body: sql`body - 'warnings'` })
    .execute()
  const replayed = await post(body, headers)
  expect(replayed.statusCode).toBe(201)
  expect(replayed.json()).toMatchObject({ warnings: [] })
  await eraseContact(api.deps, api.seed.workspaceId, contact.id)
})

it('replays a response that an earlier version stored without the kind of a consent', async () => {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const consent = { source: 'Form', at: '2026-01-02T09:30:00.000Z' }
  const body = { phone_number: freshNumber(), consent }
  await add(body, headers)
  await api.deps.db
    .updateTable('idempotent_response')
    .set({ body: sql`body #- '{contact,consent,kind}' #- '{call,contact,consent,kind}'` })
    .execute()
  const replayed = await post(body, headers)
  expect(replayed.statusCode).toBe(201)
  expect(ContactAdded.parse(replayed.json()).contact.consent).toEqual(consent)
})

it("rejects a reused idempotency key if two lenient requests differ only in a value that's left out", async () => {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const body = { phone_number: freshNumber(), lenient: true }
  await add({ ...body, consent: { source: 'Form' } }, headers)
  expect(parseError(await post(body, headers)).code).toBe('idempotency_key_reused')
})

describe('a request that opts a contact out', () => {
  const isListed = async (phoneNumber: string) =>
    (await findDoNotCallEntry(api.deps.db, api.seed.workspaceId, phoneNumber)) !== undefined

  it.each([
    ['for a name that is too long', { first_name: 'x'.repeat(201) }],
    ['for an unknown time zone', { time_zone: 'Mars/Base' }],
    ['for a time that is too far ahead', { scheduled_at: '2999-01-01T00:00:00Z' }],
    ['for an unknown field', { nickname: 'May' }],
    ['for an unknown campaign', { campaign_id: 999_999 }],
    ['for a missing campaign', { campaign_id: null }],
    ['for an unknown country of a number with a country code', { country: 'Texas' }],
  ])("if it's rejected %s, still puts the number on the do-not-call list", async (_, fields) => {
    const phone_number = freshNumber()
    const response = await post({ phone_number, do_not_call: true, ...fields })
    expect([404, 422]).toContain(response.statusCode)
    expect(await isListed(phone_number)).toBe(true)
  })

  it("if it's rejected because the campaign is archived, still suppresses the contact's waiting calls in other campaigns", async () => {
    const phone_number = freshNumber()
    const { call } = await add({ phone_number })
    const archived = await seedCampaign(api.deps, api.seed)
    await api.deps.db.updateTable('campaign').set({ status: 'archived' }).where('id', '=', archived).execute()
    const response = await post({ phone_number, campaign_id: archived, do_not_call: true })
    expect(parseError(response).code).toBe('campaign_archived')
    expect((await getCall(api.deps, api.seed, call.id)).outcome).toBe('suppressed')
  })

  it("if it's rejected because its idempotency key was used with other data, still puts the number on the do-not-call list", async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    await add({}, headers)
    const phone_number = freshNumber()
    const response = await post({ phone_number, do_not_call: true }, headers)
    expect(parseError(response).code).toBe('idempotency_key_reused')
    expect(await isListed(phone_number)).toBe(true)
  })

  it('if the do-not-call route rejects it, still puts the number on the do-not-call list', async () => {
    for (const fields of [{ reason: 'x'.repeat(501) }, { country: 'Texas' }, { note: 'a' }]) {
      const phone_number = freshNumber()
      const body = { phone_number, ...fields }
      expect((await api.send({ method: 'POST', path: '/do-not-call/', body })).statusCode).toBe(422)
      expect(await isListed(phone_number)).toBe(true)
    }
  })

  it("if it's rejected, still opts the contact out only if do_not_call is true and the number is valid", async () => {
    const phone_number = freshNumber()
    expect((await post({ phone_number, nickname: 'May' })).statusCode).toBe(422)
    expect((await post({ phone_number, do_not_call: false, nickname: 'May' })).statusCode).toBe(422)
    expect(await isListed(phone_number)).toBe(false)
    expect((await post({ phone_number: 'n/a', do_not_call: true })).statusCode).toBe(422)
  })
})
