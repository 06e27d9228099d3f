import { boundedText, CallingHours, ConsentRequired, CreateCampaign, RetryPolicy } from '@outdial/contract'
import * as z from 'zod'
import { throwAsFieldError } from '../../platform/core/errors.ts'
import { validate } from '../../platform/core/validate.ts'
import {
  createCampaign,
  defaultMaxConcurrentCalls,
  defaultRetry,
  readConsentRule,
} from '../../queue/campaigns/campaigns.ts'
import { editCampaign, keepsSchedule } from '../../queue/campaigns/edit-campaign.ts'
import { findConflicts } from '../../queue/campaigns/find-conflicts.ts'
import { findCallRules } from '../../queue/rules/call-rules.ts'
import { endsWaitingCalls, requireNoEnds } from '../calls/ends-waiting-calls.ts'
import { defineForm, noInput, redirectTo } from '../page/define-page.ts'
import { consentChoices, formText, StringList } from '../page/forms.ts'
import { IdParams, pathTo } from '../page/page-context.ts'
import { campaignFormView, type FormData } from './campaign-form-view.ts'
import { requireCampaignWithDetails, selectCampaignChoices } from './campaign-queries.ts'

const wholeNumber = z.coerce.number()

/** Fields have the same names as in the contract, so that the contract's issues appear next to the fields. */
const CampaignFields = z.object({
  name: formText.optional(),
  time_zone: boundedText(64).optional(),
  'calling_hours.days': StringList,
  'calling_hours.start': boundedText(64).optional(),
  'calling_hours.end': boundedText(64).optional(),
  max_concurrent_calls: wholeNumber.optional(),
  'retry.max_attempts': wholeNumber.optional(),
  'retry.delay_minutes': wholeNumber.optional(),
  'retry.on': StringList,
  one_conversation_per_day: formText.optional(),
  closed_on_federal_holidays: formText.optional(),
  consent_required: formText.optional(),
  consent_max_age_days: formText.optional(),
})

/** A campaign's agent and phone number can't be changed later. */
const NewCampaignFields = CampaignFields.extend({
  agent_id: wholeNumber.optional(),
  phone_number_id: wholeNumber.optional(),
})

const toCampaignSettings = (fields: z.output<typeof CampaignFields>) => ({
  name: fields.name?.trim(),
  time_zone: fields.time_zone,
  calling_hours: {
    days: fields['calling_hours.days'],
    start: fields['calling_hours.start'],
    end: fields['calling_hours.end'],
  },
  max_concurrent_calls: fields.max_concurrent_calls,
  retry: {
    max_attempts: fields['retry.max_attempts'],
    delay_minutes: fields['retry.delay_minutes'],
    on: fields['retry.on'],
  },
  one_conversation_per_day: fields.one_conversation_per_day !== undefined,
  closed_on_federal_holidays: fields.closed_on_federal_holidays !== undefined,
  consent_required: fields.consent_required,
  consent_max_age_days:
    fields.consent_max_age_days === undefined ? null : Number(fields.consent_max_age_days),
})

/** Every field is on the form, so no default is applied that the user didn't see. */
const NewCampaignSettings = CreateCampaign.extend({
  time_zone: CreateCampaign.shape.time_zone.unwrap().unwrap(),
  calling_hours: CallingHours,
  max_concurrent_calls: z.int().min(1).max(100),
  retry: RetryPolicy,
  consent_required: ConsentRequired,
  one_conversation_per_day: z.boolean(),
  closed_on_federal_holidays: z.boolean(),
})

const EditedCampaignSettings = NewCampaignSettings.omit({ agent_id: true, phone_number_id: true })

