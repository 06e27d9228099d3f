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
import { createAuthenticator } from '../../accounts/identity/authenticate.ts'
import { checkEmail } from '../../accounts/identity/users.ts'
import { hasNoScopes, knownScopes, unknownScopes } from '../../accounts/oauth/scopes.ts'
import { buildContactData } from '../../calling/conversation/contact-data.ts'
import { type AnalyzedConversation, readAnalysis } from '../../calling/conversation/model/analysis.ts'
import { toSpokenText } from '../../calling/conversation/spoken-text.ts'
import { parseCallState } from '../../calling/telephony/http-runtime/parse-call-state.ts'
import { repairReport } from '../../calling/telephony/http-runtime/repair-report.ts'
import type { DialRequest } from '../../calling/telephony/provider.ts'
import { fillScenarioText } from '../../calling/telephony/simulated/scenarios.ts'
import { parseTimeZone } from '../../calling/telephony/simulated/tool-steps.ts'
import { parseConfig } from '../../config.ts'
import { parsePhrases } from '../../dashboard/agents/agent-phrases.ts'
import { parseResults } from '../../dashboard/agents/agent-results-fields.ts'
import { parseFormFields } from '../../dashboard/agents/schema-fields.ts'
import { parseParameters, parseSchema } from '../../dashboard/tools/http-tool-parameters.ts'
import { parseHeaders, parseSecrets } from '../../dashboard/tools/tool-form.ts'
import { systemClock } from '../../platform/core/clock.ts'
import { formatCsvRecord } from '../../platform/core/csv.ts'
import { decodeFile, decodeText } from '../../platform/core/decode-text.ts'
import { parsePhone, parsePhones } from '../../platform/core/phone.ts'
import { toSingleLine } from '../../platform/core/text.ts'
import { removeForwardedPorts } from '../../platform/http/client-address.ts'
import { createKnownHosts } from '../../platform/http/host-check.ts'
import { isDeeperThan, parseJson, requireJson } from '../../platform/http/read-body.ts'
import { getRequestId } from '../../platform/http/request-log.ts'
import { findTargetUrlIssue, normalizeTargetUrl } from '../../platform/outbound/target-url.ts'
import { readAttemptToken } from '../../platform/secrets/attempt-tokens.ts'
import { readConversationToken } from '../../platform/secrets/conversation-tokens.ts'
import { readIdToken } from '../../platform/secrets/id-tokens.ts'
import { digestCredentials } from '../../platform/secrets/verify-runtime-credential.ts'
import { toWebLink } from '../../platform/views/elements.ts'
import { languageName } from '../../platform/views/format.ts'
import {
  newAgentValues,
  requirePublishable,
  toResultName,
  validateAgent,
} from '../../queue/agents/validate-agent.ts'
import { fillSpokenText, readCallValue } from '../../queue/calls/fill-spoken-text.ts'
import {
  describePlaceholderIssues,
  findNeededNames,
  replacePlaceholders,
} from '../../queue/calls/greeting.ts'
import { describeContact } from '../../queue/contacts/describe-contact.ts'
import { guessByValues, guessColumns, looksLikeContact } from '../../queue/contacts/import/guess-columns.ts'
import { guessPermission } from '../../queue/contacts/import/guess-permission.ts'
import { toWords } from '../../queue/contacts/import/header-words.ts'
import { ImportColumn } from '../../queue/contacts/import/import-columns.ts'
import { parseConsent } from '../../queue/contacts/import/parse-consent.ts'
import { parseCsv } from '../../queue/contacts/import/parse-csv.ts'
import { parseRow } from '../../queue/contacts/import/parse-row.ts'
import { parseRowNumbers } from '../../queue/contacts/import/parse-row-numbers.ts'
import { readColumns } from '../../queue/contacts/import/read-columns.ts'
import { readConsent, repeatsHeader } from '../../queue/contacts/import/read-consent.ts'
import { readAddContact } from '../../queue/contacts/read-add-contact.ts'
import {
  parseLocalDateField,
  parseLocalTimeField,
  parseRequestedTime,
} from '../../queue/scheduling/local-time.ts'
import { mayBeTimeZone, readTimeZoneOfContact } from '../../queue/scheduling/time-zones.ts'
import { redactSecrets } from '../../tools/custom/tool-secrets.ts'
import { fillTemplate, parseTemplate } from '../../tools/custom/url-template.ts'
import { compileSchema, isSimpleSchema } from '../../tools/json-schema/compile-schema.ts'
import { readHtml } from '../../tools/knowledge/parse/read-html.ts'
import { splitIntoPassages } from '../../tools/knowledge/split-passages.ts'
import { findParamsIssue, parseMessage, parseToolCall, toJson } from '../../tools/mcp/mcp-messages.ts'
import { createOriginCheck } from '../../tools/mcp/origin-check.ts'
import { handleSessionless } from '../../tools/mcp/sessionless-requests.ts'
import { parseRetryAfter } from '../../webhooks/retry-delay.ts'
import { findGrowth, repeatedTexts } from '../support/cpu-growth.ts'
import { dialRequestOf } from '../support/dial-request.ts'
import { listTextParsers, type TextParser } from '../support/text-parsers.ts'

