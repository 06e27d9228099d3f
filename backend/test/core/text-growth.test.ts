import { expect, it } from '@jest/globals'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { validateAgent } from '../../agents/validate-agent.ts'
import { describeContact } from '../../contacts/describe-contact.ts'
import { parsePhone } from '../../core/phone.ts'
import { toSingleLine } from '../../core/text.ts'
import { checkEmail } from '../../identity/users.ts'
import { readHtml } from '../../knowledge/parse/read-html.ts'
import { splitIntoPassages } from '../../knowledge/split-passages.ts'
import { findTargetUrlIssue } from '../../outbound/target-url.ts'
import { parseRequestedTime } from '../../scheduling/local-time.ts'
import type { DialRequest } from '../../telephony/provider.ts'
import { fillTemplate } from '../../telephony/simulated/scenarios.ts'
import { parseTimeZone } from '../../telephony/simulated/tool-steps.ts'
import { redactSecrets } from '../../tools/custom/tool-secrets.ts'
import { parseTemplate } from '../../tools/custom/url-template.ts'
import { compileSchema, isSimpleSchema } from '../../tools/json-schema/compile-schema.ts'
import { languageName } from '../../views/format.ts'
import { findGrowth, repeatedTexts } from '../support/cpu-growth.ts'

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
function ignoreError(read: () => unknown): void {
  try {
    read()
  } catch {
    // only the time counts
  }
}

/** What reads stored text, or text from other servers, which is longer than that of any form. */
const readers: Record<string, (text: string) => unknown> = {
  toSingleLine,
  'describeContact: a variable': (text) => describe({ a: text }, ''),
  'describeContact: the name of a variable': (text) => describe({ [text]: 'a' }, ''),
  'describeContact: a note': (text) => describe({}, text),
  'fillTemplate: a greeting': (text) => fillTemplate('{{greeting}}', dialRequest(text, {})),
  'fillTemplate: a variable': (text) =>
    fillTemplate('{{greeting}}', dialRequest('Hi {{a}}{{b}}. {{b}} {{a}}, {{b}}', { a: text })),
  parseTimeZone,
  parseRequestedTime: (text) => parseRequestedTime(text, 'Europe/Berlin'),
  splitIntoPassages,
  readHtml: (text) => readHtml(Buffer.from(text)),
  parseTemplate,
  languageName,
  parsePhone: (text) => parsePhone(text, 'US'),
  findTargetUrlIssue: (text) => findTargetUrlIssue({ allowLoopbackWebhooks: false }, text),
  checkEmail: (text) => ignoreError(() => checkEmail(text)),
  'validateAgent: the language': (text) =>
    ignoreError(() => validateAgent({ name: 'Ava', language: text, greeting: '', variables: [] })),
  'validateAgent: the other fields': (text) =>
    ignoreError(() => validateAgent({ name: text, greeting: text, variables: [text] })),
  'redactSecrets: a response': (text) => redactSecrets(text, { token: 'secret ==' }),
  'redactSecrets: a secret': (text) => redactSecrets('response', { token: text }),
}

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

it.each(Object.entries(readers))(
  'takes CPU time in proportion to the length of a text: %s',
  async (_name, read) => {
    for (const [what, repeat] of Object.entries(repeatedTexts))
      expect(await findGrowth(what, repeat, read)).toBeUndefined()
  },
)
