import {
  boundedText,
  type CallingHours,
  CampaignStatus,
  type ConsentRequired,
  consentRequiredTexts,
  type RetryPolicy,
} from '@outdial/contract'
import * as z from 'zod'
import { countQueuedCalls, findCallPage } from '../../calls/find-calls.ts'
import { toCall } from '../../calls/get-calls.ts'
import { findWaits } from '../../calls/when-and-why.ts'
import {
  archiveCampaign,
  lockCallsToCancel,
  pauseCampaign,
  resumeCampaign,
} from '../../campaigns/campaign-status.ts'
import { notFound } from '../../core/errors.ts'
import { toPage } from '../../core/pagination.ts'
import type { Deps } from '../../deps.ts'
import { describeReadied } from '../../support/describe-readied.ts'
import { formatNextAttempt, formatWaitLabel } from '../../support/describe-waiting.ts'
import { describeLimitStop, findLimitStops } from '../../support/limit-stops.ts'
import { callBadge, campaignBadge, outcomeBadge, outcomeOrder } from '../../views/badges.ts'
import {
  createTimeFormats,
  formatCallingHours,
  formatContactName,
  formatCount,
  formatPlural,
  formatRetryPolicy,
} from '../../views/format.ts'
import { confirmPage, requireConfirmation, requireSeen } from '../page/confirm-page.ts'
import { defineAction, defineForm, definePage, noInput, redirectTo } from '../page/define-page.ts'
import { formText, PageNumber } from '../page/forms.ts'
import { IdParams, type IdPathContext, pathTo } from '../page/page-context.ts'
import { pageNotFound } from '../page/page-errors.ts'
import { joinSentences } from '../page/queued-message.ts'
import { type CallRow } from './campaign-call-rows.ts'
import { campaignListView, statusOptions } from './campaign-list-view.ts'
import { type ShownProgress } from './campaign-progress-bar.ts'
import {
  type CampaignProgress,
  requireCampaign,
  selectCampaignProgress,
  selectCampaignsWithDetails,
} from './campaign-queries.ts'
import { campaignView } from './campaign-view.ts'

const maxCalls = 10

export const campaignPage = definePage({
  params: IdParams,
  query: noInput,
  show: async (deps, { workspace, params: { id: campaignId } }) => {
    const firstRow = { limit: 1, offset: 0 }
    const [row] = await selectCampaignsWithDetails(deps.db, workspace.id, { campaignId }, firstRow)
    if (row === undefined) throw notFound('campaign')
    const progressById = await selectCampaignProgress(deps.db, workspace.id, [campaignId])
    const progress = toShownProgress(progressById.get(campaignId))
    const now = deps.clock.now()
    const [stop] = await findLimitStops(deps.db, workspace.id, now, campaignId)
    const rowsByStatus = (status: 'queued' | 'completed') =>
      listCallRows(deps, workspace, { campaignId, status })
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
        consent: formatConsentRule(row),
        oneConversationPerDay: row.one_conversation_per_day,
        closedOnFederalHolidays: row.closed_on_federal_holidays,
        pausedReason: row.paused_reason,
        createdAt: row.created_at,
      },
      progress,
      stop: stop === undefined ? null : describeLimitStop(stop, createTimeFormats(now, workspace.timeZone)),
      resumeDetail:
        row.status === 'paused' ? await describeReadied(deps, workspace, { campaign_id: campaignId }) : null,
      waiting: await rowsByStatus('queued'),
      recent: await rowsByStatus('completed'),
    })
  },
})

function formatConsentRule({
  consent_required: required,
  consent_max_age_days: maxAge,
}: {
  consent_required: ConsentRequired
  consent_max_age_days: number | null
}): string {
  const { label } = consentRequiredTexts[required]
  return maxAge === null ? label : `${label}, at most ${formatPlural(maxAge, 'day')} old`
}

async function listCallRows(
  deps: Pick<Deps, 'config' | 'db' | 'clock'>,
  { id: workspaceId, timeZone }: { id: number; timeZone: string },
  filter: { campaignId: number; status: 'queued' | 'completed' },
): Promise<CallRow[]> {
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
    const progress = await selectCampaignProgress(deps.db, context.workspace.id, ids)
    const address = (to: number) => {
      const query = new URLSearchParams({ ...filter, page: String(to) })
      return pathTo(context, `/campaigns?${query.toString()}`)
    }
    return campaignListView('Campaigns', {
      rows: items.map((row) => ({
        id: row.id,
        name: row.name,
        badge: campaignBadge(row.status),
        agent: row.agent_name,
        number: row.number_label,
        pausedReason: row.status === 'paused' ? row.paused_reason : null,
        progress: toShownProgress(progress.get(row.id)),
      })),
      statuses: statusOptions,
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

/** Prepares progress for the bar: outcomes in a fixed order, each as wide as its share. */
function toShownProgress(progress: CampaignProgress | undefined): ShownProgress {
  const { queuedCount = 0, live = 0, outcomes = {} } = progress ?? {}
  const completed = Object.values(outcomes).reduce((sum, count) => sum + count, 0)
  let x = 0
  const segments = outcomeOrder.flatMap((outcome) => {
    const count = outcomes[outcome] ?? 0
    if (count === 0) return []
    const width = (count / completed) * 100
    // Leaves a gap between parts, and keeps the smallest part visible.
    const bar = { x: x.toFixed(2), width: Math.max(width - 0.4, 0.2).toFixed(2) }
    x += width
    return [{ outcome, ...outcomeBadge(outcome), count, percent: width.toFixed(width < 1 ? 1 : 0), bar }]
  })
  const summary = segments.map(({ text, count }) => `${text}: ${formatCount(count)}`).join(', ')
  return { queuedCount, live, completed, segments, summary }
}
