import { addContactTexts, boundedText } from '@outdial/contract'
import * as z from 'zod'
import { listOpenCampaigns } from '../../campaigns/campaigns.ts'
import { callContact } from '../../contacts/call-contact.ts'
import { describeMissingValues } from '../../contacts/missing-values.ts'
import { invalidField } from '../../core/form-errors.ts'
import type { Deps } from '../../deps.ts'
import { parseLocalTimeField } from '../../scheduling/local-time.ts'
import { formatContactName } from '../../views/format.ts'
import { defineForm, noInput, redirectTo, template } from '../page/define-page.ts'
import { formText, toFormTexts } from '../page/forms.ts'
import { type IdContext, IdParams, pathTo } from '../page/page-context.ts'
import { formatQueued } from '../page/queued-message.ts'
import { requireContact } from './contact-queries.ts'

const formTexts = toFormTexts(addContactTexts)

interface CallData {
  contact: { id: number; name: string; phoneNumber: string }
  campaigns: { value: number; label: string }[]
  /** True if the form asks for a time. */
  isLater: boolean
  text: typeof formTexts
}

const callContactView = template<CallData>('dashboard/contacts/call-contact-page')

export const toCampaignOptions = (campaigns: Awaited<ReturnType<typeof listOpenCampaigns>>) =>
  campaigns.map(({ id, name, status }) => ({
    value: id,
    label: status === 'paused' ? `${name} (paused)` : name,
  }))

export const alreadyOpenMessage =
  'This contact already has a call that is waiting or in progress in this campaign, so no call was queued.'

export const callNowPage = defineForm({
  params: IdParams,
  query: noInput,
  form: z.object({ campaign_id: z.coerce.number().int().min(1).optional(), test: formText.optional() }),
  show: async (deps, context) => {
    const campaigns = await listOpenCampaigns(deps, context.workspace.id)
    const active = campaigns.filter(({ status }) => status === 'active')
    const contact = await findShownContact(deps, context)
    return callContactView(`Call ${contact.name}`, {
      contact,
      campaigns: toCampaignOptions(active),
      isLater: false,
      text: formTexts,
    })
  },
  submit: async (tx, context, { campaign_id, test }) => {
    const isTest = test !== undefined
    const request = { campaignId: requireCampaignId(campaign_id), at: null, test: isTest }
    const { callId, queued } = await callContact(tx, context.caller, context.params.id, request)
    if (!queued) return redirectTo(pathTo(context, `/contacts/${context.params.id}`), alreadyOpenMessage)
    const missing = await findMissing(tx, context, request.campaignId)
    const message = await formatQueued(tx, context.workspace, callId)
    return redirectTo(pathTo(context, `/calls/${callId}`), joinSentences(message, missing))
  },
})

export const addToCampaignPage = defineForm({
  params: IdParams,
  query: noInput,
  form: z.object({
    campaign_id: z.coerce.number().int().min(1).optional(),
    scheduled_at: boundedText(64).optional(),
  }),
  show: async (deps, context) => {
    const campaigns = await listOpenCampaigns(deps, context.workspace.id)
    const contact = await findShownContact(deps, context)
    return callContactView(`Add ${contact.name} to a campaign`, {
      contact,
      campaigns: toCampaignOptions(campaigns),
      isLater: true,
      text: formTexts,
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

/** Joins a message with another sentence, if there is one. */
export const joinSentences = (message: string, sentence: string | null): string =>
  sentence === null ? message : `${message} ${sentence}`

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
