import { readFile } from 'node:fs/promises'
import * as contract from '@outdial/contract'
import { format, resolveConfig } from 'prettier'
import type { PlainOutputField } from 'zapier-platform-core'
import { toTitleCase } from '../src/title-case.ts'
import { toOutputFields } from './output-fields.ts'

const root = new URL('..', import.meta.url)
export const generatedFile = new URL('src/generated.ts', root)

const added = contract.exampleContactAdded

type Texts = Record<string, contract.FieldText>

/** Returns labels by path. `prefix` is the label of the object that contains the fields, such as "Contact". */
const toLabels = (texts: Texts, prefix = '', path = ''): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts).map(([name, { label }]) => [`${path}${name}`, `${prefix} ${label}`.trim()]),
  )

const callLabels = {
  ...toLabels(contract.callTexts),
  ...toLabels(contract.contactTexts, contract.callTexts.contact.label, 'contact.'),
}

/** The fields that steps add after the outcome of the API's call. */
const flatCallFields: PlainOutputField[] = [
  { key: 'outcome_label', label: toTitleCase(contract.flatCallTexts.outcome_label.label), type: 'string' },
  { key: 'reached', label: toTitleCase(contract.flatCallTexts.reached.label), type: 'boolean' },
]

const fileFields: PlainOutputField[] = (['recording', 'transcript_file'] as const).map((key) => ({
  key,
  label: toTitleCase(contract.flatCallTexts[key].label),
  type: 'file',
}))

/** Returns the fields of a call in the output of a step. */
function callFields(): PlainOutputField[] {
  const fields = toOutputFields(contract.Call, callLabels)
  const start = fields.findIndex(({ key }) => key === 'outcome') + 1
  return [...fields.toSpliced(start, 0, ...flatCallFields), ...fileFields]
}

/**
 * Returns a call as a step's sample. Leaves out values that not every call has: keys that a user chose, and the turns of a
 * conversation. Zapier compares the sample's keys with those of real calls.
 */
function sampleOf(call: contract.Call): object {
  const { outcome, contact } = call
  return {
    ...omit(call, ['extracted', 'metadata']),
    outcome_label: outcome === null ? null : contract.outcomeTexts[outcome].label,
    reached: outcome === 'answered',
    contact: omit(contact, ['variables']),
    transcript: [],
    // A sample has no files, because Zapier can't test a step with them: they belong to a real call.
    recording: null,
    transcript_file: null,
  }
}

const omit = (object: object, keys: string[]): object =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))

/** Returns the label and help text of each input field. The keys are Zapier's: the field's path with underscores. */
const toInputTexts = (texts: Texts): Record<string, { label: string; helpText?: string }> =>
  Object.fromEntries(
    Object.entries(texts).map(([name, { label, zap, zapLabel = label }]) => [
      name.replaceAll('.', '_'),
      { label: toTitleCase(zapLabel), helpText: zap },
    ]),
  )

/** Returns the texts of fields that a request's body has. Leaves out those that only a response has. */
const inputsOf = ({ shape }: { shape: object }, texts: Texts): Texts =>
  Object.fromEntries(Object.entries(texts).filter(([path]) => (path.split('.')[0] ?? '') in shape))

/** Returns the sentences that Zapier shows instead of the API's, by error code. */
const zapierErrors = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries<contract.ErrorText>({ ...contract.detailTexts, ...contract.errorTexts }).flatMap(
      ([code, { inZapier }]) => (inZapier === undefined ? [] : [[code, inZapier]]),
    ),
  )

