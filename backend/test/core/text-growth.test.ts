import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { expect, it } from '@jest/globals'
import {
  isPlaceholder,
  readAmericanTimeZone,
  readConsentKind,
  readCountry,
  readDateTime,
  readDoNotCall,
  readTimeZone,
  readYesNo,
} from '@outdial/reading'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { validateAgent } from '../../agents/validate-agent.ts'
import { describePlaceholderIssues, findNeededNames, replacePlaceholders } from '../../calls/greeting.ts'
import { parseConfig } from '../../config.ts'
import { describeContact } from '../../contacts/describe-contact.ts'
import { guessByValues, guessColumns, looksLikeContact } from '../../contacts/import/guess-columns.ts'
import { guessPermission } from '../../contacts/import/guess-permission.ts'
import { toWords } from '../../contacts/import/header-words.ts'
import { ImportColumn } from '../../contacts/import/import-columns.ts'
import { parseConsent } from '../../contacts/import/parse-consent.ts'
import { parseCsv } from '../../contacts/import/parse-csv.ts'
import { parseRow } from '../../contacts/import/parse-row.ts'
import { parseRowNumbers } from '../../contacts/import/parse-row-numbers.ts'
import { readColumns } from '../../contacts/import/read-columns.ts'
import { readConsent, repeatsHeader } from '../../contacts/import/read-consent.ts'
import { readAddContact } from '../../contacts/read-add-contact.ts'
import { systemClock } from '../../core/clock.ts'
import { formatCsvRecord } from '../../core/csv.ts'
import { decodeFile, decodeText } from '../../core/decode-text.ts'
import { parsePhone, parsePhones } from '../../core/phone.ts'
import { toSingleLine } from '../../core/text.ts'
import { parseFormFields } from '../../dashboard/agents/schema-fields.ts'
import { parseParameters, parseSchema } from '../../dashboard/tools/http-tool-parameters.ts'
import { parseHeaders, parseSecrets } from '../../dashboard/tools/tool-form.ts'
import { removeForwardedPorts } from '../../http/client-address.ts'
import { createKnownHosts } from '../../http/host-check.ts'
import { isDeeperThan, parseJson, requireJson } from '../../http/read-body.ts'
import { getRequestId } from '../../http/request-log.ts'
import { createAuthenticator } from '../../identity/authenticate.ts'
import { checkEmail } from '../../identity/users.ts'
import { readHtml } from '../../knowledge/parse/read-html.ts'
import { splitIntoPassages } from '../../knowledge/split-passages.ts'
import { createHostCheck } from '../../mcp/host-check.ts'
import { findParamsIssue, parseMessage, parseToolCall, toJson } from '../../mcp/mcp-messages.ts'
import { handleSessionless } from '../../mcp/sessionless-requests.ts'
import { hasNoScopes, knownScopes, unknownScopes } from '../../oauth/scopes.ts'
import { findTargetUrlIssue, normalizeTargetUrl } from '../../outbound/target-url.ts'
import { parseLocalDateField, parseLocalTimeField, parseRequestedTime } from '../../scheduling/local-time.ts'
import { mayBeTimeZone, readTimeZoneOfContact } from '../../scheduling/time-zones.ts'
import { readAttemptToken } from '../../secrets/attempt-tokens.ts'
import { digestCredentials } from '../../secrets/verify-runtime-credential.ts'
import { parseCallState } from '../../telephony/http-runtime/parse-call-state.ts'
import { repairReport } from '../../telephony/http-runtime/repair-report.ts'
import type { DialRequest } from '../../telephony/provider.ts'
import { fillScenarioText } from '../../telephony/simulated/scenarios.ts'
import { parseTimeZone } from '../../telephony/simulated/tool-steps.ts'
import { redactSecrets } from '../../tools/custom/tool-secrets.ts'
import { fillTemplate, parseTemplate } from '../../tools/custom/url-template.ts'
import { compileSchema, isSimpleSchema } from '../../tools/json-schema/compile-schema.ts'
import { toWebLink } from '../../views/elements.ts'
import { languageName } from '../../views/format.ts'
import { parseRetryAfter } from '../../webhooks/retry-delay.ts'
import { findGrowth, repeatedTexts } from '../support/cpu-growth.ts'
import { listTextParsers, type TextParser } from '../support/text-parsers.ts'