const dialRequest = (greeting: string, variables: Record<string, string>): DialRequest =>
  dialRequestOf({ agent: { greeting }, contact: { variables } })

const analyzedConversation: AnalyzedConversation = {
  transcript: [],
  instructions: '',
  goal: undefined,
  results: [{ name: 'day', type: 'text', description: '', choices: [] }],
}

const spokenValues = (variables: Record<string, string>) => ({
  ...{ agentName: 'Ava', campaignName: null },
  contact: { first_name: null, last_name: null, variables },
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

/** Calls a parser, and ignores that it rejects the text: rejecting must be fast, too. */
async function ignoreRejection(read: () => unknown): Promise<void> {
  try {
    await read()
  } catch (error) {
    // Only the time matters. A TypeError with a code is for an invalid URL. Any other TypeError means that the test calls the
    // parser wrongly.
    if (error instanceof TypeError && !('code' in error)) throw error
  }
}

type Read = (text: string) => unknown

const config = parseConfig({})
const importContext = { country: 'US', timeZone: 'America/New_York', now: new Date(0) }

/** A column for each field, and one for a variable. */
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
    // The request is rejected before these values are used.
    { toolSessions: null as never, backlog: null as never, now: () => 0 },
    { req: { headers } as IncomingMessage, res: null as never, requestId: '', limitBody: () => {} },
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { _meta: meta } },
  )

