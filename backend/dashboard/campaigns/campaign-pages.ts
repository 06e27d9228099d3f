import { boundedText, CampaignStatus } from '@outdial/contract'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { notFound } from '../../platform/core/errors.ts'
import { toPage } from '../../platform/core/pagination.ts'
import { callBadge } from '../../platform/views/badges.ts'
import {
  createTimeFormats,
  formatContactName,
  formatCount,
  formatPlural,
} from '../../platform/views/format.ts'
import { countQueuedCalls, findCallPage } from '../../queue/calls/find-calls.ts'
import { toCall } from '../../queue/calls/get-calls.ts'
import { findWaits } from '../../queue/calls/when-and-why.ts'
import {
  archiveCampaign,
  lockCallsToCancel,
  pauseCampaign,
  resumeCampaign,
} from '../../queue/campaigns/campaign-status.ts'
import { requireCampaign } from '../../queue/campaigns/campaigns.ts'
import { confirmPage, requireConfirmation, requireSeen } from '../page/confirm-page.ts'
import { defineAction, defineForm, definePage, noInput, redirectTo } from '../page/define-page.ts'
import { formText, PageNumber } from '../page/forms.ts'
import { IdParams, type IdPathContext, pathTo } from '../page/page-context.ts'
import { pageNotFound } from '../page/page-errors.ts'
import { joinSentences } from '../page/queued-message.ts'
import { describeReadied } from '../stories/describe-readied.ts'
import { formatNextAttempt, formatWaitLabel } from '../stories/describe-waiting.ts'
import { describeLimitStop, findLimitStops } from '../stories/limit-stops.ts'
import { type CampaignCallRow } from './campaign-call-rows.ts'
import { campaignListView } from './campaign-list-view.ts'
import { selectCampaignProgress, selectCampaignsWithDetails } from './campaign-queries.ts'
import { campaignView } from './campaign-view.ts'

const maxCalls = 10

export const campaignPage = definePage({
  params: IdParams,
  query: noInput,
  show: async (deps, { workspace, params: { id: campaignId } }) => {
    const firstRow = { limit: 1, offset: 0 }
    const [row] = await selectCampaignsWithDetails(deps.db, workspace.id, { campaignId }, firstRow)
    if (row === undefined) throw notFound('campaign')
    const progress = await selectCampaignProgress(deps.db, workspace.id, [campaignId])
    const now = deps.clock.now()
    const [stop] = await findLimitStops(deps.db, workspace.id, now, campaignId)
    const rowsByStatus = (status: 'queued' | 'completed') =>
      listCallRows(deps, workspace, { campaignId, status })
    return campaignView(row.name, {
      campaign: row,
      progress: progress.get(campaignId),
      stop: stop === undefined ? null : describeLimitStop(stop, createTimeFormats(now, workspace.timeZone)),
      resumeDetail:
        row.status === 'paused' ? await describeReadied(deps, workspace, { campaign_id: campaignId }) : null,
      waiting: await rowsByStatus('queued'),
      recent: await rowsByStatus('completed'),
    })
  },
})

async function listCallRows(
  deps: Pick<Deps, 'config' | 'db' | 'clock'>,
  { id: workspaceId, timeZone }: { id: number; timeZone: string },
  filter: { campaignId: number; status: 'queued' | 'completed' },
): Promise<CampaignCallRow[]> {
  const now = deps.clock.now()
  const rows = await findCallPage(deps.db, workspaceId, filter, { limit: maxCalls, offset: 0 }, now)
  const calls = rows.map((row) => toCall(deps.config, row))
  const waits = await findWaits(
    deps,
    workspaceId,
    calls.map(({ id }) => id),
    now,
  )
  const timeFormats = createTimeFormats(now, timeZone)
  return calls.map((call) => {
    const wait = waits.get(call.id)
    return {
      id: call.id,
      contact: formatContactName(call.contact, call.contact.phone_number),
      badge: callBadge(call),
      waitReason: wait === undefined ? '' : formatWaitLabel(wait),
      nextAttempt: wait === undefined ? '' : formatNextAttempt(wait, now, timeFormats),
      queuedAt: call.queued_at,
    }
  })
}

const Filter = z.object({
  status: CampaignStatus.optional().catch(undefined),
  search: boundedText(200).optional().catch(undefined),
  page: PageNumber,
})