export const newCampaignPage = defineForm({
  query: z.object({ agent: z.coerce.number().optional().catch(undefined) }),
  form: NewCampaignFields,
  show: async (deps, { workspace, query }) => {
    const { agents, numbers, defaults } = await selectCampaignChoices(deps.db, workspace.id)
    return campaignFormView('New campaign', {
      back: { path: '/campaigns', label: 'Campaigns' },
      submitLabel: 'Create campaign',
      campaign: null,
      values: {
        name: '',
        agentId: query.agent ?? agents[0]?.id ?? '',
        phoneNumberId: numbers[0]?.id ?? '',
        timeZone: defaults.time_zone,
        hours: defaults.calling_hours,
        maxConcurrentCalls: defaultMaxConcurrentCalls,
        retry: defaultRetry,
        // Blank, because only the user knows which consent the law requires for these calls.
        consentRequired: '',
        consentMaxAgeDays: '',
        oneConversationPerDay: false,
        closedOnFederalHolidays: false,
      },
      agents: agents.map(({ id, name }) => ({ value: id, label: name })),
      numbers: numbers.map(({ id, label, phone_number }) => ({
        value: id,
        label: `${label} · ${phone_number}`,
      })),
      consentChoices: [{ value: '', label: 'Choose' }, ...consentChoices],
    })
  },
  submit: async (tx, context, fields) => {
    const { agent_id, phone_number_id } = fields
    const body = validate(NewCampaignSettings, { ...toCampaignSettings(fields), agent_id, phone_number_id })
    const campaign = await createCampaign(tx, context.caller, body).catch(throwAsFieldError)
    const warnings = campaign.warnings.map(({ message }) => message)
    return redirectTo(
      pathTo(context, `/campaigns/${campaign.id}`),
      ['Campaign created. Add contacts here or with a Zap.', ...warnings].join(' '),
    )
  },
})

const toFormValues = (row: Awaited<ReturnType<typeof requireCampaignWithDetails>>): FormData['values'] => ({
  name: row.name,
  agentId: row.agent_id,
  phoneNumberId: row.phone_number_id,
  timeZone: row.time_zone,
  hours: row.calling_hours,
  maxConcurrentCalls: row.max_concurrent_calls,
  retry: row.retry,
  consentRequired: row.consent_required,
  consentMaxAgeDays: row.consent_max_age_days ?? '',
  oneConversationPerDay: row.one_conversation_per_day,
  closedOnFederalHolidays: row.closed_on_federal_holidays,
})

export const editCampaignPage = defineForm({
  params: IdParams,
  query: noInput,
  form: CampaignFields.extend(endsWaitingCalls),
  show: async (deps, { workspace, params: { id } }) => {
    const row = await requireCampaignWithDetails(deps, workspace.id, id)
    return campaignFormView(`Edit campaign “${row.name}”`, {
      back: { path: `/campaigns/${row.id}`, label: row.name },
      submitLabel: 'Save',
      campaign: { agent: row.agent_name, number: `${row.number_label} · ${row.phone_number}` },
      values: toFormValues(row),
      agents: [],
      numbers: [],
      consentChoices,
    })
  },
  loadEdited: async (tx, { workspace, params: { id } }) =>
    toFormValues(await requireCampaignWithDetails(tx, workspace.id, id)),
  submit: async (tx, context, fields) => {
    const edit = validate(EditedCampaignSettings, toCampaignSettings(fields))
    const { id } = context.params
    const limits = { callingHours: edit.calling_hours, timeZone: edit.time_zone }
    const requires = {
      ...readConsentRule(edit),
      oneConversationPerDay: edit.one_conversation_per_day,
      closedOnFederalHolidays: edit.closed_on_federal_holidays,
    }
    const current = await requireCampaignWithDetails(tx, context.workspace.id, id)
    const endsNone = keepsSchedule({ ...limits, ...requires }, current)
    if (fields.ends_waiting_calls === undefined && !endsNone)
      await requireNoEnds(tx, context.workspace.id, { campaign: { id, ...limits, requires } })
    await editCampaign(tx, context.workspace.id, id, {
      name: edit.name,
      ...limits,
      maxConcurrentCalls: edit.max_concurrent_calls,
      retry: edit.retry,
      ...requires,
    })
    const rules = await findCallRules(tx, context.workspace.id)
    const conflicts = findConflicts(rules, { callingHours: edit.calling_hours, retry: edit.retry })
    return redirectTo(
      pathTo(context, `/campaigns/${id}`),
      [
        'Campaign saved. Changes to hours, closed days, and rules also apply to waiting calls.',
        ...conflicts.map(({ message }) => message),
      ].join(' '),
    )
  },
})
