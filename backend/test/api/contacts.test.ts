import { beforeEach, expect, it } from '@jest/globals'
import { ContactAdded, ErrorResponse } from '@outdial/contract'
import { hourMs } from '../../platform/core/durations.ts'
import { noNotify } from '../../platform/core/notify.ts'
import { freshNumber, seedCampaign } from '../support/factories.ts'
import { useApiWorld } from '../support/test-api.ts'

let notified: string[] = []
const api = useApiWorld({
  notify: {
    ...noNotify,
    callQueued: () => void notified.push('dialer'),
    deliveryQueued: () => void notified.push('sender'),
    importQueued: () => void notified.push('importer'),
  },
})
beforeEach(() => {
  notified = []
})

async function add(values: object, key?: string) {
  const body = { campaign_id: api.seed.campaignId, ...values }
  const response = await api.send({ method: 'POST', path: '/contacts/', body, key: key ?? api.key })
  if (response.statusCode >= 300) throw new Error(response.body)
  return { status: response.statusCode, ...ContactAdded.parse(response.json()) }
}

async function addInvalid(values: object) {
  const body = { campaign_id: api.seed.campaignId, ...values }
  const response = await api.send({ method: 'POST', path: '/contacts/', body })
  const { error } = ErrorResponse.parse(response.json())
  return { status: response.statusCode, code: error.code, details: error.details }
}

it('creates a contact and queues a call to it', async () => {
  const added = await add({
    phone_number: '(202) 555-9100',
    first_name: 'Zoë',
    email: 'zoe@example.com',
    variables: { product: '{{roof}} 🏠' },
    consent: { source: 'Form', at: '2026-05-04T09:30:00+02:00' },
    metadata: { lead: '7' },
  })
  expect(added).toMatchObject({ status: 201, contact_created: true, call_queued: true })
  expect(added.contact).toMatchObject({
    phone_number: '+12025559100',
    first_name: 'Zoë',
    variables: { product: '{{roof}} 🏠' },
    consent: { source: 'Form', at: '2026-05-04T07:30:00.000Z' },
  })
  expect(added.call).toMatchObject({ status: 'queued', metadata: { lead: '7' }, contact: added.contact })
  expect(notified).toEqual(['dialer'])
})

it("doesn't notify the dialer of a call that can't be placed yet", async () => {
  const paused = await seedCampaign(api.deps, api.seed)
  await api.deps.db.updateTable('campaign').set({ status: 'paused' }).where('id', '=', paused).execute()
  await add({ phone_number: freshNumber(), campaign_id: paused })
  const later = new Date(api.deps.clock.now().getTime() + hourMs).toISOString()
  await add({ phone_number: freshNumber(), scheduled_at: later })
  expect(notified).toEqual([])
})

it('for an existing contact, keeps the values of fields that the request omits or leaves blank, and clears null fields', async () => {
  const phone_number = freshNumber()
  await add({
    phone_number,
    first_name: 'Ann',
    last_name: 'Lee',
    email: 'ann@example.com',
    variables: { a: '1', b: '2' },
    consent: { source: 'Form', at: '2026-05-04T09:30:00Z' },
  })
  api.deps.clock.advance(1000)
  const changed = await add({
    phone_number,
    first_name: '',
    last_name: null,
    variables: { b: '3', c: '' },
    consent: { source: '', at: '' },
  })
  expect(changed).toMatchObject({ status: 200, contact_created: false, call_queued: false })
  expect(changed.contact).toMatchObject({
    first_name: 'Ann',
    last_name: null,
    email: 'ann@example.com',
    variables: { a: '1', b: '3' },
    consent: { source: 'Form' },
    updated_at: api.deps.clock.now().toISOString(),
  })
  const cleared = await add({ phone_number, variables: null, consent: null })
  expect(cleared.contact).toMatchObject({ variables: {}, consent: null })
})

