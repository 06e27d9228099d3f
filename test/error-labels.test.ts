import { expect, it } from '@jest/globals'
import type { PlainInputField } from 'zapier-platform-core'
import app from '../index.ts'
import { apiPath, errorBody, parseBody, run, runExpectingError, stubResponse } from './support/connector.ts'

// The form has a label for every field that a step sends, and errors name the field by this label.
interface Step {
  operation: { inputFields: readonly PlainInputField[] }
}
const { triggers, creates } = app as unknown as Record<'triggers' | 'creates', Record<string, Step>>

const everything = {
  campaign_id: '12',
  agent_id: '1',
  phone_number_id: '1',
  phone_number: '2025550100',
  country: 'US',
  first_name: 'Maya',
  last_name: 'Okafor',
  email: 'maya@example.com',
  external_reference: 'crm-2291',
  time_zone: 'UTC',
  variables: { 'product.name': 'Roof' },
  scheduled_at: '2026-05-04T09:00:00Z',
  if_already_queued: 'queue',
  test: 'no',
  consent_source: 'Website form',
  consent_at: '2026-05-04 09:00 UTC',
  consent_kind: 'written',
  do_not_call: 'no',
  metadata: { lead_id: '7' },
  reason: 'Unsubscribed',
  name: 'Website leads',
  calling_hours_days: ['mon'],
  calling_hours_start: '09:00',
  calling_hours_end: '17:00',
  max_concurrent_calls: '5',
  retry_max_attempts: '3',
  retry_delay_minutes: '60',
  retry_on: ['busy'],
  closed_on_federal_holidays: 'no',
  one_conversation_per_day: 'no',
  consent_required: 'any',
  consent_max_age_days: '30',
  outcome: ['answered'],
  goal_met: 'yes',
  include_test_calls: 'no',
}

const steps = [
  ['queue_call', '/contacts/', { call: { id: 7, contact: {} } }],
  ['queue_call_and_wait', '/contacts/', { call: { id: 7, contact: {} } }],
  ['create_campaign', '/campaigns/', { id: 7 }],
  ['cancel_waiting_calls', '/calls/cancel', { canceled: [] }],
  ['add_to_do_not_call_list', '/do-not-call/', { do_not_call: true }],
  ['call_completed', '/webhooks/subscribe', { id: 7 }],
  ['contact_opted_out_in_a_call', '/webhooks/subscribe', { id: 7 }],
] as const

/** Fields that the connector fills in itself, so they're not in the form. */
const fromConnector = ['callback_url', 'lenient', 'target_url', 'event', 'filter.opted_out']

const listPaths = (value: unknown, path = ''): string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, item]) => listPaths(item, path === '' ? key : `${path}.${key}`))
    : [path]

it.each(steps)(
  'in errors, %s names each field by its label instead of its path',
  async (key, path, response) => {
    const method =
      key in triggers ? `triggers.${key}.operation.performSubscribe` : `creates.${key}.operation.perform`
    const bundle = {
      inputData: everything,
      targetUrl: 'https://hooks.zapier.com/1/',
      callbackUrl: 'https://zapier.com/1/',
    }
    const sent = stubResponse('POST', apiPath(path), 201, response)
    await run(method, bundle)
    const labels = ((triggers[key] ?? creates[key])?.operation.inputFields ?? []).flatMap(
      ({ label }) => label ?? [],
    )

    const fields = listPaths(parseBody(sent)).filter((field) => !fromConnector.includes(field))
    expect(fields.length).toBeGreaterThanOrEqual(2)
    const used: string[] = []
    for (const field of fields) {
      const detail = { field, code: 'invalid_value', message: `${field} isn't allowed.` }
      stubResponse('POST', apiPath(path), 422, errorBody('validation_failed', detail.message, [detail]))
      const { message } = await runExpectingError(method, bundle)
      const [, label = '', entry] =
        /^(.*?)( ".*")? isn't allowed\. \(Request ID: req_42\)$/.exec(message) ?? []
      expect([field, labels]).toEqual([field, expect.arrayContaining([label])])
      expect([field, entry]).toEqual([
        field,
        /^(variables|metadata)/.test(field) ? expect.any(String) : undefined,
      ])
      used.push(label)
    }
    const sentElsewhere = ['Deduplication Key']
    expect(labels.filter((label) => !used.includes(label) && !sentElsewhere.includes(label))).toEqual([])
  },
)

it.each(['idempotency_key_reused', 'idempotency_key_in_use'])(
  'explains %s without the word “idempotency”',
  async (code) => {
    stubResponse('POST', apiPath('/contacts/'), 409, errorBody(code, 'The Idempotency-Key was used.'))

    const { message } = await runExpectingError('creates.queue_call.operation.perform', {
      inputData: everything,
    })
    expect(message).toContain('Deduplication Key')
    expect(message).not.toMatch(/idempotency/i)
  },
)

it('explains an error detail about the deduplication key without the word “idempotency”', async () => {
  const detail = {
    field: 'Idempotency-Key',
    code: 'invalid_idempotency_key',
    message: 'Idempotency-Key is empty.',
  }
  stubResponse('POST', apiPath('/contacts/'), 422, errorBody('validation_failed', detail.message, [detail]))

  const { message } = await runExpectingError('creates.queue_call.operation.perform', {
    inputData: everything,
  })
  expect(message).toMatch(/^The Deduplication Key is empty/)
  expect(message).not.toMatch(/idempotency/i)
})

it('in an error, replaces a path such as calling_hours.start with the label Calling Hours Start', async () => {
  const details = [
    { field: 'time_zone', code: 'invalid', message: 'time_zone is unknown.' },
    { field: 'calling_hours.start', code: 'invalid', message: 'calling_hours.start is unknown.' },
    { field: 'phone_number_id', code: 'invalid', message: 'phone_number_id is unknown.' },
  ]
  const summary = details.map(({ message }) => message).join(' ')
  stubResponse('POST', apiPath('/campaigns/'), 422, errorBody('validation_failed', summary, details))

  expect(
    await runExpectingError('creates.create_campaign.operation.perform', { inputData: everything }),
  ).toMatchObject({
    message: expect.stringMatching(/^Time Zone is .* Calling Hours Start is .* Phone Number is unknown\./),
  })
})

it("if an error names a field that isn't on the form, turns that name into a label", async () => {
  const detail = { field: 'callback_url', code: 'too_many', message: 'callback_url has too many.' }
  stubResponse('POST', apiPath('/contacts/'), 422, errorBody('validation_failed', detail.message, [detail]))

  expect(
    await runExpectingError('creates.queue_call.operation.perform', { inputData: everything }),
  ).toMatchObject({
    message: 'Callback URL has too many. (Request ID: req_42)',
  })
})