const dialRequest = (greeting: string, variables: Record<string, string>): DialRequest => ({
  attemptId: '0b0e2a56-1f0c-4a53-9a6c-1d2b3c4d5e6f',
  callId: 1,
  number: 1,
  fromNumber: '+12025550190',
  toNumber: '+12025550191',
  agent: { widgetId: 'b4a1c1de-8b7c-4c8e-9a54-6d1f6a1f2b3c', name: 'Ava', language: 'en-US', greeting },
  campaignName: 'Leads',
  scheduled: false,
  contact: { firstName: null, lastName: null, variables },
})

const describe = (variables: Record<string, string>, note: string) =>
  describeContact(
    {
      ...{ id: 1, phone_number: '+12025550191', first_name: null, last_name: null, email: null },
      ...{ external_id: null, time_zone: null, variables, do_not_call: false, created_at: new Date(0) },
    },
    [{ text: note, created_at: new Date(0) }],
    { now: new Date(0), timeZone: undefined },
  )

/** Texts that are rejected are read, too. */
async function ignoreRejection(read: () => unknown): Promise<void> {
  try {
    await read()
  } catch (error) {
    // Only the time counts, unless the call was wrong. An invalid URL has a code.
    if (error instanceof TypeError && !('code' in error)) throw error
  }
}

type Read = (text: string) => unknown

const config = parseConfig({})
const importContext = { country: 'US', timeZone: 'America/New_York', now: new Date(0) }

/** A column for each field, and for a variable. */
const columns: ImportColumn[] = [...ImportColumn.shape.field.unwrap().options, null].map((field) => ({
  ...{ header: field ?? 'variable', field, variable: field === null ? 'variable' : null },
  ...{ rank: 1, isUnanswered: false },
}))

const readCsv = async (text: string) => {
  let count = 0
  for await (const record of parseCsv(Buffer.from(text)).records) count += record.length
  return count
}

const report = (text: string) => ({
  ...{ type: 'ended', sequence: 1, at: text, answered_at: text, outcome: 'answered', ended_reason: text },
  transcript: [{ role: 'agent', text, at: text }],
  recording_url: text,
  analysis: {
    summary: text,
    sentiment: text,
    goal_met: null,
    extracted: { [text.slice(0, 1)]: text, [text]: 1 },
  },
})

const request = (text: string, params: Record<string, unknown> = { [text]: text }) =>
  ({ jsonrpc: '2.0', id: text, method: text, params }) as const

const sessionlessRequest = (headers: IncomingHttpHeaders, meta: Record<string, unknown>) =>
  handleSessionless(
    // A request is rejected before these are used.
    { toolSessions: null as never, backlog: null as never, now: () => 0 },
    { req: { headers } as IncomingMessage, res: null as never, requestId: '', limitBody: () => {} },
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { _meta: meta } },
  )