it('leaves the contact unchanged if the request has no contact fields', async () => {
  const phone_number = freshNumber()
  const first = await add({ phone_number, first_name: 'Ann' })
  api.deps.clock.advance(1000)
  const second = await add({ phone_number })
  expect(second.contact).toEqual(first.contact)
})

it('returns the call that is already queued, or queues another call if requested', async () => {
  const phone_number = freshNumber()
  const first = await add({ phone_number })
  const skipped = await add({ phone_number })
  expect([skipped.status, skipped.call_queued, skipped.call.id]).toEqual([200, false, first.call.id])
  const another = await add({ phone_number, if_already_queued: 'queue' })
  expect([another.status, another.call_queued]).toEqual([201, true])
  expect(another.call.id).not.toBe(first.call.id)
})

it('rejects a new variable if the contact already has 100', async () => {
  const phone_number = freshNumber()
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`v${index}`, 'x']))
  await add({ phone_number, variables: many })
  expect(await addInvalid({ phone_number, variables: { more: 'x' } })).toMatchObject({
    status: 422,
    details: [{ field: 'variables', code: 'too_big' }],
  })
  expect((await add({ phone_number })).contact.variables).not.toHaveProperty('more')
})

it('puts a number on the do-not-call list if do_not_call is true, and keeps it there if do_not_call is false', async () => {
  const phone_number = freshNumber()
  const waiting = await add({ phone_number })
  const suppressed = await add({ phone_number, do_not_call: true })
  expect(suppressed.contact.do_not_call).toBe(true)
  expect(suppressed.call).toMatchObject({ status: 'completed', outcome: 'suppressed' })
  const before = await api.send({ path: `/calls/${waiting.call.id}/` })
  expect(before.json()).toMatchObject({ status: 'completed', outcome: 'suppressed' })
  expect((await add({ phone_number, do_not_call: false })).contact.do_not_call).toBe(true)
})

it('if do_not_call is true, adds every number in phone_number to the do-not-call list, and saves the first with the contact', async () => {
  const [mobile, office] = [freshNumber(), freshNumber()]
  const waiting = await add({ phone_number: office })
  const { contact, call } = await add({
    phone_number: `${mobile} ext 4, office ${office}`,
    do_not_call: true,
    first_name: 'Ann',
  })
  expect(contact).toMatchObject({ phone_number: mobile, first_name: 'Ann', do_not_call: true })
  expect(call).toMatchObject({ to_number: mobile, outcome: 'suppressed', ended_reason: 'do_not_call' })
  const before = await api.send({ path: `/calls/${waiting.call.id}/` })
  expect(before.json()).toMatchObject({ status: 'completed', outcome: 'suppressed' })
  expect((await add({ phone_number: office })).contact.do_not_call).toBe(true)
  // Without `do_not_call`, a text with two numbers is rejected, because a call needs one number.
  expect(await addInvalid({ phone_number: `${mobile}, ${office}` })).toMatchObject({
    status: 422,
    details: [{ field: 'phone_number', code: 'invalid_phone_number' }],
  })
})

it('schedules a call for the requested time, or for now if that time is past', async () => {
  const later = new Date(api.deps.clock.now().getTime() + 3_600_000).toISOString()
  const scheduled = await add({ phone_number: freshNumber(), scheduled_at: later })
  expect(scheduled.call).toMatchObject({
    scheduled_at: later,
    next_attempt_at: later,
    waiting_for: 'schedule',
  })
  const late = await add({ phone_number: freshNumber(), scheduled_at: '2001-01-01T00:00:00Z' })
  expect(late.call).toMatchObject({
    scheduled_at: null,
    next_attempt_at: api.deps.clock.now().toISOString(),
  })
})

