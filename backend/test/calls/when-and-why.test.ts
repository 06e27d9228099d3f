import { describe, expect, it } from '@jest/globals'
import { describeCallsAhead, describeWait, formatWaitNote } from '../../dashboard/stories/describe-waiting.ts'
import { createTimeFormats } from '../../platform/views/format.ts'
import { planWait, type Wait } from '../../queue/calls/when-and-why.ts'
import { noRequirements, noRules } from '../../queue/rules/call-rules.ts'

type WaitingCall = Wait['call']

const workdays: WaitingCall['calling_hours'] = {
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  start: '09:00',
  end: '17:00',
}

/** Wednesday, 5:44 PM in New York, 10:44 PM in London. */
const evening = '2026-11-25T22:44:00Z'
/** Wednesday, 11:00 AM in New York. */
const morning = '2026-11-25T16:00:00Z'

const settings = {
  campaign_name: 'Leads',
  campaign_time_zone: 'America/New_York',
  calling_hours: workdays,
  retry: { max_attempts: 3, delay_minutes: 60, on: ['no_answer' as const] },
  max_concurrent_calls: 5,
  agent_name: 'Ava',
  language: 'en-US',
  greeting: '',
  first_name: 'Lucy',
  last_name: null,
  variables: {},
  consent_source: null,
  consent_at: null,
  consent_kind: null,
}

const call: WaitingCall = {
  id: 12,
  campaign_id: 3,
  agent_id: 4,
  to_number: '+12125550100',
  test: false,
  attempts: 0,
  due_at: new Date(morning),
  next_attempt_at: new Date(morning),
  queued_with: settings,
  campaign_name: 'Leads',
  campaign_status: 'active',
  paused_reason: null,
  calling_hours: workdays,
  campaign_time_zone: 'America/New_York',
  max_concurrent_calls: 5,
  retry: settings.retry,
  agent_name: 'Ava',
  agent_status: 'live',
  number_label: 'Main number',
  number_status: 'active',
  first_name: 'Lucy',
  last_name: null,
  contact_time_zone: null,
  is_number_busy: false,
  free_capacity: 1,
  requires: noRequirements,
  consent: null,
  use: null,
  exempt: false,
  delayed_by: null,
  limited_by: null,
  limited_until: null,
  calls_special_numbers: false,
  settings,
}

const format = (at: string, changes: Partial<WaitingCall>, simulationSpeed = 1) => {
  const now = new Date(at)
  const timeFormats = createTimeFormats(now, 'America/New_York')
  const wait = planWait({ ...call, ...changes }, noRules, now)
  return {
    wait,
    sentence: describeWait(wait, now, timeFormats, { simulationSpeed }),
    note: formatWaitNote(wait, now, timeFormats),
  }
}

const later = { due_at: new Date('2026-11-30T15:00:00Z'), next_attempt_at: new Date('2026-11-30T15:00:00Z') }
const london = { to_number: '+442079460100' }

