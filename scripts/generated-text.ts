import { readFile } from 'node:fs/promises'
import * as contract from '@outdial/contract'
import { format, resolveConfig } from 'prettier'
import { toTitleCase } from '../src/title-case.ts'
import { toOutputFields } from './output-fields.ts'

const root = new URL('..', import.meta.url)
export const generatedFile = new URL('src/generated.ts', root)

/** The response when a call was just queued: the example call before it's placed. */
const contactAdded: contract.ContactAdded = {
  contact: contract.exampleContact,
  call: {
    ...contract.exampleCall,
    status: 'queued',
    outcome: null,
    ended_reason: null,
    attempts: 0,
    next_attempt_at: contract.exampleCall.queued_at,
    answered_at: null,
    ended_at: null,
    duration_seconds: null,
    summary: null,
    transcript: [],
    transcript_text: null,
    sentiment: 'unknown',
    goal_met: null,
    extracted: {},
  },
  contact_created: true,
  call_queued: true,
}

type Texts = Record<string, contract.FieldText>

/** Returns labels by path. `prefix` is the label of the object that the fields are nested in, such as "Contact". */
const toLabels = (texts: Texts, prefix = '', path = ''): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts).map(([name, { label }]) => [`${path}${name}`, `${prefix} ${label}`.trim()]),
  )

const callLabels = {
  ...toLabels(contract.callTexts),
  ...toLabels(contract.contactTexts, contract.callTexts.contact.label, 'contact.'),
}

/** After "Call", these labels would say "call" twice or read like a command: "Call agent ID", "Call from number". */
const withoutPrefix: (keyof typeof contract.callTexts)[] = [
  'waiting_for',
  'next_attempt_at',
  'test',
  'campaign_id',
  'campaign_name',
  'agent_id',
  'agent_name',
  'from_number',
  'to_number',
  'attempts',
  'scheduled_at',
  'transcript.role',
  'transcript.text',
  'transcript.at',
  'transcript_text',
]

/** Returns the label and help text of each input field by its key in Zapier: the path with underscores. */
const toInputTexts = (texts: Texts): Record<string, { label: string; helpText?: string }> =>
  Object.fromEntries(
    Object.entries(texts).map(([name, { label, zap }]) => [
      name.replaceAll('.', '_'),
      { label: toTitleCase(label), helpText: zap },
    ]),
  )

/** Returns what Zapier shows instead of the API's sentences, by code. */
const zapierErrors = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries<contract.ErrorText>({ ...contract.detailTexts, ...contract.errorTexts }).flatMap(
      ([code, { inZapier }]) => (inZapier === undefined ? [] : [[code, inZapier]]),
    ),
  )

/** Returns the text of src/generated.ts, with the values that the connector takes from the contract at build time. */
export async function generateText(): Promise<string> {
  const { version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as { version: string }
  const values = {
    version,
    sampleCampaign: contract.exampleCampaign,
    sampleCall: contract.exampleCall,
    sampleContactAdded: contactAdded,
    campaignFields: toOutputFields(contract.Campaign, toLabels(contract.campaignTexts)),
    callFields: toOutputFields(contract.Call, callLabels),
    contactAddedFields: toOutputFields(contract.ContactAdded, {
      ...toLabels(contract.contactAddedTexts),
      ...toLabels(contract.contactTexts, contract.contactAddedTexts.contact.label, 'contact.'),
      ...toLabels(contract.callTexts, contract.contactAddedTexts.call.label, 'call.'),
      ...Object.fromEntries(withoutPrefix.map((name) => [`call.${name}`, contract.callTexts[name].label])),
      ...toLabels(contract.contactTexts, "Call's contact", 'call.contact.'),
    }),
    queueCallTexts: toInputTexts(contract.addContactTexts),
    deduplicationKeyText: contract.deduplicationKeyText,
    /** Keyed by the code of the error, or of its detail. */
    zapierErrors: zapierErrors(),
    campaignNameLabel: toTitleCase(contract.campaignTexts.name.label),
    createCampaignTexts: toInputTexts(contract.createCampaignTexts),
    callCompletedTexts: toInputTexts(contract.filterTexts),
    weekdayLabels: contract.weekdayLabels,
    outcomeChoices: Object.fromEntries(
      contract.CallOutcome.options.map((outcome) => [
        outcome,
        toTitleCase(contract.formatOutcomeChoice(outcome)),
      ]),
    ),
  }
  const lines = [
    '// Generated from the contract by `npm run generate`. A test checks that this file is up to date. The connector',
    '// ships without schemas, and uses these samples, fields, and texts instead.',
    "import type { Call, Campaign, ContactAdded } from '@outdial/contract'",
    "import type { PlainOutputField } from 'zapier-platform-core'",
    '',
  ]
  const types: Partial<Record<keyof typeof values, string>> = {
    sampleCampaign: 'Campaign',
    sampleCall: 'Call',
    sampleContactAdded: 'ContactAdded',
    campaignFields: 'PlainOutputField[]',
    callFields: 'PlainOutputField[]',
    contactAddedFields: 'PlainOutputField[]',
  }
  for (const [name, value] of Object.entries(values)) {
    const type = types[name as keyof typeof values]
    lines.push(`export const ${name}${type ? `: ${type}` : ''} = ${JSON.stringify(value)}`, '')
  }
  const options = await resolveConfig(generatedFile)
  return format(lines.join('\n'), { ...options, parser: 'typescript' })
}