it.each([
  [{ phone_number: '+12025550100', scheduled_at: '2027-06-01T00:00:00Z' }, 'scheduled_at', 'too_far_ahead'],
  [{ phone_number: '+12025550100', scheduled_at: '2026-06-01T00:00:00' }, 'scheduled_at', 'invalid_datetime'],
  [
    { phone_number: '+12025550100', scheduled_at: '2026-02-30T00:00:00Z' },
    'scheduled_at',
    'invalid_datetime',
  ],
  [{ phone_number: '+12025550100', callback_url: 'https://10.0.0.1/' }, 'callback_url', 'invalid_target_url'],
  [{ phone_number: '+12025550100', callback_url: 'nonsense' }, 'callback_url', 'invalid_url'],
  [{ phone_number: '+12025550100', time_zone: '+02:00' }, 'time_zone', 'invalid_time_zone'],
  [{ phone_number: '+12025550100', email: 'nobody' }, 'email', 'invalid_email'],
  [{ phone_number: '+12025550100', metadata: { a: 'x'.repeat(501) } }, 'metadata.a', 'too_long'],
  [{ phone_number: '12345' }, 'phone_number', 'invalid_phone_number'],
  [{ phone_number: '+12025550100 ext. 7' }, 'phone_number', 'phone_number_extension'],
  [{ phone_number: '020 7946 0000', country: 'ZZ' }, 'country', 'invalid_country'],
  [{ phone_number: '' }, 'phone_number', 'required'],
])('rejects a request with %j', async (values, field, code) => {
  expect(await addInvalid(values)).toMatchObject({
    status: 422,
    code: 'validation_failed',
    details: [{ field, code }],
  })
  expect(notified).toEqual([])
})

it("treats a number without a country code as one in the request's country, or else in the workspace's country", async () => {
  const british = await add({ phone_number: '020 7946 0123', country: 'GB' })
  expect(british.contact.phone_number).toBe('+442079460123')
  const american = await add({ phone_number: '202 555 9321' })
  expect(american.contact.phone_number).toBe('+12025559321')
})

it('if the campaign is unknown, returns 404, names the field, and creates nothing', async () => {
  const phone_number = freshNumber()
  const { seed } = await api.seedOtherWorkspace()
  for (const campaign_id of [seed.campaignId, 424242, Number.MAX_SAFE_INTEGER]) {
    expect(await addInvalid({ phone_number, campaign_id })).toMatchObject({
      status: 404,
      details: [{ field: 'campaign_id' }],
    })
  }
  const contact = await api.deps.db
    .selectFrom('contact')
    .select('id')
    .where('phone_number', '=', phone_number)
    .executeTakeFirst()
  expect(contact).toBeUndefined()
})

it('queues one call for fifty simultaneous requests with the same contact', async () => {
  const phone_number = freshNumber()
  const responses = await Promise.all(Array.from({ length: 50 }, () => add({ phone_number })))
  expect(responses.filter((response) => response.call_queued)).toHaveLength(1)
  expect(responses.filter((response) => response.contact_created)).toHaveLength(1)
  expect(new Set(responses.map((response) => response.call.id)).size).toBe(1)
  expect(responses.map((response) => response.status).sort()).toEqual([...Array<number>(49).fill(200), 201])
})

const consent = { source: 'Form', at: '2026-05-04T07:30:00.000Z' }

it("saves a contact's consent, and returns it with the contact and with the call", async () => {
  const added = await add({ phone_number: freshNumber(), consent: { ...consent, kind: 'oral' } })
  expect(added.contact.consent).toEqual({ ...consent, kind: 'oral' })
  const read = await api.send({ path: `/calls/${added.call.id}/` })
  expect(read.json()).toMatchObject({ contact: { consent: { ...consent, kind: 'oral' } } })
  const unknown = await add({ phone_number: freshNumber(), consent })
  expect(unknown.contact.consent).toEqual({ ...consent, kind: null })
})

it.each([
  ['an unknown kind', { ...consent, kind: 'by phone' }, ['consent.kind invalid_value']],
  ['a kind without a source', { at: consent.at, kind: 'written' }, ['consent.source required']],
  ['a kind without a date', { source: 'Form', kind: 'written' }, ['consent.at required']],
  ['only a kind', { kind: 'written' }, ['consent.source required', 'consent.at required']],
])('rejects a consent with %s', async (_, rejected, issues) => {
  const { status, details } = await addInvalid({ phone_number: freshNumber(), consent: rejected })
  expect(status).toBe(422)
  expect(details.map(({ field, code }) => `${field} ${code}`)).toEqual(issues)
})