describe('the sentence about a waiting call', () => {
  it.each<[string, string, Partial<WaitingCall>, string]>([
    ['that is next in line', morning, {}, 'Next in line. The call will be dialed in a few seconds.'],
    [
      "that waits for calling hours in the workspace's time zone",
      evening,
      {},
      "It's Wed 5:44 PM for Lucy (New York, from the phone number). Calling hours are Monday to Friday, 9:00 AM to 5:00 PM. Next attempt: Thu 9:00 AM.",
    ],
    [
      'that waits for calling hours in another time zone',
      evening,
      london,
      "It's Wed 10:44 PM for Lucy (London, from the phone number). Calling hours are Monday to Friday, 9:00 AM to 5:00 PM. Next attempt: Thu 9:00 AM in London (Thu 4:00 AM in New York).",
    ],
    [
      'whose contact has a time zone and no name',
      evening,
      { contact_time_zone: 'Asia/Tokyo', calling_hours: { ...workdays, start: '10:00' }, first_name: null },
      "It's Thu 7:44 AM for the contact (Tokyo, from the contact). Calling hours are Monday to Friday, 10:00 AM to 5:00 PM. Next attempt: Thu 10:00 AM in Tokyo (Wed 8:00 PM in New York).",
    ],
    [
      'to a toll-free number',
      evening,
      { to_number: '+18005550100' },
      "It's Wed 5:44 PM in New York, the campaign's time zone, which counts because the contact's time zone isn't known. Calling hours are Monday to Friday, 9:00 AM to 5:00 PM. Next attempt: Thu 9:00 AM.",
    ],
    [
      'to a number with two time zones',
      evening,
      { to_number: '+18505550100' },
      "It's Wed 4:44 PM in Chicago or Wed 5:44 PM in New York for Lucy. The phone number can be in any of these time zones, so the call waits until it's within calling hours in all of them. Calling hours are Monday to Friday, 9:00 AM to 5:00 PM. Next attempt: Thu 9:00 AM in Chicago (Thu 10:00 AM in New York).",
    ],
    [
      'to a number whose time zones have no common hour',
      evening,
      { to_number: '+18505550100', calling_hours: { ...workdays, start: '09:00', end: '09:30' } },
      "It's Wed 5:44 PM in New York, the campaign's time zone, which counts because calling hours never overlap in the phone number's time zones. Calling hours are Monday to Friday, 9:00 AM to 9:30 AM. Next attempt: Thu 9:00 AM.",
    ],
    [
      'that is due, but calling hours ended while it waited for other calls',
      evening,
      { free_capacity: 0 },
      "It's Wed 5:44 PM for Lucy (New York, from the phone number). Calling hours are Monday to Friday, 9:00 AM to 5:00 PM. Next attempt: Thu 9:00 AM.",
    ],
    [
      'whose stored time is before calling hours',
      evening,
      { ...london, next_attempt_at: new Date('2026-11-26T03:00:00Z') },
      "It's Wed 10:44 PM for Lucy (London, from the phone number). Calling hours are Monday to Friday, 9:00 AM to 5:00 PM. Next attempt: Thu 9:00 AM in London (Thu 4:00 AM in New York).",
    ],
    ['that is scheduled', evening, later, 'Scheduled for Mon 10:00 AM.'],
    [
      'that is scheduled for a time outside calling hours',
      evening,
      {
        ...later,
        ...london,
        due_at: new Date('2026-11-29T15:00:00Z'),
        next_attempt_at: new Date('2026-11-30T09:00:00Z'),
      },
      "Scheduled for Sun 3:00 PM in London (Sun 10:00 AM in New York), which is outside calling hours. It's Wed 10:44 PM for Lucy (London, from the phone number). Calling hours are Monday to Friday, 9:00 AM to 5:00 PM. Next attempt: Mon 9:00 AM in London (Mon 4:00 AM in New York).",
    ],
    [
      'that is retried',
      morning,
      {
        attempts: 1,
        due_at: new Date('2026-11-25T17:00:00Z'),
        next_attempt_at: new Date('2026-11-25T17:00:00Z'),
      },
      "Waiting to retry after attempt 1 of 3. It's Wed 11:00 AM for Lucy (New York, from the phone number). Next attempt: 12:00 PM.",
    ],
    [
      'that is retried after calling hours',
      '2026-11-25T21:30:00Z',
      {
        attempts: 1,
        due_at: new Date('2026-11-25T22:30:00Z'),
        next_attempt_at: new Date('2026-11-25T22:30:00Z'),
      },
      "Waiting to retry after attempt 1 of 3. It's Wed 4:30 PM for Lucy (New York, from the phone number). Calling hours are Monday to Friday, 9:00 AM to 5:00 PM. Next attempt: Thu 9:00 AM.",
    ],
    [
      'whose campaign is at its limit',
      morning,
      { free_capacity: 0, is_number_busy: true },
      'The campaign is at its limit of 5 concurrent calls, so this call waits for others to end.',
    ],
    [
      'whose number is being called',
      morning,
      { is_number_busy: true },
      "Another call to the contact's number is in progress, so this call waits for that one to end.",
    ],
    [
      'of a paused campaign',
      morning,
      { campaign_status: 'paused', paused_reason: '20 calls failed in a row.' },
      "The campaign is paused. Resume it to place this call. If it isn't resumed by Dec 2, 2026, the call expires. 20 calls failed in a row.",
    ],
    [
      'of a paused campaign, outside calling hours',
      evening,
      { campaign_status: 'paused', ...london },
      "The campaign is paused. Resume it to place this call. If it isn't resumed by Dec 2, 2026, the call expires. Once it's resumed, the call isn't placed before Thu 9:00 AM in London (Thu 4:00 AM in New York).",
    ],
    [
      'of a paused agent',
      morning,
      { agent_status: 'paused' },
      "The agent Ava isn't Live. Resume it to place this call. If it isn't resumed by Dec 2, 2026, the call expires.",
    ],
    [
      'of a draft agent',
      morning,
      { agent_status: 'draft' },
      "The agent Ava isn't Live. Publish it to place this call. If it isn't published by Dec 2, 2026, the call expires.",
    ],
    [
      'from a retired number',
      morning,
      { number_status: 'retired', ...later },
      "The phone number Main number is retired. Activate it to place this call. If it isn't activated by Dec 7, 2026, the call expires. Once it's activated, the call isn't placed before Mon 10:00 AM.",
    ],
    [
      'that is a test call',
      evening,
      { test: true, free_capacity: 0, is_number_busy: true },
      'Next in line. The call will be dialed in a few seconds.',
    ],
  ])(
    'gives the reason and the next time, if there is one, for a call %s',
    (_title, at, changes, expected) => {
      const { sentence, wait, note } = format(at, changes)
      expect(sentence).toBe(expected)
      if (wait.nextAt !== null) expect(wait.nextAt.getTime()).toBeGreaterThan(Date.parse(at))
      expect(note).toMatch(wait.nextAt === null ? /^[^,]*$/ : /, not before /)
    },
  )

  it("says that the workspace doesn't call this type of number, and promises no time", () => {
    const { wait, sentence } = format(morning, { to_number: '+19005550101' })
    expect(sentence).toBe(
      "The workspace doesn't call premium-rate, shared-cost, personal, pager, or satellite numbers. When its turn comes, the call ends without being placed.",
    )
    expect(wait.nextAt).toBeNull()
    expect(format(morning, { to_number: '+19005550101', test: true }).wait.never).toBeNull()
  })

  it.each([
    ['begins', '2026-03-27T18:00:00Z', 'Mon 9:00 AM in London (Mon 4:00 AM in New York)'],
    ['has begun only in New York', '2026-03-20T18:00:00Z', 'Mon 9:00 AM in London (Mon 5:00 AM in New York)'],
    ['ends', '2026-10-23T18:00:00Z', 'Mon 9:00 AM in London (Mon 5:00 AM in New York)'],
    ['has ended', '2026-10-30T18:00:00Z', 'Mon 9:00 AM in London (Mon 4:00 AM in New York)'],
  ])('shows both local times correctly when daylight saving time %s', (_title, at, expected) => {
    const due = { due_at: new Date(at), next_attempt_at: new Date(at) }
    expect(format(at, { ...london, ...due }).sentence).toContain(`Next attempt: ${expected}.`)
  })

  it("says that simulated retries come earlier than the campaign's delay", () => {
    const due = new Date('2026-11-25T16:06:00Z')
    expect(format(morning, { attempts: 1, due_at: due, next_attempt_at: due }, 10).sentence).toBe(
      "Waiting to retry after attempt 1 of 3. It's Wed 11:00 AM for Lucy (New York, from the phone number). Next attempt: 11:06 AM. The campaign's delay is 60 minutes, but simulated calls run at 10 times the speed.",
    )
  })

  it.each([
    [0, ''],
    [1, ' 1 call in this campaign is ahead of it.'],
    [12, ' 12 calls in this campaign are ahead of it.'],
    [1_000, ' 1,000 or more calls in this campaign are ahead of it.'],
  ])('says how many calls in the campaign are ahead: %i', (count, expected) => {
    expect(describeCallsAhead(count)).toBe(expected)
  })
})
