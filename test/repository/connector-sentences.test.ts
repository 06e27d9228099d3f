import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { type DetailKey, detailTexts, errorTexts, exampleCall, toErrorMessage } from '@outdial/contract'
import ts from 'typescript'
import { leadFields } from '../../src/errors.ts'
import { zapierErrors } from '../../src/generated.ts'
import {
  apiPath,
  baseUrl,
  errorBody,
  runExpectingError,
  stubFailure,
  stubResponse,
} from '../support/connector.ts'
import { readPage, root, splitSentences } from '../support/docs.ts'
import { creates, inputFieldsOf } from '../support/steps.ts'

// docs/reference/step-errors.md lists all sentences of the connector's errors, and says whether a run ends with an error,
// halted, or throttled. These tests collect the sentences in the source code, and run the connector to get a sentence of each
// row.

/** The properties with texts of a step's form or sample. These texts aren't errors. */
const formTexts = new Set(['helpText', 'description', 'label', 'placeholder', 'sample'])

/** Returns the sentences in the strings of a source file. In them, `…` stands for a value. */
function collectSentences(file: string): string[] {
  const found: string[] = []
  const add = (text: string) => {
    const [first = ''] = splitSentences(text.replace(/^[… ]+/, ''))
    // Notices in a form begin with bold text. They aren't errors.
    if (first.endsWith('.') && first.split(' ').length > 2 && !first.startsWith('**')) found.push(first)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && formTexts.has(node.name.getText())) return
    if (ts.isStringLiteralLike(node)) add(node.text)
    if (ts.isTemplateExpression(node))
      add([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…'))
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true))
  return found
}

const sources = globSync(['index.ts', 'src/**/*.ts'], { cwd: root }).filter(
  (file) => !file.endsWith('/generated.ts'),
)
const sentences = [
  ...sources.flatMap(collectSentences),
  ...Object.values(zapierErrors).map((text) => splitSentences(text)[0] ?? ''),
]

const page = readPage('docs/reference/step-errors.md')
const quotationsIn = (text: string) =>
  [...text.matchAll(/“([^“”]+)”/g)].map(([, quotation = '']) => quotation)
const withoutLabel = (sentence: string) => sentence.replace(/^… /, '')

it('the search for sentences in the connector finds more than 40, including four known ones', () => {
  expect(sentences).toEqual(
    expect.arrayContaining([
      "Outdial didn't respond within 25 seconds.",
      'must be ….',
      'The call may already be queued.',
      'Five Zaps already wait for this call.',
    ]),
  )
  expect(sentences.length).toBeGreaterThan(40)
})

it("docs/reference/step-errors.md quotes every sentence of the connector's errors", () => {
  const quoted = quotationsIn(page).flatMap(splitSentences).map(withoutLabel)
  const isQuoted = (sentence: string) =>
    quoted.some((each) => sentence.includes(each) || each.includes(sentence))
  expect(sentences.filter((sentence) => !isQuoted(sentence))).toEqual([])
})

type Kind = 'Error' | 'Halted' | 'Throttled'

interface Row {
  quotations: string[]
  kinds: string[]
}

/** The rows of the tables with a column that says how the run ends. */
const rows: Row[] = page
  .split('\n\n')
  .filter((part) => /^\| .*step says +\| Run +\|/.test(part))
  .flatMap((table) => table.split('\n').slice(2))
  .map((line) => line.split('|'))
  .map(([, first = '', run = '']) => ({
    quotations: quotationsIn(first).map((quotation) => splitSentences(quotation)[0] ?? ''),
    kinds: [...new Set(run.match(/Error|Halted|Throttled/g))].sort(),
  }))