/** What reads stored text, text from other servers, or a request before its length is checked, by module. */
const readers: Record<string, Record<string, Read>> = {
  'agents/validate-agent.ts': {
    'validateAgent: the language': (text) =>
      validateAgent({ name: 'Ava', language: text, greeting: '', variables: [] }, 'live'),
    'validateAgent: the other fields': (text) =>
      validateAgent({ name: text, greeting: text, variables: [text] }, 'live'),
  },
  'contacts/describe-contact.ts': {
    'describeContact: a variable': (text) => describe({ a: text }, ''),
    'describeContact: the name of a variable': (text) => describe({ [text]: 'a' }, ''),
    'describeContact: a note': (text) => describe({}, text),
  },
  'calls/greeting.ts': {
    describePlaceholderIssues: (text) => describePlaceholderIssues(text, []),
    findNeededNames,
    'replacePlaceholders: a fallback': (text) => replacePlaceholders(`{{a|${text}}}`, () => 'a'),
  },
  'contacts/import/guess-columns.ts': {
    guessColumns: (text) => guessColumns([text]),
    'guessColumns: a value': (text) => guessColumns(['Phone'], [[text]]),
    guessByValues: (text) => guessByValues([[text]]),
    looksLikeContact: (text) => looksLikeContact([text]),
  },
  'contacts/import/guess-permission.ts': {
    guessPermission: (text) => guessPermission(toWords(text.slice(0, 500)), text.slice(0, 500), [text]),
  },
  'contacts/import/header-words.ts': { toWords },
  'contacts/import/read-consent.ts': {
    readConsent,
    repeatsHeader: (text) => repeatsHeader(text, 'I agree'),
  },
  'contacts/import/parse-consent.ts': {
    'parseConsent: the source': (text) =>
      parseConsent({ source: text, at: '2026-05-01', kind: undefined, isGiven: true }, importContext),
    'parseConsent: the date': (text) =>
      parseConsent({ source: 'Form', at: text, kind: undefined, isGiven: true }, importContext),
    'parseConsent: the kind': (text) =>
      parseConsent({ source: 'Form', at: '2026-05-01', kind: text, isGiven: true }, importContext),
  },
  'contacts/import/parse-row-numbers.ts': {
    'parseRowNumbers: a number': (text) =>
      parseRowNumbers([{ header: 'Phone', cell: text }], [], false, 'US'),
    'parseRowNumbers: numbers to block': (text) =>
      parseRowNumbers([{ header: 'Phone', cell: text }], [], true, 'US'),
    'parseRowNumbers: a country': (text) =>
      parseRowNumbers([{ header: 'Phone', cell: '1' }], [{ header: 'Country', cell: text }], false, 'US'),
  },
  'contacts/import/read-columns.ts': { readColumns: (text) => readColumns(Buffer.from(text)) },
  'contacts/import/parse-csv.ts': {
    parseCsv: readCsv,
    'parseCsv: a separator line': (text) => readCsv(`sep=;\n${text}`),
    'parseCsv: after a space': (text) => readCsv(`phone, "${text}"\n+12025550191, "${text}"\n`),
    'parseCsv: a cell': (text) => readCsv(`phone,note\n+12025550191,"${text}"\n`),
  },
  'contacts/import/parse-row.ts': Object.fromEntries([
    ...columns.map((column): [string, Read] => [
      `parseRow: ${column.header}`,
      (text) => parseRow([column], [text], importContext),
    ]),
    [
      'parseRow: all cells',
      (text) =>
        parseRow(
          columns,
          columns.map(() => text),
          importContext,
        ),
    ],
    ['parseRow: an extra cell', (text) => parseRow([], [text], importContext)],
  ]),
  'contacts/read-add-contact.ts': {
    readAddContact: (text) =>
      readAddContact({
        ...{ phone_number: '+12025550191', campaign_id: 1, lenient: true, email: text },
        ...{ variables: { [text]: 'a', a: text }, consent: { source: text, at: text, kind: text } },
      }),
  },
  'core/csv.ts': { formatCsvRecord: (text) => formatCsvRecord([text, text]) },
  'core/decode-text.ts': {
    decodeText: (text) => decodeText(Buffer.from(text)),
    'decodeFile: a bad byte': (text) => decodeFile(Buffer.from(`${text}\xFF`, 'latin1')),
  },
  'core/phone.ts': {
    parsePhone: (text) => parsePhone(text, 'US'),
    parsePhones: (text) => parsePhones(text, 'US'),
  },
  'core/text.ts': { toSingleLine },
  'dashboard/agents/schema-fields.ts': {
    parseFormFields: (text) => {
      const properties = { a: { type: 'object' }, b: { type: 'number' }, c: { enum: ['x'] } }
      return parseFormFields({ type: 'object', properties }, '', { a: text, b: text, c: text })
    },
  },
  'dashboard/tools/http-tool-parameters.ts': {
    parseSchema,
    parseParameters: (text) => parseParameters({ 'param.1.name': text, 'param.2.about': text }),
  },
  'dashboard/tools/tool-form.ts': {
    parseHeaders,
    parseSecrets: (text) =>
      parseSecrets({ key_name_1: text, key_secret_1: text, deleted_secret: text }, ['a']),
  },
  'http/client-address.ts': {
    removeForwardedPorts: (text) => removeForwardedPorts({ 'x-forwarded-for': `[${text}` }),
  },
  'http/host-check.ts': { createKnownHosts: createKnownHosts(config) },
  'http/read-body.ts': {
    parseJson: (text) => parseJson(Buffer.from(text), 1_000),
    'parseJson: a text': (text) => parseJson(Buffer.from(JSON.stringify(text))),
    isDeeperThan: (text) => isDeeperThan(Buffer.from(text), 64),
    requireJson: (text) => requireJson({ 'content-type': `application/json; charset=${text}` }),
  },
  'http/request-log.ts': { getRequestId: (text) => getRequestId({ headers: { 'x-request-id': text } }) },
  'identity/authenticate.ts': {
    recall: (text) => createAuthenticator({ db: null as never, clock: systemClock }).recall(`Bearer ${text}`),
  },
  'identity/users.ts': { checkEmail },
  'knowledge/parse/read-html.ts': { readHtml: (text) => readHtml(Buffer.from(text)) },
  'knowledge/split-passages.ts': { splitIntoPassages },
  'mcp/host-check.ts': {
    'createHostCheck: Host': (host) => createHostCheck(config)({ host }),
    'createHostCheck: Origin': (text) =>
      createHostCheck(config)({ host: 'localhost', origin: `http://${text}` }),
  },
  'mcp/mcp-messages.ts': {
    parseMessage: (text) => parseMessage(request(text)),
    'parseMessage: metadata': (text) => parseMessage(request('a', { _meta: { [text]: text } })),
    parseToolCall: (text) =>
      parseToolCall(request(text, { name: text, arguments: [text], task: { [text]: text } })),
    findParamsIssue: (text) =>
      findParamsIssue({
        ...request(text),
        method: 'initialize',
        params: { protocolVersion: text, [text]: 1 },
      }),
    toJson: (text) => toJson({ text }),
  },
  'mcp/sessionless-requests.ts': {
    handleSessionless: (text) =>
      sessionlessRequest(
        { 'mcp-protocol-version': `=?base64?${text}` },
        { 'io.modelcontextprotocol/protocolVersion': text, 'io.modelcontextprotocol/clientCapabilities': {} },
      ),
  },
  'oauth/scopes.ts': { knownScopes, unknownScopes, hasNoScopes },
  'outbound/target-url.ts': {
    findTargetUrlIssue: (text) => findTargetUrlIssue({ allowLoopbackWebhooks: false }, text),
    normalizeTargetUrl,
  },
  'reading/consent-kind.ts': { readConsentKind },
  'reading/country.ts': { readCountry },
  'reading/date-time.ts': { readDateTime },
  'reading/placeholder.ts': { isPlaceholder },
  'reading/time-zone.ts': {
    readTimeZone,
    readAmericanTimeZone: (text) => readAmericanTimeZone(text, { country: 'US', zones: [] }),
  },
  'reading/yes-no.ts': { readYesNo, readDoNotCall },
  'scheduling/local-time.ts': {
    parseRequestedTime: (text) => parseRequestedTime(text, 'Europe/Berlin'),
    parseLocalTimeField: (text) => parseLocalTimeField('a', text, 'Europe/Berlin'),
    parseLocalDateField: (text) => parseLocalDateField('a', text, 'Europe/Berlin'),
  },
  'scheduling/time-zones.ts': {
    readTimeZoneOfContact: (text) => readTimeZoneOfContact(text, '+12025550100'),
    mayBeTimeZone,
  },
  'secrets/attempt-tokens.ts': {
    readAttemptToken: (text) => readAttemptToken(Buffer.alloc(32), `oat_${text}`),
  },
  'secrets/verify-runtime-credential.ts': {
    digestCredentials: (text) =>
      digestCredentials(
        { authorization: `Bearer ${text}`, 'x-agent-secret': text },
        new URLSearchParams({ token: text }),
      ),
  },
  'telephony/http-runtime/parse-call-state.ts': {
    parseCallState: (text) => parseCallState(text, new Date(0)),
    'parseCallState: a report': (text) =>
      parseCallState(JSON.stringify({ reports: [report(text), { [text]: text }] }), new Date(0)),
  },
  'telephony/http-runtime/repair-report.ts': { repairReport: (text) => repairReport(report(text)) },
  'telephony/simulated/scenarios.ts': {
    'fillScenarioText: a greeting': (text) => fillScenarioText('{{greeting}}', dialRequest(text, {})),
    'fillScenarioText: a variable': (text) =>
      fillScenarioText('{{greeting}}', dialRequest('Hi {{a}}{{b}}. {{b}} {{a}}, {{b}}', { a: text })),
  },
  'telephony/simulated/tool-steps.ts': { parseTimeZone },
  'tools/custom/tool-secrets.ts': {
    'redactSecrets: a response': (text) => redactSecrets(text, { token: 'secret ==' }),
    'redactSecrets: a secret': (text) => redactSecrets('response', { token: text }),
  },
  'tools/custom/url-template.ts': {
    parseTemplate,
    fillTemplate: (text) => {
      const template = parseTemplate('https://example.com/{{a}}?b={{a}}')
      return template && fillTemplate(template, { a: text }, {}, [[text, text]])
    },
  },
  'views/elements.ts': { toWebLink: (text) => toWebLink(`https://example.com/${text}`) },
  'views/format.ts': { languageName },
  'webhooks/retry-delay.ts': {
    parseRetryAfter: (text) => parseRetryAfter(text, new Date(0)),
    'parseRetryAfter: a date': (text) => parseRetryAfter(`${text} GMT`, new Date(0)),
  },
}

