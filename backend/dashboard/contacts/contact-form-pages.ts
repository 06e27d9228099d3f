import { AddContact, boundedText, ConsentKind, endedReasonTexts } from '@outdial/contract'
import { readCountry } from '@outdial/reading'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { ApiError, throwAsFieldError } from '../../platform/core/errors.ts'
import { invalidField } from '../../platform/core/form-errors.ts'
import { isInternational, parsePhone, parsePhones } from '../../platform/core/phone.ts'
import { pick, toRecord } from '../../platform/core/records.ts'
import { toSingleLine } from '../../platform/core/text.ts'
import { validate } from '../../platform/core/validate.ts'
import {
  blankContact,
  type ContactFieldValues,
  textColumns,
} from '../../platform/db/tables/contact-fields.ts'
import { formatContactName } from '../../platform/views/format.ts'
import { listOpenCampaigns } from '../../queue/campaigns/campaigns.ts'
import { addContact } from '../../queue/contacts/add-contact.ts'
import type { Added } from '../../queue/contacts/add-request.ts'
import { checkConsentDate, ContactInput, requireTimeZone } from '../../queue/contacts/contact-input.ts'
import { describeMissingValues } from '../../queue/contacts/missing-values.ts'
import { replaceContactDetails } from '../../queue/contacts/update-contact.ts'
import { parseLocalDateField } from '../../queue/scheduling/local-time.ts'
import { IssueCollector } from '../page/collect-issues.ts'
import { defineForm, noInput, redirectTo } from '../page/define-page.ts'
import { formText } from '../page/forms.ts'
import { IdParams, pathTo } from '../page/page-context.ts'
import { formatQueued, joinSentences } from '../page/queued-message.ts'
import { toCampaignOptions } from './campaign-options.ts'
import { contactFormView, type Values } from './contact-form-view.ts'
import { requireContact } from './contact-queries.ts'

/** Maximum length of the variables: a hundred with the longest names and values, one per line. */
const maxVariablesLength = 100 * (100 + 2_000 + ' = \r\n'.length)

const text = formText.optional()

const ContactFields = z.object({
  ...toRecord(textColumns, () => text),
  variables: boundedText(maxVariablesLength).optional(),
  'consent.source': text,
  'consent.at': text,
  'consent.kind': ConsentKind.optional(),
})

const NewContactFields = ContactFields.extend({
  phone_number: text,
  country: text,
  do_not_call: text,
  campaign_id: z.coerce.number().int().min(1).optional(),
  test: text,
})

export const newContactPage = defineForm({
  query: z.object({ campaign: z.coerce.number().optional().catch(undefined) }),
  form: NewContactFields,
  show: async (deps, { workspace, query }) => {
    const campaigns = await listOpenCampaigns(deps, workspace.id)
    return contactFormView('New contact', {
      back: { path: '/contacts', label: 'Contacts' },
      submitLabel: 'Add contact',
      contact: null,
      values: toFormValues(blankContact),
      country: workspace.country,
      campaigns: [{ value: '', label: "Don't call yet" }, ...toCampaignOptions(campaigns)],
      chosen: query.campaign ?? '',
    })
  },
  submit: async (tx, context, fields) => {
    const { workspace, caller } = context
    const form = { fields, workspace, now: tx.clock.now() }
    if (fields.campaign_id === undefined) {
      const saved = await addContact(tx, caller, parseNewContact(ContactInput, form))
      return redirectTo(
        pathTo(context, `/contacts/${saved.contact.id}`),
        saved.contact.created ? 'Contact added.' : existingContactMessage,
      )
    }
    const call = { campaign_id: fields.campaign_id, test: fields.test !== undefined }
    const contact = parseNewContact(ContactWithCall, form, call)
    const added = await addContact(tx, caller, contact).catch(throwAsFieldError)
    const to = pathTo(context, `/contacts/${added.contact.id}`)
    const message = await formatQueuedMessage(tx, workspace, added)
    const isWaiting =
      typeof added.call !== 'string' && added.call?.suppressedFor === null && added.call.queued
    if (!isWaiting) return redirectTo(to, message)
    const request = { contactId: added.contact.id, campaignId: fields.campaign_id }
    return redirectTo(to, joinSentences(message, await describeMissingValues(tx, workspace.id, request)))
  },
})