const cleared = {
  field: 'consent.kind',
  code: 'consent_kind_cleared',
  message:
    'consent.kind was cleared, because the new consent has another source or date, and no kind. Send the kind of the new consent if you know it.',
}

it.each([
  ['keeps the stored kind if it has the same source and date', consent, 'written', []],
  [
    'keeps the stored kind if it has the same date in another time zone',
    { ...consent, at: '2026-05-04T09:30:00+02:00' },
    'written',
    [],
  ],
  ['clears the stored kind if it has another source', { ...consent, source: 'Fair' }, null, [cleared]],
  [
    'clears the stored kind if it has another date',
    { ...consent, at: '2026-05-04T07:30:00.001Z' },
    null,
    [cleared],
  ],
  ['clears the stored kind if its own kind is null', { ...consent, kind: null }, null, []],
  ['replaces the stored kind if it has another kind', { ...consent, kind: 'oral' }, 'oral', []],
  ['saves its own kind if it has another source', { ...consent, source: 'Fair', kind: 'oral' }, 'oral', []],
])('a consent sent for an existing contact %s', async (_, sent, kind, warnings) => {
  const phone_number = freshNumber()
  await add({ phone_number, consent: { ...consent, kind: 'written' } })
  const added = await add({ phone_number, consent: sent })
  expect(added.contact.consent).toMatchObject({ source: sent.source, kind })
  expect(added.warnings).toEqual(warnings)
})

it('keeps the kind of consent if a request has no consent; clearing a consent, or replacing one without a kind, causes no warning', async () => {
  const phone_number = freshNumber()
  await add({ phone_number, consent: { ...consent, kind: 'written' } })
  const renamed = await add({ phone_number, first_name: 'Ann' })
  expect(renamed.contact.consent).toEqual({ ...consent, kind: 'written' })
  const without = await add({ phone_number, consent: null })
  expect([without.contact.consent, without.warnings]).toEqual([null, []])
  await add({ phone_number, consent })
  const replaced = await add({ phone_number, consent: { ...consent, source: 'Fair' } })
  expect([replaced.contact.consent?.kind, replaced.warnings]).toEqual([null, []])
})

it('if several requests arrive at the same time, decides for each one whether to keep the stored kind of consent', async () => {
  const numbers = [freshNumber(), freshNumber(), freshNumber()]
  const written = { ...consent, kind: 'written' }
  await Promise.all(numbers.slice(1).map((phone_number) => add({ phone_number, consent: written })))
  const sources = ['Form', 'Form', 'Fair']
  const added = await Promise.all(
    numbers.map((phone_number, index) =>
      add({ phone_number, consent: { ...consent, source: sources[index] } }),
    ),
  )
  expect(added.map(({ contact }) => contact.consent?.kind)).toEqual([null, 'written', null])
  expect(added.map(({ warnings }) => warnings)).toEqual([[], [], [cleared]])
})

it('rejects a consent date more than a day in the future, and saves nothing', async () => {
  const consentIn = (hours: number) => ({
    source: 'Form',
    at: new Date(api.deps.clock.now().getTime() + hours * hourMs).toISOString(),
  })
  const phone_number = freshNumber()
  expect(await addInvalid({ phone_number, consent: consentIn(25) })).toMatchObject({
    status: 422,
    details: [
      {
        field: 'consent.at',
        code: 'in_the_future',
        message: 'The consent date is in the future. Enter the date when the person agreed.',
      },
    ],
  })
  // A date up to a day ahead is accepted, because apps send dates in other time zones.
  expect(await add({ phone_number, consent: consentIn(23) })).toMatchObject({ contact_created: true })
})