const pageSize = 25

export const campaignListPage = definePage({
  toleratesLag: true,
  query: Filter,
  show: async (deps, context) => {
    const { status, search, page } = context.query
    const filter = { ...(status && { status }), ...(search && { search }) }
    const limits = { limit: pageSize, offset: (page - 1) * pageSize }
    const rows = await selectCampaignsWithDetails(deps.db, context.workspace.id, filter, limits)
    const { items, hasMore } = toPage(rows, pageSize)
    const ids = items.map(({ id }) => id)
    const progressById = await selectCampaignProgress(deps.db, context.workspace.id, ids)
    const address = (to: number) => {
      const query = new URLSearchParams({ ...filter, page: String(to) })
      return pathTo(context, `/campaigns?${query.toString()}`)
    }
    return campaignListView('Campaigns', {
      rows: items,
      progressById,
      status: status ?? '',
      search: search ?? '',
      isFiltered: status !== undefined || Boolean(search),
      previous: page > 1 ? address(page - 1) : null,
      next: hasMore ? address(page + 1) : null,
    })
  },
})

const campaignPath = (context: IdPathContext) => pathTo(context, `/campaigns/${context.params.id}`)

export const pauseCampaignAction = defineAction({
  params: IdParams,
  form: noInput,
  run: async (tx, context) => {
    await pauseCampaign(tx, context.workspace.id, context.params.id)
    const message = 'Campaign paused. Waiting calls stay queued, and expire 7 days after they were due.'
    return redirectTo(campaignPath(context), message)
  },
  back: campaignPath,
})

export const resumeCampaignAction = defineAction({
  params: IdParams,
  form: noInput,
  run: async (tx, context) => {
    const { workspace, params } = context
    await resumeCampaign(tx, workspace.id, params.id)
    const calls = await describeReadied(tx, workspace, { campaign_id: params.id })
    return redirectTo(campaignPath(context), joinSentences('Campaign resumed.', calls))
  },
  back: campaignPath,
})

export const archiveCampaignPage = defineForm({
  params: IdParams,
  query: noInput,
  form: z.object({ confirmation: formText.default(''), seen_calls: z.coerce.number().int().catch(0) }),
  show: async (deps, { workspace, params: { id } }) => {
    const { name, status } = await requireCampaign(deps, workspace.id, id)
    if (status === 'archived') throw pageNotFound()
    const callCount = await countQueuedCalls(deps.db, workspace.id, id)
    return confirmPage(`Archive campaign “${name}”`, {
      heading: `Archive campaign “${name}”`,
      effects: [
        callCount === 0
          ? 'No calls are waiting.'
          : `${formatPlural(callCount, 'waiting call')} will be canceled. This can't be undone.`,
        'Calls in progress continue, but they are not retried.',
        "Calls can't be added to an archived campaign, and you can't resume it.",
      ],
      notes: [],
      confirmation: callCount === 0 ? null : `Type “${name}” to confirm`,
      submitLabel: 'Archive campaign',
      back: { path: `/campaigns/${id}`, label: name },
      fields: { seen_calls: callCount },
    })
  },
  submit: async (tx, context, { confirmation, seen_calls: seen }) => {
    const {
      workspace,
      params: { id },
    } = context
    const { name } = await requireCampaign(tx, workspace.id, id)
    const callCount = await lockCallsToCancel(tx, workspace.id, id)
    const now = `${formatPlural(callCount, 'call')} ${callCount === 1 ? 'is' : 'are'} waiting now`
    requireSeen(callCount, seen, `${now}, not ${formatCount(seen)}. Nothing was archived. Confirm again.`)
    if (callCount > 0) requireConfirmation(confirmation, [name])
    await archiveCampaign(tx, workspace.id, id)
    const isDone = (await countQueuedCalls(tx.db, workspace.id, id)) === 0
    const canceled = isDone
      ? `${formatPlural(callCount, 'waiting call was', 'waiting calls were')} canceled.`
      : `${formatPlural(callCount, 'waiting call is', 'waiting calls are')} being canceled.`
    return redirectTo(campaignPath(context), `Campaign archived.${callCount === 0 ? '' : ` ${canceled}`}`)
  },
})