const existingContactMessage =
  'A contact with this phone number already existed, so that contact was updated.'

async function formatQueuedMessage(
  tx: Pick<Deps, 'db' | 'clock' | 'config'>,
  workspace: { id: number; timeZone: string },
  { contact, call }: Added,
): Promise<string> {
  const savedMessage = contact.created ? 'Contact added.' : 'Contact updated.'
  if (typeof call === 'string' || call?.suppressedFor === 'do_not_call') {
    return `${savedMessage} The number is on the do-not-call list, so it won't be called.`
  }
  if (call !== null && call.suppressedFor !== null) {
    return `${savedMessage} It won't be called: ${endedReasonTexts[call.suppressedFor].meaning}`
  }
  if (call?.queued !== true)
    return `${savedMessage} No call was queued, because this contact already has a call that is waiting or in progress in this campaign.`
  return `${savedMessage} ${await formatQueued(tx, workspace, call.id)}`
}

const toFormValues = (contact: ContactFieldValues): Values => ({
  ...toRecord(textColumns, (column) => contact[column] ?? ''),
  variables: formatVariables(contact.variables),
  consent_source: contact.consent_source ?? '',
  consent_at: contact.consent_at?.toISOString() ?? '',
  consent_kind: contact.consent_kind ?? '',
})

export const editContactPage = defineForm({
  params: IdParams,
  query: noInput,
  form: ContactFields,
  show: async (deps, context) => {
    const {
      workspace,
      params: { id },
    } = context
    const contact = await requireContact(deps, context)
    const name = formatContactName(contact, contact.phone_number)
    return contactFormView(`Edit ${name}`, {
      back: { path: `/contacts/${id}`, label: name },
      submitLabel: 'Save',
      contact,
      values: toFormValues(contact),
      country: workspace.country,
      campaigns: [],
      chosen: '',
    })
  },
  loadEdited: async (tx, context) => toFormValues(await requireContact(tx, context)),
  submit: async (tx, context, fields) => {
    const {
      workspace,
      caller,
      params: { id },
    } = context
    const { phone_number: phoneNumber } = await requireContact(tx, context)
    const issues = new IssueCollector()
    const details = toContactInput(fields, { workspace, now: tx.clock.now(), phoneNumber }, issues)
    const contact = validateWith(issues, EditedContact, details)
    await replaceContactDetails(tx, caller, id, contact)
    return redirectTo(
      pathTo(context, `/contacts/${id}`),
      'Contact saved. Time zone changes also apply to waiting calls.',
    )
  },
})

const EditedContact = ContactInput.omit({ phone_number: true, country: true, do_not_call: true })

const ContactWithCall = AddContact.extend({ time_zone: ContactInput.shape.time_zone })

interface NewContactForm {
  fields: z.output<typeof NewContactFields>
  workspace: { country: string; timeZone: string }
  now: Date
}

/** @throws {ApiError} validation_failed, with the issues of all fields */
function parseNewContact<Schema extends z.ZodType>(
  schema: Schema,
  { fields, workspace, now }: NewContactForm,
  call: object = {},
): z.output<Schema> {
  const issues = new IssueCollector()
  const country = issues.collect(() => readFormCountry(fields))
  const mustNotBeCalled = fields.do_not_call !== undefined
  const isCountryUnknown = country === undefined && fields.country !== undefined
  const phoneNumber = isCountryUnknown
    ? undefined
    : issues.collect(() =>
        parseFormNumber(fields.phone_number, country ?? workspace.country, mustNotBeCalled),
      )
  return validateWith(issues, schema, {
    ...toContactInput(fields, { workspace, now, phoneNumber }, issues),
    phone_number: fields.phone_number,
    country,
    ...(mustNotBeCalled && { do_not_call: true }),
    ...call,
  })
}

/** Validates input, and throws the collected issues and the new ones. If a field has several, the form shows the first. */
function validateWith<Schema extends z.ZodType>(
  issues: IssueCollector,
  schema: Schema,
  input: object,
): z.output<Schema> {
  const parsed = issues.collect(() => validate(schema, input))
  issues.throwIfAny()
  return parsed as z.output<Schema>
}

