import { expect, it } from '@jest/globals'
import { nameToLabel, toTitleCase } from '../src/title-case.ts'

it.each([
  ['If a call is waiting or in progress', 'If a Call Is Waiting or in Progress'],
  ['the end of the day', 'The End of the Day'],
  ['What the agent is for', 'What the Agent Is For'],
  ['an offer and a price by the hour for you', 'An Offer and a Price by the Hour for You'],
  ['Call at an hour on a day to come', 'Call at an Hour on a Day to Come'],
  ['Do-not-call list', 'Do-Not-Call List'],
  ["The contact's name", "The Contact's Name"],
  ['Duration (in seconds)', 'Duration (in Seconds)'],
])('writes "%s" as "%s"', (label, expected) => {
  expect(toTitleCase(label)).toBe(expected)
})

it.each([
  ['contact.first_name', 'Contact First Name'],
  ['external_id', 'External ID'],
  ['recording_url', 'Recording URL'],
  ['contact._name', 'Contact Name'],
])('turns the name %s into the label "%s"', (name, label) => {
  expect(nameToLabel(name)).toBe(label)
})
