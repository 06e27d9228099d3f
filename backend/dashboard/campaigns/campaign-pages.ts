import type { CallingHours, RetryPolicy } from '@outdial/contract'
import { toCall } from '../../calls/get-calls.ts'
import { findCallPage } from '../../calls/find-calls.ts'
import { selectCampaignsWithDetails, selectCampaignProgress } from './campaign-queries.ts'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../core/errors.ts'
import { noInput, pageRoute } from '../page/page-route.ts'
import { callBadge, campaignBadge, type Badge, formatWaitReason } from '../page/badges.ts'
import { formatContactName } from '../contact-name.ts'
import { template } from '../view.ts'
import { formatCallingHours, formatRetryPolicy } from './in-words.ts'
import { toShownProgress, type ShownProgress } from './progress.ts'

interface CallRow {
  id: number
  contact: string
  badge: Badge
  waitReason: string
  nextAttemptAt: string | null
  queuedAt: string
}

interface CampaignData {
  campaign: {
    id: number
    name: string
    status: string
    badge: Badge
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

const campaignView = template<CampaignData>('dashboard/campaigns/campaign-page')
const maxCalls = 10

export const campaignPage = (deps: Deps) =>
  pageRoute({
    path: '/campaigns/:id',
    query: noInput,
    show: async ({ workspace, id: campaignId }) => {
      const firstRow = { limit: 1, offset: 0 }
      const [row] = await selectCampaignsWithDetails(deps.db, workspace.id, { campaignId }, firstRow)
      if (row === undefined) throw notFound('There is no campaign with this id in this workspace.')
      const progress = await selectCampaignProgress(deps.db, workspace.id, [campaignId])
      const rowsByStatus = (status: 'queued' | 'completed') =>
        listCallRows(deps, workspace.id, { campaignId, status })
      return campaignView(row.name, {
        campaign: {
          id: row.id,
          name: row.name,
          status: row.status,
          badge: campaignBadge(row.status),
          agentId: row.agent_id,
          agentName: row.agent_name,
          agentIsLive: row.agent_status === 'live',
          numberLabel: row.number_label,
          phoneNumber: row.phone_number,
          numberIsActive: row.number_status === 'active',
          timeZone: row.time_zone,
          hours: formatCallingHours(row.calling_hours satisfies CallingHours),
          retry: formatRetryPolicy(row.retry satisfies RetryPolicy),
          maxConcurrentCalls: row.max_concurrent_calls,
          pausedReason: row.paused_reason,
          createdAt: row.created_at,
        },
        progress: toShownProgress(progress.get(campaignId)),
        waiting: await rowsByStatus('queued'),
        recent: await rowsByStatus('completed'),
      })
    },
  })

async function listCallRows(
  deps: Deps,
  workspaceId: number,
  filter: { campaignId: number; status: 'queued' | 'completed' },
): Promise<CallRow[]> {
  const now = deps.clock.now()
  const rows = await findCallPage(deps.db, workspaceId, filter, { limit: maxCalls, offset: 0 }, now)
  return rows.map(toCall).map((call) => ({
    id: call.id,
    contact: formatContactName(call.contact, call.contact.phone_number),
    badge: callBadge(call),
    waitReason: formatWaitReason(call.waiting_for),
    nextAttemptAt: call.next_attempt_at,
    queuedAt: call.queued_at,
  }))
}
