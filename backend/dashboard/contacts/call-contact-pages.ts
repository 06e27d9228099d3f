import { addContactTexts, boundedText } from '@outdial/contract'
import * as z from 'zod'
import { callLimits } from '../../calling/telephony/provider.ts'
import type { Deps } from '../../deps.ts'
import { invalidField } from '../../platform/core/form-errors.ts'
import { formatContactName } from '../../platform/views/format.ts'
import { checks, field, formMessage, pageForm } from '../../platform/views/forms.ts'
import { html } from '../../platform/views/html.ts'
import { icon } from '../../platform/views/icon.ts'
import { listOpenCampaigns } from '../../queue/campaigns/campaigns.ts'
import { callContact, checkCallable } from '../../queue/contacts/call-contact.ts'
import { describeMissingValues } from '../../queue/contacts/missing-values.ts'
import { findCallRules } from '../../queue/rules/call-rules.ts'
import { findStopsOfNumbers } from '../../queue/rules/limits.ts'
import { parseLocalTimeField } from '../../queue/scheduling/local-time.ts'
import { confirmPage } from '../page/confirm-page.ts'
import { defineForm, defineView, noInput, redirectTo } from '../page/define-page.ts'
import { formText, toFormTexts } from '../page/forms.ts'
import { type IdContext, IdParam, IdParams, type PageContext, pathTo } from '../page/page-context.ts'
import { pageNotFound } from '../page/page-errors.ts'
import { formatQueued, joinSentences } from '../page/queued-message.ts'
import {
  type ContactToCall,
  describeBlockerOf,
  type OpenCampaign,
  suggestCampaign,
  toCampaignOptions,
} from './campaign-options.ts'
import { findCallee, findLastCampaignOf, findOpenCampaignsOf, requireContact } from './contact-queries.ts'

const formTexts = toFormTexts(addContactTexts)

interface CallContactData {
  contact: Awaited<ReturnType<typeof findNamedContact>>
  campaigns: { value: number | ''; label: string }[]
  /** The suggested campaign; blank if the user must choose. */
  chosen: number | ''
  /** True if the form asks for a time. */
  isLater: boolean
}

const callContactView = defineView(
  ({ ui, form }, { campaigns, chosen, contact, isLater }: CallContactData) => html`
    <a
      class="crumb"
      href="${ui.to(`/contacts/${contact.id}`)}"
    >${icon('back')} ${contact.name}</a>
    <h1>${isLater ? `Add ${contact.name} to a campaign` : `Call ${contact.name}`}</h1>
    ${
      campaigns.length === 0
        ? html`
          <div class="panel empty">
            <p><strong>No campaigns yet.</strong></p>
            <p>${formTexts.campaign_id.hint ?? null}</p>
            <a
              class="button quiet"
              href="${ui.to('/campaigns/new')}"
            >Create campaign</a>
          </div>
        `
        : pageForm(
            form,
            { class: 'panel stack form', novalidate: true },
            html`
              ${formMessage(form)}
              <dl class="facts"><dt>${formTexts.phone_number.label}</dt><dd>${contact.phone_number}</dd></dl>
              ${field({
                form,
                ...formTexts.campaign_id,
                name: 'campaign_id',
                value: chosen,
                options: campaigns,
                required: true,
              })}
              ${
                isLater
                  ? field({
                      form,
                      name: 'scheduled_at',
                      label: formTexts.scheduled_at.label,
                      type: 'datetime-local',
                      hint: `${formTexts.scheduled_at.hint} Time zone: ${ui.timeZone}. Leave blank to call as soon as possible.`,
                    })
                  : checks({
                      form,
                      name: 'test',
                      label: formTexts.test.label,
                      values: [],
                      options: [
                        {
                          value: 'yes',
                          label: 'Simulate the call',
                          hint: `${formTexts.test.hint} Calling hours don't apply.`,
                        },
                      ],
                    })
              }
              <div class="form-actions">
                <button class="primary">${isLater ? 'Add to campaign' : 'Call now'}</button>
                <a class="button quiet" href="${ui.to(`/contacts/${contact.id}`)}">Cancel</a>
              </div>
            `,
          )
    }
  `,
)

export const alreadyOpenMessage =
  'This contact already has a call that is waiting or in progress in this campaign, so no call was queued.'

export const callNowPage = defineForm({
  params: IdParams,
  query: noInput,
  form: z.object({ campaign_id: z.coerce.number().int().min(1).optional(), test: formText.optional() }),
  show: async (deps, context) => {
    const contact = await findNamedContact(deps, context)
    const choice = await loadCampaignChoice(deps, context, deps.clock.now())
    return callContactView(`Call ${contact.name}`, { contact, ...choice, isLater: false })
  },
  submit: async (tx, context, { campaign_id, test }) => {
    const campaignId = requireCampaignId(campaign_id)
    if (test === undefined && (await startsNow(tx, context, campaignId))) {
      const { phone_number: phoneNumber } = await requireContact(tx, context)
      await checkCallable(tx, context.workspace.id, phoneNumber)
      return redirectTo(pathTo(context, `/contacts/${context.params.id}/call/${campaignId}`))
    }
    return queueNow(tx, context, { campaignId, test: test !== undefined })
  },
})

const CallParams = IdParams.extend({ campaignId: IdParam })