/** Parsers that aren't above, by why their texts are short, ours, or read elsewhere. */
const otherParsers: Record<string, string[]> = {
  'reads a part of a path, which has at most 100 characters': [
    'api/define-route.ts parsePathId',
    'telephony/http-runtime/report-route.ts parseAttemptId',
  ],
  // URLSearchParams takes 2 ms for 20 KB, but 140 ms for 200 KB.
  'reads a URL, of which Node accepts at most 16 KB': ['mcp/tool-transport.ts parseQuery'],
  'compares headers, of which Node accepts at most 16 KB': ['dashboard/page/sealed-form.ts mayKeepForm'],
  'reads days that a schema has parsed, at most 100': [
    'dashboard/settings/rules-page.ts describeLongClosure',
  ],
  'reads a message of PostgreSQL, which has at most 8,000 bytes': [
    'replicas/share-notifications.ts parseMessage',
  ],
  'matches a header, of which guessPermission (above) gets at most 500 characters': [
    'contacts/import/permission-words.ts optOutPattern',
    'contacts/import/permission-words.ts optOutPhrase',
    'contacts/import/permission-words.ts consentPattern',
    'contacts/import/permission-words.ts callVerb',
    'contacts/import/permission-words.ts permissionWord',
    'contacts/import/permission-words.ts requestWord',
    'contacts/import/permission-words.ts callDetailWord',
  ],
  'finds a holiday of a year, which is a number': [
    'rules/holidays.ts findDate',
    'rules/holidays.ts findEaster',
  ],
  'reads a time that PostgreSQL has written': [
    'rules/consent.ts findConsentIssue',
    'rules/plan-call.ts findFree',
    'rules/why-allowed.ts findWhyAllowed',
  ],
  'reads a message that the MCP library has written': ['outbound/guarded-fetch.ts isRequest'],
  'reads what a schema with limits has accepted (http/input-growth.test.ts)': [
    'contacts/contact-input.ts checkConsentDate',
    'contacts/import/map-columns.ts readFileConsent',
    'contract/primitives.ts isCivilTime',
    'contract/primitives.ts isTimeZone',
    'dashboard/agents/agent-tool-pages.ts parseSpreadsheetChoice',
    'dashboard/agents/agent-tool-pages.ts parseGoogleId',
    'dashboard/calls/call-filter.ts startOfDay',
    'dashboard/calls/call-filter.ts parseCallSearch',
    'dashboard/contacts/contact-form-pages.ts parseConsent',
    'dashboard/contacts/contact-form-pages.ts parseFormNumber',
    'dashboard/contacts/contact-form-pages.ts parseVariables',
    'dashboard/contacts/contact-list-page.ts parseContactSearch',
    'dashboard/integrations/callback-pages.ts revealSecretPage',
    'dashboard/integrations/webhook-pages.ts toShownWebhook',
    'dashboard/tools/http-tool-pages.ts parseHttpTool',
    'dashboard/tools/mcp-server-pages.ts parseMcpServer',
    'spreadsheets/google-account.ts parseJson',
    'tools/save-remote-server.ts parseOrigin',
  ],
  'reads a request (http/request-growth.test.ts)': [
    'dashboard/page/flash.ts parseFlash',
    'dashboard/page/upload.ts readUpload',
    'dashboard/page/upload.ts readParts',
    'dashboard/register-dashboard.ts readMultipartForm',
    'dashboard/sign-in/sign-in-pages.ts parseCurrentPage',
  ],
  'collects the bytes of a body up to a limit, or JSON of that size': [
    'mcp/mcp-http.ts readBody',
    'outbound/guard.ts readBody',
    'telephony/http-runtime/runtime-client.ts readState',
    'telephony/http-runtime/runtime-client.ts readText',
    'tools/custom/http-tool.ts compactJson',
  ],
  'runs in a process or thread that has a limit of time': [
    'knowledge/parse/extract-text.ts readBytes',
    'knowledge/parse/read-docx.ts readDocx',
    'knowledge/parse/read-pdf.ts readPdf',
    'knowledge/parse/run-parser.ts runParser',
    'tools/json-schema/omit-blank-arguments.ts rejectsValue',
  ],
  'reads what this service or its operator wrote, or a saved address': [
    'api/openapi/tidy-components.ts rewrite',
    'config.ts parseConfig',
    'core/countries.ts names',
    'core/secret-on-disk.ts readOrCreateSecret',
    'core/secret-on-disk.ts readSecretFile',
    'dashboard/calls/call-page.ts readPage',
    'dashboard/calls/call-page.ts formatOffset',
    'dashboard/integrations/connection-pages.ts connectZapierPage',
    'dashboard/integrations/delivery-pages.ts formatBody',
    'dashboard/integrations/delivery-pages.ts readDeliveryTable',
    'dashboard/overview/overview-notices.ts nameSubscription',
    'dashboard/page/submit-once.ts parseRedirect',
    'http/unmatched-requests.ts toPattern',
    'idempotency/idempotency.ts readContactAdded',
    'oauth/create-oauth-client.ts isSafeRedirectUri',
    'oauth/create-provider.ts createProvider',
    'oauth/find-authorization.ts findAuthorization',
    'oauth/register-oauth.ts mountProvider',
    'oauth/server-keys.ts loadServerKeys',
    'replicas/connect-replicas.ts connectReplicas',
    'scheduling/calling-hours.ts nextPossibleOpening',
    'secrets/secret-file.ts readSecrets',
    'telephony/http-runtime/follow-attempt.ts readFinalReports',
    'telephony/http-runtime/runtime-client.ts createRuntimeClient',
    'telephony/tool-client.ts toolSessionUrl',
    'tools/custom/connect-remote.ts openSession',
    'tools/custom/remote-client.ts toRemoteAddress',
    'dashboard/page/sealed-form.ts openForm',
    'tools/custom/tool-secrets.ts openSecrets',
    'version.ts manifest',
    'views/page-headers.ts formTarget',
    'webhooks/deliver.ts attemptDelivery',
    'webhooks/erase-events.ts toErasedBody',
    'webhooks/origin-secret.ts toOriginSecret',
    'webhooks/signing-keys.ts createSigningKeys',
  ],
}