/** By module, functions that read text whose length isn't limited yet: stored text, text from other servers, or a request. */
const readers: Record<string, Record<string, Read>> = {
  'queue/agents/validate-agent.ts': {
    'validateAgent: the language': (text) => validateAgent({ name: 'Ava', language: text }),
    'validateAgent: the other fields': (text) =>
      validateAgent({
        ...{ name: text, greeting: text, variables: [text], instructions: text, goal: text, model: text },
        closing_line: text,
        results: [{ name: text, type: 'choice', description: text, choices: [text] }],
      }),
    toResultName: (text) => toResultName(text),
    requirePublishable: (text) =>
      requirePublishable({ ...newAgentValues, greeting: text, instructions: text, closing_line: text }),
  },
  'calling/conversation/model/analysis.ts': {
    readAnalysis: (text) => readAnalysis(text, analyzedConversation),
    'readAnalysis: an object': (text) =>
      readAnalysis(
        JSON.stringify({ summary: text, sentiment: 'neutral', goal_met: null, extracted: { day: text } }),
        analyzedConversation,
      ),
  },
  'dashboard/agents/agent-phrases.ts': {
    parsePhrases: (text) => parsePhrases({ 'phrases.goodbye': text }),
  },
  'dashboard/agents/agent-results-fields.ts': {
    parseResults: (text) =>
      parseResults({
        ...{ 'result.1.name': text, 'result.1.about': text, 'result.1.type': 'choice' },
        'result.1.choices': text,
      }),
  },
  'queue/contacts/describe-contact.ts': {
    'describeContact: a variable': (text) => describe({ a: text }, ''),
    'describeContact: the name of a variable': (text) => describe({ [text]: 'a' }, ''),
    'describeContact: a note': (text) => describe({}, text),
  },
  'queue/calls/fill-spoken-text.ts': {
    readCallValue: (text) => readCallValue('a', spokenValues({ a: text })),
    fillSpokenText: (text) => fillSpokenText(text, spokenValues({})),
    'fillSpokenText: a malformed placeholder': (text) => fillSpokenText(`{{${text}`, spokenValues({})),
    'fillSpokenText: a value': (text) => fillSpokenText('Hi {{a}}, {{a}}.', spokenValues({ a: text })),
  },
  'queue/calls/greeting.ts': {
    describePlaceholderIssues: (text) => describePlaceholderIssues(text, []),
    findNeededNames,
    'replacePlaceholders: a fallback': (text) => replacePlaceholders(`{{a|${text}}}`, () => 'a'),
  },
  'queue/contacts/import/guess-columns.ts': {
    guessColumns: (text) => guessColumns([text]),
    'guessColumns: a value': (text) => guessColumns(['Phone'], [[text]]),
    guessByValues: (text) => guessByValues([[text]]),
    looksLikeContact: (text) => looksLikeContact([text]),
  },
  'queue/contacts/import/guess-permission.ts': {
    guessPermission: (text) => guessPermission(toWords(text.slice(0, 500)), text.slice(0, 500), [text]),
  },
  'queue/contacts/import/header-words.ts': { toWords },
  'queue/contacts/import/read-consent.ts': {
    readConsent,
    repeatsHeader: (text) => repeatsHeader(text, 'I agree'),
  },
  'queue/contacts/import/parse-consent.ts': {
    'parseConsent: the source': (text) =>
      parseConsent({ source: text, at: '2026-05-01', kind: undefined, isGiven: true }, importContext),
    'parseConsent: the date': (text) =>
      parseConsent({ source: 'Form', at: text, kind: undefined, isGiven: true }, importContext),
    'parseConsent: the kind': (text) =>
      parseConsent({ source: 'Form', at: '2026-05-01', kind: text, isGiven: true }, importContext),
  },
  'queue/contacts/import/parse-row-numbers.ts': {
    'parseRowNumbers: a number': (text) =>
      parseRowNumbers([{ header: 'Phone', cell: text }], [], false, 'US'),
    'parseRowNumbers: numbers to block': (text) =>
      parseRowNumbers([{ header: 'Phone', cell: text }], [], true, 'US'),
    'parseRowNumbers: a country': (text) =>
      parseRowNumbers([{ header: 'Phone', cell: '1' }], [{ header: 'Country', cell: text }], false, 'US'),
  },
  'queue/contacts/import/read-columns.ts': { readColumns: (text) => readColumns(Buffer.from(text)) },
  'queue/contacts/import/parse-csv.ts': {
    parseCsv: readCsv,
    'parseCsv: a separator line': (text) => readCsv(`sep=;\n${text}`),
    'parseCsv: after a space': (text) => readCsv(`phone, "${text}"\n+12025550191, "${text}"\n`),
    'parseCsv: a cell': (text) => readCsv(`phone,note\n+12025550191,"${text}"\n`),
  },
  'queue/contacts/import/parse-row.ts': Object.fromEntries([
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
  'queue/contacts/read-add-contact.ts': {
    readAddContact: (text) =>
      readAddContact({
        ...{ phone_number: '+12025550191', campaign_id: 1, lenient: true, email: text },
        ...{ variables: { [text]: 'a', a: text }, consent: { source: text, at: text, kind: text } },
      }),
  },
  'platform/core/csv.ts': { formatCsvRecord: (text) => formatCsvRecord([text, text]) },
  'platform/core/decode-text.ts': {
    decodeText: (text) => decodeText(Buffer.from(text)),
    'decodeFile: a bad byte': (text) => decodeFile(Buffer.from(`${text}\xFF`, 'latin1')),
  },
  'platform/core/phone.ts': {
    parsePhone: (text) => parsePhone(text, 'US'),
    parsePhones: (text) => parsePhones(text, 'US'),
  },
  'platform/core/text.ts': { toSingleLine },
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
  'platform/http/client-address.ts': {
    removeForwardedPorts: (text) => removeForwardedPorts({ 'x-forwarded-for': `[${text}` }),
  },
  'platform/http/host-check.ts': { createKnownHosts: createKnownHosts(config) },
  'platform/http/read-body.ts': {
    parseJson: (text) => parseJson(Buffer.from(text), 1_000),
    'parseJson: a text': (text) => parseJson(Buffer.from(JSON.stringify(text))),
    isDeeperThan: (text) => isDeeperThan(Buffer.from(text), 64),
    requireJson: (text) => requireJson({ 'content-type': `application/json; charset=${text}` }),
  },
  'platform/http/request-log.ts': {
    getRequestId: (text) => getRequestId({ headers: { 'x-request-id': text } }),
  },
  'accounts/identity/authenticate.ts': {
    recall: (text) => createAuthenticator({ db: null as never, clock: systemClock }).recall(`Bearer ${text}`),
  },
  'accounts/identity/users.ts': { checkEmail },
  'tools/knowledge/parse/read-html.ts': { readHtml: (text) => readHtml(Buffer.from(text)) },
  'tools/knowledge/split-passages.ts': { splitIntoPassages },
  'tools/mcp/origin-check.ts': {
    'createOriginCheck: Host': (host) => createOriginCheck(config)({ host }),
    'createOriginCheck: Origin': (text) =>
      createOriginCheck(config)({ host: 'localhost', origin: `http://${text}` }),
  },
  'tools/mcp/mcp-messages.ts': {
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
  'tools/mcp/sessionless-requests.ts': {
    handleSessionless: (text) =>
      sessionlessRequest(
        { 'mcp-protocol-version': `=?base64?${text}` },
        { 'io.modelcontextprotocol/protocolVersion': text, 'io.modelcontextprotocol/clientCapabilities': {} },
      ),
  },
  'accounts/oauth/scopes.ts': { knownScopes, unknownScopes, hasNoScopes },
  'platform/outbound/target-url.ts': {
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
  'queue/scheduling/local-time.ts': {
    parseRequestedTime: (text) => parseRequestedTime(text, 'Europe/Berlin'),
    parseLocalTimeField: (text) => parseLocalTimeField('a', text, 'Europe/Berlin'),
    parseLocalDateField: (text) => parseLocalDateField('a', text, 'Europe/Berlin'),
  },
  'queue/scheduling/time-zones.ts': {
    readTimeZoneOfContact: (text) => readTimeZoneOfContact(text, '+12025550100'),
    mayBeTimeZone,
  },
  'platform/secrets/attempt-tokens.ts': {
    readAttemptToken: (text) => readAttemptToken(Buffer.alloc(32), `oat_${text}`),
  },
  'platform/secrets/conversation-tokens.ts': {
    readConversationToken: (text) => readConversationToken(Buffer.alloc(32), `oct_${text}`),
  },
  'platform/secrets/id-tokens.ts': {
    readIdToken: (text) => readIdToken({ prefix: 'oat_', purpose: '' }, Buffer.alloc(32), `oat_${text}`),
  },
  'platform/secrets/verify-runtime-credential.ts': {
    digestCredentials: (text) =>
      digestCredentials(
        { authorization: `Bearer ${text}`, 'x-agent-secret': text },
        new URLSearchParams({ token: text }),
      ),
  },
  'calling/conversation/contact-data.ts': {
    'buildContactData: instructions': (text) => buildContactData([text], spokenValues({})),
    'buildContactData: a value': (text) =>
      buildContactData(['{{a}}'], spokenValues({ a: text, [text]: text })),
  },
  'calling/conversation/spoken-text.ts': { toSpokenText },
  'calling/telephony/http-runtime/parse-call-state.ts': {
    parseCallState: (text) => parseCallState(text, new Date(0)),
    'parseCallState: a report': (text) =>
      parseCallState(JSON.stringify({ reports: [report(text), { [text]: text }] }), new Date(0)),
  },
  'calling/telephony/http-runtime/repair-report.ts': { repairReport: (text) => repairReport(report(text)) },
  'calling/telephony/simulated/scenarios.ts': {
    'fillScenarioText: a greeting': (text) => fillScenarioText('{{greeting}}', dialRequest(text, {})),
    'fillScenarioText: a variable': (text) =>
      fillScenarioText('{{greeting}}', dialRequest('Hi {{a}}{{b}}. {{b}} {{a}}, {{b}}', { a: text })),
  },
  'calling/telephony/simulated/tool-steps.ts': { parseTimeZone },
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
  'platform/views/elements.ts': { toWebLink: (text) => toWebLink(`https://example.com/${text}`) },
  'platform/views/format.ts': { languageName },
  'webhooks/retry-delay.ts': {
    parseRetryAfter: (text) => parseRetryAfter(text, new Date(0)),
    'parseRetryAfter: a date': (text) => parseRetryAfter(`${text} GMT`, new Date(0)),
  },
}

/** Parsers that aren't above, by the reason: their texts are short or our own, or a parser above reads them. */
const otherParsers: Record<string, string[]> = {
  'reads a day that the same file has formatted': ['calling/chats/token-usage.ts findTokenUse'],
  'reads fields of a form, which have at most 500 characters': [
    'dashboard/chats/start-chat-page.ts readContact',
  ],
  'reads a part of a path, which has at most 100 characters': [
    'api/define-route.ts parsePathId',
    'calling/telephony/http-runtime/report-route.ts parseAttemptId',
  ],
  // Parsing with URLSearchParams takes 2 ms for 20 KB, but 140 ms for 200 KB.
  'reads a URL, of which Node accepts at most 16 KB': ['tools/mcp/tool-transport.ts parseQuery'],
  'compares headers, of which Node accepts at most 16 KB': ['dashboard/page/sealed-form.ts mayKeepForm'],
  'reads the OpenAPI document, which is the same in each process': [
    'api/reference/read-document.ts readOperation',
  ],
  'reads a setting': ['calling/conversation/model/endpoint.ts createEndpoint'],
  'reads days that a schema has parsed, at most 100': [
    'dashboard/settings/rules-page.ts describeLongClosure',
  ],
  'reads a message of PostgreSQL, which has at most 8,000 bytes': [
    'platform/replicas/share-notifications.ts parseMessage',
  ],
  'matches a header, of which guessPermission (above) gets at most 500 characters': [
    'queue/contacts/import/permission-words.ts optOutPattern',
    'queue/contacts/import/permission-words.ts optOutPhrase',
    'queue/contacts/import/permission-words.ts consentPattern',
    'queue/contacts/import/permission-words.ts callVerb',
    'queue/contacts/import/permission-words.ts permissionWord',
    'queue/contacts/import/permission-words.ts requestWord',
    'queue/contacts/import/permission-words.ts callDetailWord',
  ],
  'finds a holiday of a year, which is a number': [
    'queue/rules/holidays.ts findDate',
    'queue/rules/holidays.ts findEaster',
  ],
  'reads a time that PostgreSQL has written': [
    'queue/rules/consent.ts findConsentIssue',
    'queue/rules/plan-call.ts findFree',
    'queue/rules/why-allowed.ts findWhyAllowed',
  ],
  'reads a message that the MCP library has written': ['platform/outbound/guarded-fetch.ts isRequest'],
  'reads what a schema with limits has accepted (http/input-growth.test.ts)': [
    'queue/contacts/contact-input.ts checkConsentDate',
    'queue/contacts/import/map-columns.ts readFileConsent',
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
    'dashboard/integrations/webhook-pages.ts webhookPage',
    'dashboard/tools/http-tool-pages.ts parseHttpTool',
    'dashboard/tools/mcp-server-pages.ts parseMcpServer',
    'tools/spreadsheets/google-account.ts parseJson',
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
    'tools/mcp/mcp-http.ts readBody',
    'platform/outbound/guard.ts readBody',
    'calling/telephony/http-runtime/runtime-client.ts readState',
    'calling/telephony/http-runtime/runtime-client.ts readText',
    'tools/custom/http-tool.ts compactJson',
  ],
  'runs in a process or thread that has a limit of time': [
    'tools/knowledge/parse/extract-text.ts readBytes',
    'tools/knowledge/parse/read-docx.ts readDocx',
    'tools/knowledge/parse/read-pdf.ts readPdf',
    'tools/knowledge/parse/run-parser.ts runParser',
    'tools/json-schema/omit-blank-arguments.ts rejectsValue',
  ],
  'reads what this service or its operator wrote, or a saved address': [
    'api/openapi/tidy-components.ts rewrite',
    'config.ts parseConfig',
    'platform/core/countries.ts names',
    'platform/core/secret-on-disk.ts readOrCreateSecret',
    'platform/core/secret-on-disk.ts readSecretFile',
    'dashboard/calls/call-page.ts readPage',
    'dashboard/calls/call-transcript.ts formatOffset',
    'dashboard/integrations/connection-pages.ts connectZapierPage',
    'dashboard/integrations/delivery-pages.ts formatBody',
    'dashboard/integrations/delivery-pages.ts readDeliveryTable',
    'dashboard/overview/overview-notices.ts nameSubscription',
    'dashboard/page/submit-once.ts parseRedirect',
    'platform/http/unmatched-requests.ts toPattern',
    'platform/idempotency/idempotency.ts readContactAdded',
    'accounts/oauth/create-oauth-client.ts isSafeRedirectUri',
    'accounts/oauth/create-provider.ts createProvider',
    'accounts/oauth/find-authorization.ts findAuthorization',
    'accounts/oauth/register-oauth.ts mountProvider',
    'accounts/oauth/server-keys.ts loadServerKeys',
    'platform/replicas/connect-replicas.ts connectReplicas',
    'queue/scheduling/calling-hours.ts nextPossibleOpening',
    'platform/secrets/secret-file.ts readSecrets',
    'calling/telephony/http-runtime/follow-attempt.ts readFinalReports',
    'calling/telephony/http-runtime/runtime-client.ts createRuntimeClient',
    'calling/telephony/tool-client.ts ownToolServerUrl',
    'calling/telephony/tool-client.ts toolSessionUrl',
    'tools/custom/connect-remote.ts openSession',
    'tools/custom/remote-client.ts toRemoteAddress',
    'dashboard/page/sealed-form.ts openForm',
    'tools/custom/tool-secrets.ts openSecrets',
    'version.ts manifest',
    'platform/views/page-headers.ts formTarget',
    'webhooks/deliver.ts attemptDelivery',
    'webhooks/erase-events.ts toErasedBody',
    'webhooks/origin-secret.ts toOriginSecret',
    'webhooks/signing-keys.ts createSigningKeys',
  ],
}

const cases = Object.values(readers).flatMap((ofModule) => Object.entries(ofModule))

/** Returns true if a parser is tested above: by its name if it's exported, and otherwise through its module's other parsers. */
const isRead = ({ module, name, isExported }: TextParser): boolean =>
  Object.keys(readers[module] ?? {}).some((reader) => !isExported || reader.split(':')[0] === name)

it("this file covers every text parser in the service's code", () => {
  const others = Object.values(otherParsers).flat()
  const found = listTextParsers()
  const missing = found.filter((one) => !isRead(one) && !others.includes(`${one.module} ${one.name}`))
  const advice = 'to `readers`, or to `otherParsers` with the reason, in test/core/text-growth.test.ts'
  expect(missing.map(({ module, name }) => `Add ${name} of ${module} ${advice}`)).toEqual([])
  const places = found.map(({ module, name }) => `${module} ${name}`)
  expect(others.filter((place) => !places.includes(place))).toEqual([])
})

it.each(Object.keys(fullFormats))(
  "the format %s is checked outside a thread only if the check takes CPU time in proportion to the text's length",
  async (format) => {
    const schema = { type: 'object', properties: { a: { type: 'string', format } } }
    if (!isSimpleSchema(schema)) return
    const validator = compileSchema(schema)
    for (const [what, repeat] of Object.entries(repeatedTexts))
      expect(await findGrowth(what, repeat, (text) => validator({ a: text }))).toBeUndefined()
  },
)

it.each(cases)("the parser takes CPU time in proportion to the text's length: %s", async (_name, read) => {
  for (const [what, repeat] of Object.entries(repeatedTexts))
    expect(await findGrowth(what, repeat, (text) => ignoreRejection(() => read(text)))).toBeUndefined()
})