/** Asks before a phone rings. A call that must wait is queued without a question, because it can be canceled. */
export const confirmCallPage = defineForm({
  params: CallParams,
  query: noInput,
  form: noInput,
  show: async (deps, context) => {
    const contact = await findNamedContact(deps, context)
    const campaign = await requireCampaignToCall(deps, context)
    return confirmPage(`Call ${contact.name} now?`, {
      heading: `Call ${contact.name} now?`,
      effects: [
        `The campaign “${campaign.name}” calls ${contact.phone_number} as soon as it has a free slot.`,
      ],
      notes: [
        "You can cancel the call until it's dialed.",
        ...[(await findMissing(deps, context, campaign.id)) ?? []].flat(),
      ],
      confirmation: null,
      submitLabel: 'Call now',
      back: { path: `/contacts/${contact.id}`, label: contact.name },
      fields: {},
    })
  },
  submit: async (tx, context) => {
    const { id } = await requireCampaignToCall(tx, context)
    return queueNow(tx, context, { campaignId: id, test: false })
  },
})

async function requireCampaignToCall(
  deps: Pick<Deps, 'db' | 'clock'>,
  { workspace, params: { campaignId } }: PageContext<unknown, z.output<typeof CallParams>>,
): Promise<OpenCampaign> {
  const campaigns = await listOpenCampaigns(deps, workspace.id)
  const campaign = campaigns.find(({ id }) => id === campaignId)
  if (campaign === undefined) throw pageNotFound()
  return campaign
}

async function queueNow(
  tx: Deps,
  context: IdContext,
  { campaignId, test }: { campaignId: number; test: boolean },
) {
  const request = { campaignId, at: null, test }
  const { callId, queued } = await callContact(tx, context.caller, context.params.id, request)
  if (!queued) return redirectTo(pathTo(context, `/contacts/${context.params.id}`), alreadyOpenMessage)
  const message = await formatQueued(tx, context.workspace, callId)
  const missing = await findMissing(tx, context, campaignId)
  return redirectTo(pathTo(context, `/calls/${callId}`), joinSentences(message, missing))
}

/** Returns true if a call that's queued now waits for nothing but a free slot of its campaign. */
async function startsNow(
  deps: Pick<Deps, 'config' | 'db' | 'clock'>,
  context: IdContext,
  campaignId: number,
): Promise<boolean> {
  const campaigns = await listOpenCampaigns(deps, context.workspace.id)
  const contact = await loadContactToCall(deps, context, { campaigns, now: deps.clock.now() })
  const campaign = campaigns.find(({ id }) => id === campaignId)
  return campaign !== undefined && describeBlockerOf(campaign, contact) === undefined
}

async function loadContactToCall(
  deps: Pick<Deps, 'config' | 'db'>,
  context: IdContext,
  { campaigns, now }: { campaigns: readonly OpenCampaign[]; now: Date | null },
): Promise<ContactToCall> {
  await requireContact(deps, context)
  const rules = await findCallRules(deps, context.workspace.id)
  const numberIds = rules === null ? [] : campaigns.map(({ phone_number_id }) => phone_number_id)
  return {
    callee: await findCallee(deps.db, toContactKey(context)),
    rules,
    openCampaignIds: await findOpenCampaignsOf(deps.db, toContactKey(context)),
    now,
    limitsReached:
      now === null ? new Map() : await findStopsOfNumbers(deps.db, numberIds, { now, ...callLimits }),
  }
}

const toContactKey = ({ workspace, params: { id } }: IdContext) => ({
  workspaceId: workspace.id,
  contactId: id,
})

/** Returns the campaigns to choose from, each with the reason why it can't call, and the one to suggest. */
async function loadCampaignChoice(
  deps: Pick<Deps, 'config' | 'db' | 'clock'>,
  context: IdContext,
  now: Date | null,
) {
  const campaigns = await listOpenCampaigns(deps, context.workspace.id)
  const contact = await loadContactToCall(deps, context, { campaigns, now })
  const lastId = await findLastCampaignOf(deps.db, toContactKey(context))
  const chosen = suggestCampaign(campaigns, contact, lastId)
  const options = toCampaignOptions(campaigns, (campaign) => describeBlockerOf(campaign, contact))
  return {
    campaigns: campaigns.length === 0 ? [] : [{ value: '' as const, label: 'Choose a campaign' }, ...options],
    chosen,
  }
}

export const addToCampaignPage = defineForm({
  params: IdParams,
  query: noInput,
  form: z.object({
    campaign_id: z.coerce.number().int().min(1).optional(),
    scheduled_at: boundedText(64).optional(),
  }),
  show: async (deps, context) => {
    const contact = await findNamedContact(deps, context)
    return callContactView(`Add ${contact.name} to a campaign`, {
      contact,
      ...(await loadCampaignChoice(deps, context, null)),
      isLater: true,
    })
  },
  submit: async (tx, context, { campaign_id, scheduled_at }) => {
    const { timeZone } = context.workspace
    const at = scheduled_at === undefined ? null : parseLocalTimeField('scheduled_at', scheduled_at, timeZone)
    const request = { campaignId: requireCampaignId(campaign_id), at, test: false }
    const { callId, queued } = await callContact(tx, context.caller, context.params.id, request)
    const to = pathTo(context, `/contacts/${context.params.id}`)
    if (!queued) return redirectTo(to, alreadyOpenMessage)
    const missing = await findMissing(tx, context, request.campaignId)
    return redirectTo(to, joinSentences(await formatQueued(tx, context.workspace, callId), missing))
  },
})

const findMissing = (
  deps: Pick<Deps, 'db'>,
  { workspace, params }: IdContext,
  campaignId: number,
): Promise<string | null> => describeMissingValues(deps, workspace.id, { contactId: params.id, campaignId })

function requireCampaignId(campaignId: number | undefined): number {
  if (campaignId !== undefined) return campaignId
  throw invalidField('campaign_id', 'required', 'Choose a campaign.')
}

async function findNamedContact(deps: Pick<Deps, 'db'>, context: IdContext) {
  const contact = await requireContact(deps, context)
  return { ...contact, name: formatContactName(contact, contact.phone_number) }
}