const cases = Object.values(readers).flatMap((ofModule) => Object.entries(ofModule))

/** Returns whether a parser is read above: an exported one by its name, another one through those of its module. */
const isRead = ({ module, name, isExported }: TextParser): boolean =>
  Object.keys(readers[module] ?? {}).some((reader) => !isExported || reader.split(':')[0] === name)

it('knows every parser of text in the code of the service', () => {
  const others = Object.values(otherParsers).flat()
  const found = listTextParsers()
  const missing = found.filter((one) => !isRead(one) && !others.includes(`${one.module} ${one.name}`))
  const advice = 'to `readers`, or to `otherParsers` with the reason, in test/core/text-growth.test.ts'
  expect(missing.map(({ module, name }) => `Add ${name} of ${module} ${advice}`)).toEqual([])
  const places = found.map(({ module, name }) => `${module} ${name}`)
  expect(others.filter((place) => !places.includes(place))).toEqual([])
})

it.each(Object.keys(fullFormats))(
  'checks the format %s in a thread, unless it takes CPU time in proportion to the length',
  async (format) => {
    const schema = { type: 'object', properties: { a: { type: 'string', format } } }
    if (!isSimpleSchema(schema)) return
    const validator = compileSchema(schema)
    for (const [what, repeat] of Object.entries(repeatedTexts))
      expect(await findGrowth(what, repeat, (text) => validator({ a: text }))).toBeUndefined()
  },
)

it.each(cases)('takes CPU time in proportion to the length of a text: %s', async (_name, read) => {
  for (const [what, repeat] of Object.entries(repeatedTexts))
    expect(await findGrowth(what, repeat, (text) => ignoreRejection(() => read(text)))).toBeUndefined()
})
