import {
  CallOrigin,
  CallOutcome,
  CallStatus,
  callTexts,
  ConsentKind,
  contactAddedTexts,
  contactTexts,
  exampleCall,
  type FieldText,
  Sentiment,
} from '@outdial/contract'
import type { PlainOutputField } from 'zapier-platform-core'
import { completedCallFields } from '../src/flat-call.ts'
import { callFields, queuedFields, sampleCall, sampleQueuedCall } from '../src/generated.ts'
import { isObject, toText } from '../src/values.ts'
import { fillPage, table } from './page-tables.ts'

export const outputFieldsPage = new URL('../docs/reference/output-fields.md', import.meta.url)

const fromContract: Record<string, FieldText> = {
  ...callTexts,
  ...Object.fromEntries(Object.entries(contactTexts).map(([path, text]) => [`contact.${path}`, text])),
  ...contactAddedTexts,
}

/** The meanings of fields for Zap builders, where the API's text has no meaning or is written for programs. */
const meanings: Record<string, string> = {
  id: "The call's ID. **Find Call** finds the call by it.",
  status: 'Whether the call is waiting, being dialed, in progress, or completed.',
  outcome: 'How the call ended. Blank until it is completed.',
  outcome_label: 'The outcome as text for messages.',
  reached: 'True if a person answered.',
  ended_reason:
    'Why the call ended, in more detail than **Outcome** ([values](call-reasons.md#how-a-call-ended)).',
  waiting_for:
    "What a queued call is waiting for. Blank if nothing delays it, or if it's no longer queued ([values](call-reasons.md#what-a-call-waits-for)).",
  campaign_id: 'The campaign that the call belongs to.',
  campaign_name: "The campaign's name.",
  agent_id: 'The agent that makes the call.',
  agent_name: "The agent's name.",
  contact__id: "The contact's ID in Outdial.",
  contact__phone_number: "The contact's current number, with its country code.",
  contact__first_name: "The person's first name.",
  contact__last_name: "The person's last name.",
  contact__email: "The person's email address.",
  contact__external_id:
    "The person's ID in your CRM or another app, from **External Reference** in **Queue Call**.",
  contact__time_zone:
    "The time zone that was set for the contact. If it's blank, Outdial detects the time zone from the phone number.",
  contact__consent__source: 'Where the person agreed to be called.',
  contact__consent__at: 'When the person agreed to be called.',
  contact__consent__kind: "How the person agreed to be called. Blank if it isn't known.",
  contact__created_at: 'When the contact was first saved.',
  contact__updated_at: 'When the contact was last changed.',
  from_number: 'Your number that the call comes from.',
  to_number: 'The number that is called. Blank after the contact is erased.',
  attempts: 'How many times the number was dialed.',
  origin__kind: 'What queued the call.',
  queued_at: 'When the call was queued.',
  answered_at: "When the call was answered. Blank if it wasn't answered.",
  ended_at: 'When the call was completed.',
  duration_seconds: "The time from the answer to the end of the call. Blank if the call wasn't answered.",
  summary: 'What was said, in a few sentences.',
  'transcript[]role': 'Who spoke in this turn: `agent`, `contact`, or `tool`.',
  'transcript[]text': 'What was said in this turn.',
  'transcript[]at': 'When this turn began.',
  transcript_text: 'The transcript as text, one line per turn.',
  sentiment: "The contact's mood in the conversation.",
  goal_met: "True if the agent reached the goal of the call. Blank if it isn't known.",
  recording_url: 'Where the recording is. Blank if the call was not recorded.',
  recording: 'The recording as an audio file, for a step that uploads it.',
  transcript_file: 'The transcript as a text file, for a step that uploads it.',
  warnings:
    "Values that were left out because they can't be used, variables that the agent doesn't have, and variables that its greeting needs but that have no value. Blank if there are no warnings.",
}

/** The possible values of fields that have only a few values. */
const values: Record<string, readonly string[]> = {
  status: CallStatus.options,
  outcome: CallOutcome.options,
  origin__kind: CallOrigin.shape.kind.options,
  contact__consent__kind: ConsentKind.options,
  sentiment: Sentiment.options,
}

const typeNames: Record<string, string> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: 'true or false',
  datetime: 'date and time',
  file: 'file',
}

const conversationKeys =
  /^(?:answered_at|duration_seconds|summary|transcript.*|sentiment|opted_out|goal_met|recording.*)$/

/** Returns docs/reference/output-fields.md with the fields of a call in Zapier. */
export function generateOutputFieldsPage(): Promise<string> {
  const sample = { ...sampleCall, transcript: exampleCall.transcript }
  const isOfContact = ({ key }: PlainOutputField) => key.startsWith('contact__')
  const isOfConversation = ({ key }: PlainOutputField) => conversationKeys.test(key)
  const isOnlyQueued = ({ key }: PlainOutputField) => !completedCallFields.some((field) => field.key === key)
  const others = callFields.filter(
    (field) => !isOfContact(field) && !isOfConversation(field) && !isOnlyQueued(field),
  )
  return fillPage(outputFieldsPage, {
    'Fields of the call': formatFields(others, sample),
    'Fields of the conversation': formatFields(callFields.filter(isOfConversation), sample),
    'Fields of the contact': formatFields(callFields.filter(isOfContact), sample),
    'Fields of a queued call': formatFields(
      [...callFields.filter(isOnlyQueued), ...queuedFields],
      sampleQueuedCall,
    ),
  })
}

const formatFields = (fields: readonly PlainOutputField[], sample: object): string =>
  table(
    ['Label', 'Key', 'Type', 'Sample', 'Meaning'],
    fields.map(({ key, label = '', type = 'string' }) => [
      `**${label}**`,
      `\`${key}\``,
      typeNames[type] ?? type,
      formatSample(findValue(sample, key)),
      describe(key),
    ]),
  )

function describe(key: string): string {
  const [api] = fromContract[key.replaceAll(/__|\[\]/g, '.')]?.api?.split(' Values:') ?? []
  const meaning = meanings[key] ?? api
  if (meaning === undefined) throw new Error(`scripts/output-fields-page.ts has no meaning for ${key}`)
  const list = values[key]
  return list === undefined ? meaning : `${meaning} One of ${list.map((value) => `\`${value}\``).join(', ')}.`
}

/** Returns the sample's value for a key in Zapier's notation: `contact__id`, or `transcript[]role` for the first turn. */
const findValue = (sample: object, key: string): unknown =>
  key
    .replaceAll('[]', '__0__')
    .split('__')
    .reduce<unknown>((value, name) => {
      if (Array.isArray(value)) return value[Number(name)] as unknown
      return isObject(value) ? value[name] : undefined
    }, sample)

/** Formats a value as code. Shows only the first line of a longer text. */
function formatSample(value: unknown): string {
  const [first = '', ...more] = toText(value).split('\n')
  if (first === '') return '–'
  return `\`${first}${more.length > 0 ? ' …' : ''}\``
}