/** Parses a phone number. Returns undefined for a blank one, which the schema reports. */
function parseFormNumber(written: string | undefined, country: string, mustNotBeCalled: boolean) {
  if (written === undefined) return undefined
  const parsed = mustNotBeCalled ? parsePhones(written, country) : parsePhone(written, country)
  if (!parsed.ok) throw new ApiError('validation_failed', { details: [parsed.issue] })
  return 'phoneNumber' in parsed ? parsed.phoneNumber : parsed.phoneNumbers[0]
}

/** The context that some fields of the form depend on. */
interface FormContext {
  workspace: { timeZone: string }
  now: Date
  /** Undefined if it's missing or invalid. */
  phoneNumber: string | undefined
}

/** Converts the fields to the input of the API. Omits blank fields, and collects the issues of the others. */
function toContactInput(
  fields: z.output<typeof ContactFields>,
  { workspace, now, phoneNumber }: FormContext,
  issues: IssueCollector,
): Record<string, unknown> {
  const { time_zone: timeZone, variables } = fields
  if (timeZone !== undefined && phoneNumber !== undefined)
    issues.collect(() => requireTimeZone(timeZone, phoneNumber))
  const consent = issues.collect(() => parseConsent(fields, workspace.timeZone, now))
  return {
    ...pick(fields, textColumns),
    ...(variables !== undefined && { variables: issues.collect(() => parseVariables(variables)) }),
    ...(consent !== undefined && { consent }),
  }
}

/** @throws {ApiError} validation_failed if the source or the date is missing, or if the date is invalid or in the future */
function parseConsent(fields: z.output<typeof ContactFields>, timeZone: string, now: Date) {
  const source = fields['consent.source']
  const at = fields['consent.at']
  const kind = fields['consent.kind']
  const entered = Object.entries({ source, date: at, kind }).filter(([, value]) => value !== undefined)
  if (entered.length === 0) return undefined
  const issues = new IssueCollector()
  const toClear = entered.map(([name]) => `the consent ${name}`).join(' and ')
  if (source === undefined) {
    const message = `Enter the consent source, or clear ${toClear}.`
    issues.add([{ field: 'consent.source', code: 'required', message }])
  }
  if (at === undefined) {
    const message = `Enter the consent date, or clear ${toClear}.`
    issues.add([{ field: 'consent.at', code: 'required', message }])
  }
  const date = at && issues.collect(() => parseLocalDateField('consent.at', at, timeZone))
  const consent = source && date ? { source, at: date.toISOString(), kind } : undefined
  issues.collect(() => {
    checkConsentDate(consent, now)
  })
  issues.throwIfAny()
  return consent
}

/** Reads the country. An unknown one is an issue only if the phone number has no country code. */
function readFormCountry({ phone_number: phoneNumber = '', country }: z.output<typeof NewContactFields>) {
  if (country === undefined) return undefined
  const code = readCountry(country)?.code
  if (code !== undefined || isInternational(phoneNumber)) return code
  const message = "This country isn't known. Enter its two-letter code, for example US."
  throw invalidField('country', 'invalid_country', message)
}

/** Formats variables, one `name = value` per line. Replaces line breaks in values with spaces. */
const formatVariables = (variables: Record<string, string>): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name} = ${toSingleLine(value)}`)
    .join('\n')

/** @throws {ApiError} validation_failed, with the number of the first invalid line */
function parseVariables(list: string): Record<string, string> {
  const lines = list.split(/\r\n|\r|\n/)
  const entries = lines.flatMap((line, index): [string, string][] => {
    if (line.trim() === '') return []
    const at = line.indexOf('=')
    const name = line.slice(0, at).trim()
    const value = line.slice(at + 1).trim()
    if (at < 1 || name === '' || value === '') {
      const message = `Line ${index + 1} isn't a variable. Enter one per line, for example product = Roof inspection.`
      throw invalidField('variables', 'invalid_variable', message)
    }
    return [[name, value]]
  })
  return Object.fromEntries(entries)
}
