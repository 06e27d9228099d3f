import { addContactTexts, boundedText } from '@outdial/contract'
import * as z from 'zod'
import { listOpenCampaigns } from '../../campaigns/campaigns.ts'
import { callContact } from '../../contacts/call-contact.ts'
import { invalidField } from '../../core/form-errors.ts'
import type { Deps } from '../../deps.ts'
import { nextCallableAt } from '../../scheduling/calling-hours.ts'
import { parseLocalTimeField } from '../../scheduling/local-time.ts'
import { createTimeFormats, formatContactName } from '../../views/format.ts'
import { confirmPage } from '../page/confirm-page.ts'
import { defineForm, noInput, redirectTo, template } from '../page/define-page.ts'
import { formText, toFormTexts } from '../page/forms.ts'
import { type IdContext, IdParam, IdParams, type PageContext, pathTo } from '../page/page-context.ts'
import { pageNotFound } from '../page/page-errors.ts'
import { describeBlocker, type OpenCampaign, suggestCampaign, toCampaignOptions } from './campaign-options.ts'
import { requireContact } from './contact-queries.ts'

const formTexts = toFormTexts(addContactTexts)

interface CallData {
  contact: { id: number; name: string; phoneNumber: string }
  campaigns: { value: number | ''; label: string }[]
  /** The suggested campaign; blank if the user must choose. */
  chosen: number | ''
  /** True if the form asks for a time. */
  isLater: boolean
  text: typeof formTexts
}

const callContactView = template<CallData>('dashboard/contacts/call-contact-page')

export const alreadyOpenMessage =
  'This contact already has a call that is waiting or in progress in this campaign, so no call was queued.'

export const callNowPage = defineForm({
  params: IdParams,
  query: noInput,
  form: z.object({ campaign_id: z.coerce.number().int().min(1).optional(), test: formText.optional() }),
  show: async (deps, context) => {
    const contact = await findShownContact(deps, context)
    const choice = await loadCampaignChoice(deps, context)
    return callContactView(`Call ${contact.name}`, { contact, ...choice, isLater: false, text: formTexts })
  },
  submit: async (tx, context, { campaign_id, test }) => {
    const campaignId = requireCampaignId(campaign_id)
    if (test === undefined && (await findPlan(tx, context, campaignId)).startsNow) {
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
    const contact = await findShownContact(deps, context)
    const campaign = await requireCampaignToCall(deps, context)
    return confirmPage(`Call ${contact.name} now?`, {
      heading: `Call ${contact.name} now?`,
      effects: [
        `The campaign “${campaign.name}” calls ${contact.phoneNumber} as soon as it has a free slot.`,
      ],
      notes: ["You can cancel the call until it's dialed."],
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
  deps: Pick<Deps, 'db'>,
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
  const plan = await findPlan(tx, context, campaignId)
  const request = { campaignId, at: null, test }
  const { callId, queued } = await callContact(tx, context.caller, context.params.id, request)
  if (!queued) return redirectTo(pathTo(context, `/contacts/${context.params.id}`), alreadyOpenMessage)
  return redirectTo(
    pathTo(context, `/calls/${callId}`),
    test ? 'Test call queued. No phone rings.' : plan.message,
  )
}

/** Says when a call that's queued now can start. */
async function findPlan(
  deps: Pick<Deps, 'db' | 'clock'>,
  context: IdContext,
  campaignId: number,
): Promise<{ startsNow: boolean; message: string }> {
  const contact = await requireContact(deps, context)
  const campaigns = await listOpenCampaigns(deps, context.workspace.id)
  const campaign = campaigns.find(({ id }) => id === campaignId)
  const blocker = campaign && describeBlocker(campaign)
  if (campaign === undefined || blocker !== undefined)
    return {
      startsNow: false,
      message: `Call queued. It waits, because the campaign can't place calls (${blocker ?? 'archived'}).`,
    }
  const now = deps.clock.now()
  const rules = { callingHours: campaign.calling_hours, timeZone: campaign.time_zone }
  const at = nextCallableAt(rules, { phoneNumber: contact.phone_number, timeZone: contact.time_zone }, now)
  return at <= now
    ? { startsNow: true, message: "Call queued. It's placed as soon as the campaign has a free slot." }
    : { startsNow: false, message: 'Call queued. It waits for the calling hours of the campaign.' }
}

/** Returns the campaigns to choose from, with what keeps them from calling, and the one to suggest. */
async function loadCampaignChoice(
  deps: Pick<Deps, 'db'>,
  { workspace, params: { id: contactId } }: IdContext,
) {
  const campaigns = await listOpenCampaigns(deps, workspace.id)
  const chosen = await suggestCampaign(deps, { workspaceId: workspace.id, contactId }, campaigns)
  return {
    campaigns:
      campaigns.length === 0
        ? []
        : [{ value: '' as const, label: 'Choose a campaign' }, ...toCampaignOptions(campaigns)],
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
    const contact = await findShownContact(deps, context)
    return callContactView(`Add ${contact.name} to a campaign`, {
      contact,
      ...(await loadCampaignChoice(deps, context)),
      isLater: true,
      text: formTexts,
    })
  },
  submit: async (tx, context, { campaign_id, scheduled_at }) => {
    const { timeZone } = context.workspace
    const at = scheduled_at === undefined ? null : parseLocalTimeField('scheduled_at', scheduled_at, timeZone)
    const request = { campaignId: requireCampaignId(campaign_id), at, test: false }
    const { queued } = await callContact(tx, context.caller, context.params.id, request)
    const to = pathTo(context, `/contacts/${context.params.id}`)
    if (!queued) return redirectTo(to, alreadyOpenMessage)
    const now = tx.clock.now()
    if (at === null || at <= now) return redirectTo(to, 'Call queued.')
    return redirectTo(
      to,
      `Call queued. Earliest call time: ${createTimeFormats(now, timeZone).fullTime(at)}.`,
    )
  },
})

function requireCampaignId(campaignId: number | undefined): number {
  if (campaignId !== undefined) return campaignId
  throw invalidField('campaign_id', 'required', 'Choose a campaign.')
}

async function findShownContact(deps: Pick<Deps, 'db'>, context: IdContext): Promise<CallData['contact']> {
  const contact = await requireContact(deps, context)
  return {
    id: context.params.id,
    name: formatContactName(contact, contact.phone_number),
    phoneNumber: contact.phone_number,
  }
}
