import { findTokenUse } from '../../calling/chats/token-usage.ts'
import type { Deps } from '../../deps.ts'
import { secondMs } from '../../platform/core/durations.ts'
import { createTimeFormats, formatDate } from '../../platform/views/format.ts'
import { loadRetention, type ShorterRetention } from '../../privacy/change-retention.ts'
import { doRulesApply, getCallRules } from '../../queue/rules/call-rules.ts'
import { selectCampaignsWithDetails } from '../campaigns/campaign-queries.ts'
import { definePage, noInput } from '../page/define-page.ts'
import type { UserWorkspace } from '../page/page-context.ts'
import { maxCountAgeMs } from '../page/recent-change.ts'
import { describeLimitStop, findLimitStops } from '../stories/limit-stops.ts'
import { buildCharts, type Day, getDay, sumCounts } from './overview-charts.ts'
import { buildNotices, listFirstSteps } from './overview-notices.ts'
import {
  countEndedCalls,
  countExhaustedDeliveries,
  countLiveCalls,
  countWaitingCalls,
  type EndedCalls,
  findFirstSteps,
  findLiveCalls,
  selectFailingSubscriptions,
  selectInactiveWithCalls,
  selectLiveAgentsWithBraces,
  type WaitingCalls,
} from './overview-queries.ts'
import { type OverviewData, overviewView } from './overview-view.ts'
import { maxUnsharedCalls, shareCounts } from './share-counts.ts'

const maxLiveCalls = 10

const maxNotices = 20

const maxExhausted = 100

/** Creates the start page: today's calls, and what needs attention. */
export function createOverviewPage({ clock }: Pick<Deps, 'clock'>) {
  const share = shareCounts<CallCounts>(clock)
  return definePage({
    toleratesLag: true,
    query: noInput,
    show: async (deps, { workspace, hasRecentChange }) => {
      const day = getDay(clock.now(), workspace.timeZone)
      // Another day, or the day of another time zone, is counted separately.
      const key = `${workspace.id} ${day.from.getTime()}`
      const counting = share(key, hasRecentChange, () => countCalls(deps, workspace.id, day))
      return overviewView('Overview', await readOverview(deps, workspace, day, counting))
    },
  })
}

/** The parts of the overview whose queries take longer if there are more calls. */
interface CallCounts {
  ended: EndedCalls[]
  waiting: WaitingCalls[]
  pendingRetention: ShorterRetention | null
  /** Number of calls that were counted. */
  callCount: number
}

async function countCalls(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  workspaceId: number,
  day: Day,
): Promise<CallCounts> {
  const [ended, waiting, { pending }] = await Promise.all([
    countEndedCalls(db, workspaceId, day),
    countWaitingCalls(db, workspaceId, clock.now()),
    loadRetention({ db, clock }, workspaceId),
  ])
  const callCount = sumCounts(ended) + sumCounts(waiting) + (pending?.callCount ?? 0)
  return { ended, waiting, pendingRetention: pending, callCount }
}

async function readOverview(
  { db, clock, config }: Pick<Deps, 'config' | 'db' | 'clock'>,
  { id, timeZone, role }: UserWorkspace,
  day: Day,
  counting: Promise<CallCounts>,
): Promise<OverviewData> {
  const now = clock.now()
  const timeFormats = createTimeFormats(now, timeZone)
  const [
    counts,
    rules,
    liveCalls,
    liveCallCount,
    paused,
    inactive,
    failing,
    exhausted,
    firstSteps,
    agents,
    limitStops,
    tokenUse,
  ] = await Promise.all([
    counting,
    getCallRules({ db }, id),
    findLiveCalls(db, id, maxLiveCalls),
    countLiveCalls(db, id),
    selectCampaignsWithDetails(db, id, { status: 'paused' }, { limit: maxNotices, offset: 0 }),
    selectInactiveWithCalls(db, id, maxNotices),
    selectFailingSubscriptions(db, id),
    countExhaustedDeliveries(db, id, maxExhausted),
    findFirstSteps(db, id),
    selectLiveAgentsWithBraces(db, id),
    findLimitStops(db, id, now),
    role === 'owner' ? findTokenUse({ db, clock, config }, id) : undefined,
  ])
  const { ended, waiting, pendingRetention, callCount } = counts
  const steps = listFirstSteps(firstSteps, rules)
  const lacksRules = doRulesApply(config) && rules.changed === null
  const stops = limitStops.map((stop) => ({ ...stop, text: describeLimitStop(stop, timeFormats) }))
  const testCalls = ended.filter(({ test }) => test)
  return {
    day: formatDate('longDate', now, timeZone),
    steps,
    hasCalls: firstSteps.call || callCount > 0 || liveCallCount > 0,
    notices: buildNotices({
      ...{ paused, inactive, failing, exhausted, maxExhausted, pendingRetention, lacksRules, stops, agents },
      ...{ tokenUse, timeFormats },
    }),
    charts: buildCharts(
      ended.filter(({ test }) => !test),
      day,
      { now, timeZone },
    ),
    testCalls: sumCounts(testCalls),
    endedToday: `/calls?ended=${day.date}&kind=real`,
    testsEndedToday: `/calls?ended=${day.date}&kind=test`,
    sharedCountSeconds: callCount > maxUnsharedCalls ? maxCountAgeMs / secondMs : null,
    now,
    waiting,
    waitingTotal: sumCounts(waiting),
    liveCalls,
    liveCallCount,
  }
}