/** Returns the content of src/generated.ts, which has the contract's values that the connector needs. */
export async function generateText(): Promise<string> {
  const { version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as { version: string }
  const values = {
    version,
    sampleCampaign: contract.exampleCampaign,
    sampleNewCampaign: {
      ...contract.exampleCampaign,
      warnings:
        'Maximum Attempts: The rules allow 2 call attempts per number in 24 hours, so retries after that wait. Choose fewer attempts, or allow more under Settings → Who may be called.',
    },
    sampleCall: sampleOf(contract.exampleCall),
    sampleQueuedCall: {
      ...sampleOf(added.call),
      contact_created: added.contact_created,
      call_queued: added.call_queued,
      warnings:
        "Left out: Email isn't a valid email address. Enter it like ada@example.com, or leave it blank.",
    },
    campaignFields: toOutputFields(contract.Campaign, toLabels(contract.campaignTexts)),
    /** The output fields of Create Campaign, in addition to those of the campaign. */
    newCampaignFields: [
      { key: 'warnings', label: toTitleCase(contract.campaignCreatedTexts.warnings.label), type: 'string' },
    ],
    callFields: callFields(),
    /** The output fields of steps that queue a call, in addition to those of the call. */
    queuedFields: (
      [
        ['contact_created', 'boolean'],
        ['call_queued', 'boolean'],
        ['warnings', 'string'],
      ] as const
    ).map(([key, type]) => ({ key, label: toTitleCase(contract.contactAddedTexts[key].label), type })),
    sampleDoNotCallEntry: contract.exampleDoNotCallEntry,
    doNotCallFields: toOutputFields(contract.DoNotCallEntry, toLabels(contract.doNotCallEntryTexts)),
    sampleDoNotCallNumber: contract.exampleDoNotCallNumber,
    doNotCallNumberFields: toOutputFields(
      contract.DoNotCallNumber,
      toLabels(contract.doNotCallNumberTexts),
    ).map((field) => (field.key === 'phone_number' ? { ...field, primary: true } : field)),
    sampleCanceled: {
      ...contract.exampleCallsCanceled,
      canceled_count: contract.exampleCallsCanceled.canceled.length,
    },
    canceledFields: [
      ...toOutputFields(contract.CallsCanceled, toLabels(contract.callsCanceledTexts)),
      { key: 'canceled_count', label: toTitleCase(contract.canceledCountText.label), type: 'integer' },
    ],
    queueCallTexts: toInputTexts(contract.addContactTexts),
    deduplicationKeyText: contract.deduplicationKeyText,
    /** The keys are the codes of errors and of their details. */
    zapierErrors: zapierErrors(),
    campaignNameLabel: toTitleCase(contract.campaignTexts.name.label),
    createCampaignTexts: toInputTexts(inputsOf(contract.CreateCampaign, contract.createCampaignTexts)),
    callCompletedTexts: toInputTexts({ ...contract.filterTexts, ...contract.triggerTexts }),
    findCallTexts: toInputTexts(contract.findCallTexts),
    cancelCallsTexts: toInputTexts(contract.cancelCallsTexts),
    doNotCallTexts: toInputTexts(contract.addToDoNotCallListTexts),
    findCampaignTexts: toInputTexts(contract.findCampaignTexts),
    findDoNotCallNumberTexts: toInputTexts(contract.findDoNotCallNumberTexts),
    weekdayLabels: contract.weekdayLabels,
    consentRequiredChoices: Object.fromEntries(
      Object.entries(contract.consentRequiredTexts).map(([value, { label }]) => [value, toTitleCase(label)]),
    ),
    consentKindLabels: contract.consentKindLabels,
    outcomeLabels: Object.fromEntries(
      Object.entries(contract.outcomeTexts).map(([outcome, { label }]) => [outcome, label]),
    ),
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
    "import type { Campaign } from '@outdial/contract'",
    "import type { PlainOutputField } from 'zapier-platform-core'",
    '',
  ]
  const types: Partial<Record<keyof typeof values, string>> = {
    sampleCampaign: 'Campaign',
    campaignFields: 'PlainOutputField[]',
    newCampaignFields: 'PlainOutputField[]',
    callFields: 'PlainOutputField[]',
    queuedFields: 'PlainOutputField[]',
    doNotCallFields: 'PlainOutputField[]',
    doNotCallNumberFields: 'PlainOutputField[]',
    canceledFields: 'PlainOutputField[]',
  }
  for (const [name, value] of Object.entries(values)) {
    const type = types[name as keyof typeof values]
    lines.push(`export const ${name}${type ? `: ${type}` : ''} = ${JSON.stringify(value)}`, '')
  }
  const options = await resolveConfig(generatedFile)
  return format(lines.join('\n'), { ...options, parser: 'typescript' })
}
