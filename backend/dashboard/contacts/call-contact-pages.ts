import * as z from 'zod'
import { callContact } from '../../contacts/call-contact.ts'
import { readLocalTime } from '../../contacts/local-input.ts'
import { selectOpenCampaigns } from '../../contacts/search-store.ts'
import type { Deps } from '../../deps.ts'
import { invalidField } from '../../core/errors.ts'
import { form, none } from '../page/page-route.ts'
import { createUi } from '../page/format.ts'
import { done, template } from '../view.ts'
import { pathTo, type Visit } from '../visit.ts'
import { contactName } from '../contact-name.ts'
import { keptContact } from './kept-contact.ts'

interface CallData {
  contact: { id: number; name: string; phoneNumber: string }
  campaigns: { value: number; label: string }[]
  /** Whether it asks for a time. */
  isLater: boolean
}

const page = template<CallData>('dashboard/contacts/call-contact-page')

export const choicesOf = (campaigns: Awaited<ReturnType<typeof selectOpenCampaigns>>) =>
  campaigns.map(({ id, name, status }) => ({
    value: id,
    label: status === 'paused' ? `${name} (paused)` : name,
  }))

const alreadyOpen =
  'A call to this person in this campaign is open already: nothing was added. It is the first one in the list.'

export const callNowPage = (deps: Deps) =>
  form({
    path: '/contacts/:id/call',
    query: none,
    form: z.object({ campaign_id: z.coerce.number().int().min(1).optional(), test: z.string().optional() }),
    show: async (visit) => {
      const campaigns = await selectOpenCampaigns(deps.db, visit.workspace.id)
      const active = campaigns.filter(({ status }) => status === 'active')
      const contact = await contactOf(deps, visit)
      return page(`Call ${contact.name}`, { contact, campaigns: choicesOf(active), isLater: false })
    },
    submit: async (own, visit, { campaign_id, test }) => {
      const isTest = test !== undefined
      const wish = { campaignId: required(campaign_id), at: null, test: isTest }
      const { callId, queued } = await callContact(own)(keyOf(visit), wish)
      if (!queued) return done(pathTo(visit, `/contacts/${visit.id}`), alreadyOpen)
      const message = isTest
        ? 'The test call is made now: no phone rings.'
        : 'The call waits to be dialed: at once where calling hours permit, and a place is free.'
      return done(pathTo(visit, `/calls/${callId}`), message)
    },
  })

export const callLaterPage = (deps: Deps) =>
  form({
    path: '/contacts/:id/add-to-campaign',
    query: none,
    form: z.object({
      campaign_id: z.coerce.number().int().min(1).optional(),
      scheduled_at: z.string().optional(),
    }),
    show: async (visit) => {
      const campaigns = await selectOpenCampaigns(deps.db, visit.workspace.id)
      const contact = await contactOf(deps, visit)
      return page(`Add ${contact.name} to a campaign`, {
        contact,
        campaigns: choicesOf(campaigns),
        isLater: true,
      })
    },
    submit: async (own, visit, { campaign_id, scheduled_at }) => {
      const { timeZone } = visit.workspace
      const at = scheduled_at === undefined ? null : readLocalTime('scheduled_at', scheduled_at, timeZone)
      const wish = { campaignId: required(campaign_id), at, test: false }
      const { queued } = await callContact(own)(keyOf(visit), wish)
      const to = pathTo(visit, `/contacts/${visit.id}`)
      if (!queued) return done(to, alreadyOpen)
      const now = own.clock.now()
      if (at === null || at <= now) return done(to, 'Added: the call waits for its turn.')
      return done(to, `Added: the call waits, not before ${createUi(visit, now).fullTime(at)}.`)
    },
  })

const keyOf = ({ workspace, id }: Visit) => ({ workspaceId: workspace.id, contactId: id })

function required(campaignId: number | undefined): number {
  if (campaignId !== undefined) return campaignId
  throw invalidField('campaign_id', 'required', 'Choose the campaign to call in.')
}

async function contactOf(deps: Pick<Deps, 'db'>, visit: Visit): Promise<CallData['contact']> {
  const contact = await keptContact(deps, visit)
  return { id: visit.id, name: contactName(contact, contact.phone_number), phoneNumber: contact.phone_number }
}
