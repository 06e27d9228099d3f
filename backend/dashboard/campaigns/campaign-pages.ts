import type { CallingHours, RetryPolicy } from '@outdial/contract'
import { toCall } from '../../calls/get-calls.ts'
import { findCallPage } from '../../calls/find-calls.ts'
import { selectCampaignsForPeople, selectProgress } from './campaign-queries.ts'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../core/errors.ts'
import { none, show } from '../page/page-route.ts'
import { callSign, campaignSign, type Sign, waitsFor } from '../page/badges.ts'
import { contactName } from '../contact-name.ts'
import { template } from '../view.ts'
import { hoursInWords, retryInWords } from './in-words.ts'
import { showProgress, type ShownProgress } from './progress.ts'

interface CallRow {
  id: number
  contact: string
  sign: Sign
  waitsFor: string
  nextAttemptAt: string | null
  queuedAt: string
}

interface CampaignData {
  campaign: {
    id: number
    name: string
    status: string
    sign: Sign
    agentId: number
    agentName: string
    agentIsLive: boolean
    numberLabel: string
    phoneNumber: string
    numberIsActive: boolean
    timeZone: string
    hours: string
    retry: string
    maxConcurrentCalls: number
    pausedReason: string | null
    createdAt: Date
  }
  progress: ShownProgress
  waiting: CallRow[]
  recent: CallRow[]
}

const page = template<CampaignData>('dashboard/campaigns/campaign-page')
const shownCalls = 10

export const campaignPage = (deps: Deps) =>
  show({
    path: '/campaigns/:id',
    query: none,
    show: async ({ workspace, id: campaignId }) => {
      const one = { limit: 1, offset: 0 }
      const [row] = await selectCampaignsForPeople(deps.db, workspace.id, { campaignId }, one)
      if (row === undefined) throw notFound('There is no campaign with this id in this workspace.')
      const progress = await selectProgress(deps.db, workspace.id, [campaignId])
      const calls = (status: 'queued' | 'completed') => callRows(deps, workspace.id, { campaignId, status })
      return page(row.name, {
        campaign: {
          id: row.id,
          name: row.name,
          status: row.status,
          sign: campaignSign(row.status),
          agentId: row.agent_id,
          agentName: row.agent_name,
          agentIsLive: row.agent_status === 'live',
          numberLabel: row.number_label,
          phoneNumber: row.phone_number,
          numberIsActive: row.number_status === 'active',
          timeZone: row.time_zone,
          hours: hoursInWords(row.calling_hours satisfies CallingHours),
          retry: retryInWords(row.retry satisfies RetryPolicy),
          maxConcurrentCalls: row.max_concurrent_calls,
          pausedReason: row.paused_reason,
          createdAt: row.created_at,
        },
        progress: showProgress(progress.get(campaignId)),
        waiting: await calls('queued'),
        recent: await calls('completed'),
      })
    },
  })

async function callRows(
  deps: Deps,
  workspaceId: number,
  filter: { campaignId: number; status: 'queued' | 'completed' },
): Promise<CallRow[]> {
  const now = deps.clock.now()
  const rows = await findCallPage(deps.db, workspaceId, filter, { limit: shownCalls, offset: 0 }, now)
  return rows.map(toCall).map((call) => ({
    id: call.id,
    contact: contactName(call.contact, call.contact.phone_number),
    sign: callSign(call),
    waitsFor: waitsFor(call.waiting_for),
    nextAttemptAt: call.next_attempt_at,
    queuedAt: call.queued_at,
  }))
}
