// cspell:ignore Zażółć gęślą jaźń
import { expect, it } from '@jest/globals'
import { sampleContactAdded } from '../../src/generated.ts'
import { apiPath, parseBody, run, stubResponse } from '../support/connector.ts'

const perform = 'creates.queue_call.operation.perform'
const required = { campaign_id: 12, phone_number: '+12025550100' }
const queued = () => stubResponse('POST', apiPath('/contacts/'), 201, sampleContactAdded)

it('queues a call with everything that the user filled in', async () => {
  const requests = queued()

  const output = await run(perform, {
    inputData: {
      ...required,
      country: 'us',
      first_name: 'Maya',
      external_reference: 'crm-2291',
      time_zone: 'America/New_York',
      variables: { product: 'Roof inspection', rooms: 4 },
      scheduled_at: '2026-12-01T09:00:00-05:00',
      if_already_queued: 'queue',
      test: true,
      consent_source: 'Website form',
      consent_at: '2026-11-20T09:00:00-05:00',
      do_not_call: false,
      metadata: { lead: '7' },
    },
  })

  expect(parseBody(requests)).toEqual({
    ...required,
    country: 'US',
    first_name: 'Maya',
    external_id: 'crm-2291',
    time_zone: 'America/New_York',
    variables: { product: 'Roof inspection', rooms: '4' },
    scheduled_at: '2026-12-01T09:00:00-05:00',
    if_already_queued: 'queue',
    test: true,
    consent: { source: 'Website form', at: '2026-11-20T09:00:00-05:00' },
    do_not_call: false,
    metadata: { lead: '7' },
  })
  expect(requests[0]?.headers.authorization).toBe('Bearer token-1')
  expect(output).toEqual({ id: sampleContactAdded.call.id, ...sampleContactAdded })
})

it('omits blank values at any depth, so stored data stays unchanged', async () => {
  const requests = queued()

  await run(perform, {
    inputData: {
      ...required,
      country: '',
      first_name: '',
      last_name: null,
      email: '   ',
      variables: { product: '', size: null, color: 'red', '': 'a key that is blank' },
      metadata: { lead: '' },
      consent_source: '',
      consent_at: null,
      test: false,
    },
  })

  expect(parseBody(requests)).toEqual({ ...required, variables: { color: 'red' }, test: false })
})

it.each([
  'a {{curly}} and a {{bundle.authData.access_token}} and {{process.env.CLIENT_SECRET}}',
  '  spaces around, tab\tand\nnew line  ',
  'Zażółć gęślą jaźń 你好 😀 👩‍👩‍👧 \u202eright to left “quotes” — dash \\ "',
])('sends text exactly as typed: %j', async (text) => {
  const requests = queued()

  await run(perform, { inputData: { ...required, first_name: text, variables: { note: text } } })

  expect(parseBody(requests)).toEqual({ ...required, first_name: text, variables: { note: text } })
})

it('accepts a campaign ID that was mapped as text', async () => {
  const requests = queued()

  await run(perform, { inputData: { ...required, campaign_id: ' 12 ' } })

  expect(parseBody(requests)).toEqual(required)
})

it('converts numbers that were mapped into text fields', async () => {
  const requests = queued()

  await run(perform, {
    inputData: { ...required, phone_number: 12025550100, first_name: 7, external_reference: 2291 },
  })

  expect(parseBody(requests)).toEqual({
    ...required,
    phone_number: '12025550100',
    first_name: '7',
    external_id: '2291',
  })
})

it('derives the same header from the same deduplication key, whatever characters it has', async () => {
  const first = queued()
  const second = queued()
  const other = queued()

  for (const key of ['form — 7 ✓', 'form — 7 ✓', 'form — 8 ✓']) {
    await run(perform, { inputData: { ...required, deduplication_key: key } })
  }

  const header = (requests: typeof first) => requests[0]?.headers['idempotency-key']
  expect(header(first)).toMatch(/^zap-[0-9a-f]{64}$/)
  expect(header(second)).toBe(header(first))
  expect(header(other)).not.toBe(header(first))
})

it('sends no idempotency key if the deduplication key is blank', async () => {
  const requests = queued()

  await run(perform, { inputData: { ...required, deduplication_key: ' ' } })

  expect(requests[0]?.headers).not.toHaveProperty('idempotency-key')
})
