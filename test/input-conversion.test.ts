import { createRequire } from 'node:module'
import { expect, it } from '@jest/globals'
import { exampleContactAdded } from '@outdial/contract'
import type { PlainInputField } from 'zapier-platform-core'
import app from '../index.ts'
import { sampleCampaign } from '../src/generated.ts'
import {
  apiPath,
  parseBody,
  run,
  runExpectingError,
  type SentRequest,
  stubResponse,
} from './support/connector.ts'

// Before the connector gets a value that a user typed or mapped, Zapier converts it to the field's type. These tests use the
// CLI's conversion, which works "like Zapier production does".
type Convert = (
  inputData: Record<string, unknown>,
  inputFields: readonly PlainInputField[],
  timeZone: string,
) => Record<string, unknown>
const require = createRequire(import.meta.url)
const convert = require('zapier-platform-cli/src/oclif/commands/invoke/input-types.js') as Convert

const values = ['Q1 leads', 'n/a', 'yes', 'false', 1.0, '1.0', ' x ', ['a', 'b'], null] as const

/** What's sent for each of `values`: undefined for a blank field, or an object with the end of an error sentence. */
type Expected = readonly unknown[]
const error = (problem: string) => ({ problem })
const blank = undefined
const oneText = error('must be one text, not a list or a group of values.')

const choice = (problem: string): Expected => [...Array<object>(7).fill(error(problem)), oneText, blank]
const lookup = (noun: string): Expected => {
  const unknown = error(`isn't the ID or the exact name of ${noun}. Choose from the list, or map an ID.`)
  return [unknown, unknown, unknown, unknown, 1, 1, unknown, oneText, blank]
}
const text: Expected = ['Q1 leads', 'n/a', 'yes', 'false', '1', '1.0', 'x', oneText, blank]
const notYesOrNo = error('must be Yes or No.')
const yesOrNo: Expected = [notYesOrNo, notYesOrNo, true, false, true, true, true, oneText, blank]
const notNumber = error('must be a whole number.')
const number: Expected = [notNumber, notNumber, notNumber, notNumber, 1, 1, notNumber, oneText, blank]
const time = choice('must be a time of day, for example 09:00.')
const dateTime = choice('must be a date and time, for example 2026-05-04 09:30.')
/** The connector sends ZZ for an unknown country, so that the API accepts only numbers with a country code. */
const country: Expected = ['ZZ', 'ZZ', 'ZZ', 'ZZ', 'US', 'US', 'ZZ', oneText, blank]
const notPairs = error('must have names on the left and values on the right.')
const dictionary: Expected = [...Array<object>(8).fill(notPairs), blank]
const list = (problem: string): Expected => [...Array<object>(8).fill(error(problem)), blank]
const outcomes =
  'must be Answered, Voicemail, No Answer, Busy, Declined, Failed (Technical Error), Suppressed (Number Must Not Be Called), Expired (Not Placed Within 7 Days), or Canceled (Before It Was Placed).'
const timeZone = choice('must be a time zone, for example New York or America/New_York.')
/** Phone numbers are sent as typed: the API parses them. Only steps that stop calls accept a list of numbers. */
const phoneNumber = text
const phoneNumbers: Expected = text.with(7, 'a, b')

/** Returns what Include Test Calls sends: `exclude` unless the answer is yes. */
const toTestFilter = (answer: unknown) =>
  answer === true ? undefined : typeof answer === 'object' ? answer : 'exclude'

interface StepRows {
  path: string
  response: object
  required: object
  /** By field: where the value is in the body of the API request, and what's expected there for each of `values`. */
  fields: Record<string, readonly [string, Expected]>
}