const toPattern = (quotation: string) =>
  new RegExp(quotation.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*'))

/** Returns the row with the longest quotation that matches the sentence. */
function findRow(sentence: string): Row | undefined {
  const candidates = rows.flatMap((row) => row.quotations.map((quotation) => ({ row, quotation })))
  const [best] = candidates
    .filter(({ quotation }) => toPattern(quotation).test(sentence))
    .sort((one, other) => other.quotation.length - one.quotation.length)
  return best?.row
}

const perform = (key: string) => `${key.startsWith('find') ? 'searches' : 'creates'}.${key}.operation.perform`
const call = { campaign_id: '12', phone_number: '+12025550100' }
const withKey = { ...call, deduplication_key: 'form-7' }
const campaign = { name: 'Website leads', agent_id: '1', phone_number_id: '1' }
const callbackUrl = 'https://zapier.com/hooks/callback/1/'
const resume = { outputData: { id: exampleCall.id }, cleanedRequest: { data: { id: exampleCall.id } } }
const callPath = apiPath(`/calls/${exampleCall.id}/`)
const inEditor = { isLoadingSample: true }

type Stub = () => void
type Case = readonly [method: string, bundle: Parameters<typeof runExpectingError>[1], stub?: Stub]

type Issue = readonly [field: string, key: DetailKey & keyof typeof detailTexts]

const rejected =
  (path: string, ...issues: Issue[]): Stub =>
  () =>
    reject('POST', path, issues)

function reject(method: 'GET' | 'POST', path: string, issues: readonly Issue[]): void {
  const details = issues.map(([field, key]) => ({
    field,
    code: key.split('.', 1)[0],
    message: toErrorMessage(detailTexts[key], {
      ...{ field, limit: '200 characters', object: 'campaign', country: 'ZZ' },
    }),
  }))
  const summary = details.map(({ message }) => message).join(' ')
  stubResponse(method, apiPath(path), 422, errorBody('validation_failed', summary, details))
}
const failed =
  (path: string, status: number, key: keyof typeof errorTexts, headers = {}): Stub =>
  () => {
    const values = { source: 'This connection', limit: 600, seconds: '17 seconds', scopes: 'calls:write' }
    const body = errorBody(key, toErrorMessage(errorTexts[key], values))
    stubResponse('POST', apiPath(path), status, body, headers)
  }
const replied =
  (method: 'GET' | 'POST', path: string, status: number, body: object | string = ''): Stub =>
  () => {
    stubResponse(method, path, status, body)
  }
const broken =
  (method: 'GET' | 'POST', path: string, code: string): Stub =>
  () => {
    stubFailure(method, apiPath(path), code)
  }
const campaigns = (...results: object[]) =>
  replied('GET', apiPath('/campaigns/'), 200, {
    results: results.map((each) => ({ status: 'active', ...each })),
  })
const withoutSetting =
  (name: string): Stub =>
  () => {
    process.env[name] = ''
  }

const wait = 'creates.queue_call_and_wait.operation'
const connect = 'authentication.oauth2Config'
const dropdown = 'triggers.campaigns.operation.perform'

const cases: readonly Case[] = [
  // The connector can't parse the input.
  [perform('queue_call'), { inputData: { ...call, first_name: ['a', 'b'] } }],
  [perform('queue_call'), { inputData: { ...call, variables: 'roof' } }],
  [perform('queue_call'), { inputData: { ...call, do_not_call: 'n/a' } }],
  [perform('find_call'), { inputData: { call: 'Q1' } }],
  [perform('find_call'), { inputData: { phone_number: ' ' } }],
  [perform('create_campaign'), { inputData: { ...campaign, calling_hours_start: 'soon' } }],
  [perform('queue_call'), { inputData: { ...call, if_already_queued: 'perhaps' } }],
  [perform('queue_call'), { inputData: { ...call, scheduled_at: 'tomorrow' } }],
  [perform('queue_call'), { inputData: { ...call, scheduled_at: '2026-05-04 09:30' } }],
  [perform('queue_call'), { inputData: { ...call, time_zone: 'Q1' } }],
  [perform('create_campaign'), { inputData: { ...campaign, time_zone: 'Q1' } }],
  [perform('queue_call'), { inputData: call }, rejected('/contacts/', ['country', 'invalid_country'])],
  [
    perform('cancel_waiting_calls'),
    { inputData: call },
    rejected('/calls/cancel', ['country', 'invalid_country']),
  ],
  [
    perform('queue_call'),
    { inputData: { ...call, campaign_id: 'Q1 leads' } },
    () => {
      // The campaign is looked up by its name, and then by its label in the dropdown.
      campaigns()()
      campaigns()()
    },
  ],
  [
    perform('queue_call'),
    { inputData: { ...call, campaign_id: 'Q1' } },
    campaigns({ id: 1, name: 'Q1' }, { id: 2, name: 'q1' }),
  ],
  [
    `${wait}.perform`,
    { inputData: { ...call, scheduled_at: new Date(Date.now() + 2e9).toISOString() }, callbackUrl },
  ],
  // The API rejects the input.
  [
    perform('queue_call'),
    { inputData: call },
    rejected('/contacts/', ['phone_number', 'invalid_phone_number']),
  ],
  [
    perform('add_to_do_not_call_list'),
    { inputData: call },
    rejected('/do-not-call/', ['phone_number', 'invalid_phone_number']),
  ],
  [
    perform('find_do_not_call_number'),
    { inputData: call },
    () => {
      reject('GET', '/do-not-call/', [['phone_number', 'invalid_phone_number.none']])
    },
  ],
  [
    perform('queue_call'),
    { inputData: call },
    rejected('/contacts/', ['phone_number', 'phone_number_extension']),
  ],
  [
    perform('queue_call'),
    { inputData: call },
    rejected('/contacts/', ['phone_number', 'invalid_phone_number.several']),
  ],
  [
    perform('cancel_waiting_calls'),
    { inputData: call },
    rejected('/calls/cancel', ['phone_number', 'invalid_phone_number.none']),
  ],
  [perform('queue_call'), { inputData: call }, rejected('/contacts/', ['first_name', 'too_long'])],
  [perform('create_campaign'), { inputData: campaign }, rejected('/campaigns/', ['name', 'too_long'])],
  [perform('queue_call'), { inputData: call }, rejected('/contacts/', ['phone_number', 'required'])],
  [perform('queue_call'), { inputData: call }, rejected('/contacts/', ['campaign_id', 'not_found.object'])],
  [perform('queue_call'), { inputData: call }, rejected('/contacts/', ['time_zone', 'invalid_time_zone'])],
  [perform('queue_call'), { inputData: call }, rejected('/contacts/', ['scheduled_at', 'too_far_ahead'])],
  [
    perform('queue_call'),
    { inputData: withKey },
    rejected('/contacts/', ['Idempotency-Key', 'invalid_idempotency_key']),
  ],
  [
    `${wait}.perform`,
    { inputData: call, callbackUrl },
    rejected('/contacts/', ['callback_url', 'too_many_callback_urls']),
  ],
  [perform('queue_call'), { inputData: call }, failed('/contacts/', 422, 'campaign_archived')],
  [perform('create_campaign'), { inputData: campaign }, failed('/campaigns/', 422, 'agent_not_live')],
  [perform('create_campaign'), { inputData: campaign }, failed('/campaigns/', 422, 'number_not_active')],
  [perform('queue_call'), { inputData: call }, failed('/contacts/', 403, 'insufficient_scope')],
  [perform('queue_call'), { inputData: withKey }, failed('/contacts/', 422, 'idempotency_key_reused')],
  [perform('queue_call'), { inputData: withKey }, failed('/contacts/', 409, 'idempotency_key_in_use')],
  [perform('queue_call'), { inputData: call }, failed('/contacts/', 429, 'rate_limited')],
  [perform('queue_call'), { inputData: call, meta: inEditor }, failed('/contacts/', 429, 'rate_limited')],
  [
    perform('queue_call'),
    { inputData: call },
    failed('/contacts/', 503, 'unavailable', { 'Retry-After': '5' }),
  ],
  [perform('queue_call'), { inputData: call }, failed('/contacts/', 503, 'unavailable')],
  [perform('queue_call'), { inputData: call }, failed('/contacts/', 500, 'internal_error')],
  [perform('queue_call'), { inputData: withKey }, failed('/contacts/', 500, 'internal_error')],
  // The response isn't from Outdial, or is lost.
  [perform('queue_call'), { inputData: call }, replied('POST', apiPath('/contacts/'), 502)],
  [perform('cancel_waiting_calls'), { inputData: call }, replied('POST', apiPath('/calls/cancel'), 502)],
  [dropdown, {}, replied('GET', apiPath('/campaigns/'), 502)],
  [perform('queue_call'), { inputData: call }, broken('POST', '/contacts/', 'ECONNRESET')],
  [perform('add_to_do_not_call_list'), { inputData: call }, broken('POST', '/do-not-call/', 'ECONNRESET')],
  [
    perform('add_to_do_not_call_list'),
    { inputData: call, meta: inEditor },
    broken('POST', '/do-not-call/', 'ECONNRESET'),
  ],
  [
    perform('cancel_waiting_calls'),
    { inputData: call, meta: inEditor },
    broken('POST', '/calls/cancel', 'ECONNRESET'),
  ],
  [perform('create_campaign'), { inputData: campaign }, broken('POST', '/campaigns/', 'ECONNRESET')],
  [perform('queue_call'), { inputData: call }, broken('POST', '/contacts/', 'ECONNREFUSED')],
  [perform('queue_call'), { inputData: withKey }, broken('POST', '/contacts/', 'ECONNREFUSED')],
  [perform('queue_call'), { inputData: withKey }, replied('POST', apiPath('/contacts/'), 201, {})],
  [perform('cancel_waiting_calls'), { inputData: call }, replied('POST', apiPath('/calls/cancel'), 200)],
  [perform('find_campaign'), { inputData: { name: 'Q1' } }, replied('GET', apiPath('/campaigns/'), 429)],
  ['authentication.test', {}, replied('GET', apiPath('/campaigns/'), 429)],
  [
    perform('queue_call'),
    { inputData: call },
    replied('POST', apiPath('/contacts/'), 403, '<p>Forbidden</p>'),
  ],
  // These methods run after the call has ended, or in the background.
  [`${wait}.performResume`, { ...resume, cleanedRequest: {} }],
  [`${wait}.performResume`, resume, replied('GET', callPath, 200, { ...exampleCall, status: 'queued' })],
  [
    `${wait}.performResume`,
    resume,
    () => {
      for (const status of [502, 429]) stubResponse('GET', callPath, status)
    },
  ],
  ['triggers.call_completed.operation.perform', { cleanedRequest: {} }],
  [
    'hydrators.downloadRecording',
    { inputData: { call_id: exampleCall.id } },
    replied('GET', callPath, 200, { ...exampleCall, recording_url: null }),
  ],
  [
    'hydrators.downloadRecording',
    { inputData: { call_id: exampleCall.id } },
    replied('GET', callPath, 200, { ...exampleCall, recording_url: 'not a URL' }),
  ],
  [
    'hydrators.saveTranscript',
    { inputData: { call_id: exampleCall.id } },
    replied('GET', callPath, 200, { ...exampleCall, transcript_text: null }),
  ],
  // The connection doesn't work.
  [perform('queue_call'), { inputData: call }, replied('POST', apiPath('/contacts/'), 401)],
  [`${connect}.getAccessToken`, {}, replied('POST', '/oauth/token', 400, { error: 'invalid_grant' })],
  [`${connect}.getAccessToken`, {}, replied('POST', '/oauth/token', 401, { error: 'invalid_client' })],
  [`${connect}.getAccessToken`, {}, replied('POST', '/oauth/token', 400, { error: 'invalid_scope' })],
  [`${connect}.refreshAccessToken`, {}, replied('POST', '/oauth/token', 400, { error: 'invalid_grant' })],
  [`${connect}.getAccessToken`, {}, withoutSetting('CLIENT_ID')],
  [dropdown, {}, withoutSetting('BASE_URL')],
]

const kindsByName: Partial<Record<string, Kind>> = {
  AppError: 'Error',
  // With these errors, Zapier asks the user to reconnect.
  ExpiredAuthError: 'Error',
  RefreshAuthError: 'Error',
  HaltedError: 'Halted',
  ThrottledError: 'Throttled',
}

it('each failed run ends as docs/reference/step-errors.md says, with a message of fewer than 250 characters', async () => {
  const found = new Map(rows.map((row) => [row, new Set<Kind | undefined>()]))
  const problems: unknown[] = []
  for (const [method, bundle, stub] of cases) {
    const settings = { BASE_URL: baseUrl, CLIENT_ID: 'client-1', CLIENT_SECRET: 'secret-of-client-1' }
    stub?.()
    const { name, message } = await runExpectingError(method, bundle)
    Object.assign(process.env, settings)
    const shown = message.replace('req_42', '6f0e9a52-1c5c-4b8e-9f9b-3f6d2c1a7b10')
    const isKnown = splitSentences(message)
      .map(findRow)
      .map((row) => row && found.get(row)?.add(kindsByName[name]))
    if (shown.length >= 250 || isKnown[0] === undefined) problems.push([method, name, message])
  }

  expect(problems).toEqual([])
  expect([...found].map(([{ quotations }, kinds]) => [quotations[0], [...kinds].sort()])).toEqual(
    rows.map(({ quotations, kinds }) => [quotations[0], kinds]),
  )
})

it("docs/reference/step-errors.md lists the fields that contain a lead's own data", () => {
  const [, listed = ''] = /These values are a lead's own data: ([^.]*)\./.exec(page) ?? []
  const labels = [...listed.matchAll(/\*\*([^*]+)\*\*/g)].map(([, label = '']) => label.replace(/\s+/, ' '))
  const fields = creates.filter(({ key }) => key === 'queue_call').flatMap(inputFieldsOf)
  expect(labels).toEqual([...leadFields].map((name) => fields.find(({ key }) => key === name)?.label))
})
