import type { Deps } from '../../deps.ts'
import { loadRetention } from '../../privacy/change-retention.ts'
import { type Badge, callBadge, formatWaitReason } from '../../views/badges.ts'
import { createTimeFormats, formatContactName, formatDate } from '../../views/format.ts'
import { selectCampaignsWithDetails } from '../campaigns/campaign-queries.ts'
import { definePage, noInput, template } from '../page/define-page.ts'
import type { UserWorkspace } from '../page/page-context.ts'
import { buildCharts, type Charts, getDay, outcomeGroups } from './overview-charts.ts'
import { buildNotices, type FirstStep, listFirstSteps, type Notice } from './overview-notices.ts'
import {
  countEndedCalls,
  countExhaustedDeliveries,
  countLiveCalls,
  countWaitingCalls,
  findFirstSteps,
  findLiveCalls,
  selectFailingSubscriptions,
} from './overview-queries.ts'

interface OverviewData {
  day: string
  steps: FirstStep[]
  /** The first step that isn't done. */
  nextStep: FirstStep | undefined
  stepsDone: number
  /** Statistics are hidden before the first call. */
  hasCalls: boolean
  notices: Notice[]
  charts: Charts
  groups: typeof outcomeGroups
  testCalls: number
  waiting: { label: string; count: number; until: string; needsAction: boolean }[]
  waitingTotal: number
  liveCalls: {
    id: number
    name: string
    campaignId: number
    campaign: string
    agent: string
    badge: Badge
    test: boolean
    since: Date | null
  }[]
  liveCallCount: number
}

const overviewView = template<OverviewData>('dashboard/overview/overview-page')

const maxLiveCalls = 10
const maxNotices = 20
const maxExhausted = 100

/** The start page: today's calls, and what needs attention. */
export const overviewPage = definePage({
  toleratesLag: true,
  query: noInput,
  show: async (deps, { workspace }) => overviewView('Overview', await readOverview(deps, workspace)),
})

async function readOverview(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  workspace: UserWorkspace,
): Promise<OverviewData> {
  const { id, timeZone } = workspace
  const now = clock.now()
  const day = getDay(now, timeZone)
  const timeFormats = createTimeFormats(now, timeZone)
  const [ended, waiting, liveCalls, liveCallCount, paused, failing, exhausted, firstSteps, retention] =
    await Promise.all([
      countEndedCalls(db, id, day),
      countWaitingCalls(db, id, now),
      findLiveCalls(db, id, maxLiveCalls),
      countLiveCalls(db, id),
      selectCampaignsWithDetails(db, id, { status: 'paused' }, { limit: maxNotices, offset: 0 }),
      selectFailingSubscriptions(db, id),
      countExhaustedDeliveries(db, id, maxExhausted),
      findFirstSteps(db, id),
      loadRetention({ db, clock }, id),
    ])
  const steps = listFirstSteps(firstSteps)
  const testCalls = ended.filter(({ test }) => test)
  return {
    day: formatDate('longDate', now, timeZone),
    steps,
    nextStep: steps.find(({ isDone }) => !isDone),
    stepsDone: steps.filter(({ isDone }) => isDone).length,
    hasCalls: firstSteps.contact,
    notices: buildNotices({
      ...{ paused, failing, exhausted, maxExhausted, pendingRetention: retention.pending },
      formatTime: timeFormats.time,
    }),
    charts: buildCharts(
      ended.filter(({ test }) => !test),
      day,
      { now, timeZone },
    ),
    groups: outcomeGroups,
    testCalls: testCalls.reduce((all, { count }) => all + Number(count), 0),
    waiting: waiting.map(({ waiting_for, count, next_attempt_at }) => ({
      label: formatWaitReason(waiting_for),
      count: Number(count),
      until:
        next_attempt_at > now && waiting_for !== 'campaign_paused'
          ? timeFormats.upcomingTime(next_attempt_at)
          : '',
      needsAction: actionNeededReasons.includes(waiting_for ?? ''),
    })),
    waitingTotal: waiting.reduce((all, { count }) => all + Number(count), 0),
    liveCalls: liveCalls.map((call) => ({
      id: call.id,
      name: formatContactName(call, call.to_number),
      campaignId: call.campaign_id,
      campaign: call.campaign_name,
      agent: call.agent_name,
      badge: callBadge(call),
      test: call.test,
      since: call.answered_at ?? call.started_at,
    })),
    liveCallCount,
  }
}

/** Reasons that only a person can resolve. */
const actionNeededReasons = ['campaign_paused', 'agent_not_live', 'number_not_active']