const steps: Record<string, StepRows> = {
  queue_call: {
    path: '/contacts/',
    response: exampleContactAdded,
    required: { campaign_id: 12, phone_number: '2025550100' },
    fields: {
      campaign_id: ['campaign_id', lookup('a campaign')],
      phone_number: ['phone_number', phoneNumber],
      country: ['country', country],
      first_name: ['first_name', text],
      last_name: ['last_name', text],
      email: ['email', text],
      external_reference: ['external_id', text],
      time_zone: ['time_zone', timeZone],
      variables: ['variables', dictionary],
      scheduled_at: ['scheduled_at', dateTime],
      if_already_queued: [
        'if_already_queued',
        choice('must be Keep the Existing Call or Queue Another Call.'),
      ],
      test: ['test', yesOrNo],
      consent_source: ['consent.source', text],
      // A date that the connector can't parse is sent as typed. The API then leaves it out.
      consent_at: ['consent.at', text],
      consent_kind: ['consent.kind', text],
      do_not_call: ['do_not_call', yesOrNo],
      metadata: ['metadata', dictionary],
    },
  },
  create_campaign: {
    path: '/campaigns/',
    response: sampleCampaign,
    required: { name: 'Website leads', agent_id: 1, phone_number_id: 1 },
    fields: {
      name: ['name', text],
      agent_id: ['agent_id', lookup('a Live agent')],
      phone_number_id: ['phone_number_id', lookup('an active phone number')],
      time_zone: ['time_zone', timeZone],
      calling_hours_days: [
        'calling_hours.days',
        list('must be Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, or Sunday.'),
      ],
      calling_hours_start: ['calling_hours.start', time],
      calling_hours_end: ['calling_hours.end', time],
      closed_on_federal_holidays: ['closed_on_federal_holidays', yesOrNo],
      max_concurrent_calls: ['max_concurrent_calls', number],
      retry_max_attempts: ['retry.max_attempts', number],
      retry_delay_minutes: ['retry.delay_minutes', number],
      retry_on: ['retry.on', list('must be No Answer, Busy, Voicemail, or Failed (Technical Error).')],
      one_conversation_per_day: ['one_conversation_per_day', yesOrNo],
      consent_required: [
        'consent_required',
        choice('must be No Consent Required, Any Consent, or Written Consent.'),
      ],
      consent_max_age_days: ['consent_max_age_days', number],
    },
  },
  cancel_waiting_calls: {
    path: '/calls/cancel',
    response: { canceled: [] },
    required: { phone_number: '2025550100' },
    fields: {
      phone_number: ['phone_number', phoneNumbers],
      country: ['country', country],
      campaign_id: ['campaign_id', lookup('a campaign')],
    },
  },
  add_to_do_not_call_list: {
    path: '/do-not-call/',
    response: { phone_number: '+12025550100', do_not_call: true },
    required: { phone_number: '2025550100' },
    fields: {
      phone_number: ['phone_number', phoneNumbers],
      country: ['country', country],
      // If the reason is a list of values, it's left blank, so that the number still gets on the do-not-call list.
      reason: ['reason', text.with(7, blank)],
    },
  },
  call_completed: {
    path: '/webhooks/subscribe',
    response: { id: 7 },
    required: {},
    fields: {
      campaign_id: ['filter.campaign_id', lookup('a campaign')],
      agent_id: ['filter.agent_id', lookup('a Live agent')],
      outcome: ['filter.outcome', list(outcomes)],
      goal_met: ['filter.goal_met', yesOrNo],
      include_test_calls: ['filter.test', yesOrNo.map((value) => toTestFilter(value))],
    },
  },
  contact_opted_out_in_a_call: {
    path: '/webhooks/subscribe',
    response: { id: 7 },
    required: {},
    fields: {
      campaign_id: ['filter.campaign_id', lookup('a campaign')],
      agent_id: ['filter.agent_id', lookup('a Live agent')],
    },
  },
}

const lookupPaths: Partial<Record<string, string>> = {
  campaign_id: '/campaigns/',
  agent_id: '/agents/',
  phone_number_id: '/phone-numbers/',
}

interface Step {
  operation: { inputFields: readonly PlainInputField[] }
}
const { triggers, creates } = app as unknown as Record<'triggers' | 'creates', Record<string, Step>>
/** Returns a step's fields, except a campaign's fields, which test/creates/campaign-fields.test.ts tests. */
const fieldsOf = (key: string) =>
  ((triggers[key] ?? creates[key])?.operation.inputFields ?? []).filter(
    (field) => typeof field !== 'function',
  )

const getPath = (body: unknown, path: string): unknown =>
  path.split('.').reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], body)

const rows = Object.entries(steps).flatMap(([key, step]) =>
  Object.entries(step.fields).flatMap(([field, [path, expected]]) =>
    values.map((value, index) => ({ key, field, path, value, expected: expected[index], step })),
  ),
)

it.each(rows)(
  '$key: reads or rejects $value in the field $field',
  async ({ key, field, path, value, expected, step }) => {
    const method =
      key in triggers ? `triggers.${key}.operation.performSubscribe` : `creates.${key}.operation.perform`
    const inputFields = fieldsOf(key)
    const { type, label = '' } = inputFields.find((candidate) => candidate.key === field) ?? {}
    const input = { ...step.required, [field]: value }
    // The CLI's conversion accepts only text. Zapier converts only text, too, so other values stay as they are.
    const inputData =
      type === undefined || typeof value === 'string' ? convert(input, inputFields, 'UTC') : input

    const problem = (expected as { problem?: string } | undefined)?.problem
    if (problem !== undefined) {
      // The text can be a label, so the connector sends two requests: it searches for the name, and then lists all items.
      for (let count = 0; problem.startsWith("isn't the ID") && count < 2; count += 1)
        stubResponse('GET', apiPath(lookupPaths[field] ?? ''), 200, { results: [] })
      // Bad data of a lead only halts the run, because the user can't fix it in the Zap. A list in a text field is a mistake in
      // the Zap.
      const isLeads = key === 'queue_call' && field === 'time_zone'
      expect(await runExpectingError(method, { inputData })).toEqual({
        ...(isLeads && problem !== oneText.problem
          ? { name: 'HaltedError' }
          : { name: 'AppError', code: 'invalid_input' }),
        message: `${label} ${problem}`,
      })
      return
    }
    const requests: SentRequest[] = stubResponse('POST', apiPath(step.path), 201, step.response)
    await run(method, { inputData })
    expect(getPath(parseBody(requests), path)).toEqual(expected)
  },
)

it('every input field has test rows', () => {
  const isInput = ({ key, type }: PlainInputField) => type !== 'copy' && key !== 'deduplication_key'
  for (const [key, { fields }] of Object.entries(steps))
    expect(
      fieldsOf(key)
        .filter(isInput)
        .map((field) => field.key),
    ).toEqual(Object.keys(fields))
})
