import { findFirstSteps } from '../../calls/first-steps-store.ts'
import {
  countCallsUnderWay,
  countEndedCalls,
  countWaitingCalls,
  findCallsUnderWay,
} from './overview-queries.ts'
import { selectCampaignsForPeople } from '../campaigns/campaign-queries.ts'
import type { Deps } from '../../deps.ts'
import { countDeadDeliveries, findAilingSubscriptions } from '../calls/call-queries.ts'
import { createMoments } from '../calls/in-words.ts'
import { contactName } from '../contact-name.ts'
import { type Line, none, show } from '../page/page-route.ts'
import { callSign, type Sign, waitsFor } from '../page/badges.ts'
import { template } from '../view.ts'
import type { OwnWorkspace } from '../visit.ts'
import { type Charts, chartsOf, dayOf, groups } from './overview-charts.ts'
import { type Step, stepsOf } from './first-steps.ts'
import { noticesOf, type Notice } from './overview-notices.ts'

interface OverviewData {
  day: string
  steps: Step[]
  stepsDone: number
  /** Before the first one there is nothing to count. */
  hasCalls: boolean
  notices: Notice[]
  charts: Charts
  groups: typeof groups
  tests: number
  waiting: { words: string; count: number; until: string; isHindered: boolean }[]
  waitingTotal: number
  underWay: {
    id: number
    name: string
    campaignId: number
    campaign: string
    agent: string
    sign: Sign
    test: boolean
    since: Date | null
  }[]
  underWayTotal: number
}

const overview = template<OverviewData>('dashboard/overview/overview-page')

const mostUnderWay = 10
const mostNotices = 20
const mostDead = 1_000

/** The first page: how today goes, and what needs somebody. */
export const overviewLines = (deps: Deps): Line[] => [
  show({
    path: '/overview',
    query: none,
    show: async ({ workspace }) => overview('Overview', await readOverview(deps, workspace)),
  }),
]

async function readOverview({ db, clock }: Deps, workspace: OwnWorkspace): Promise<OverviewData> {
  const { id, timeZone } = workspace
  const now = clock.now()
  const day = dayOf(now, timeZone)
  const moments = createMoments(now, timeZone)
  const [ended, waiting, underWay, underWayTotal, paused, ailing, dead, firstSteps] = await Promise.all([
    countEndedCalls(db, id, day),
    countWaitingCalls(db, id, now),
    findCallsUnderWay(db, id, mostUnderWay),
    countCallsUnderWay(db, id),
    selectCampaignsForPeople(db, id, { status: 'paused' }, { limit: mostNotices, offset: 0 }),
    findAilingSubscriptions(db, id),
    countDeadDeliveries(db, id, mostDead),
    findFirstSteps(db, id),
  ])
  const steps = stepsOf(firstSteps)
  const tests = ended.filter(({ test }) => test)
  return {
    day: new Intl.DateTimeFormat('en-US', {
      timeZone,
      weekday: 'long',
      month: 'long',
      day: 'numeric',
    }).format(now),
    steps,
    stepsDone: steps.filter(({ isDone }) => isDone).length,
    hasCalls: firstSteps.contact,
    notices: noticesOf({ paused, ailing, dead, mostDead }),
    charts: chartsOf(
      ended.filter(({ test }) => !test),
      day,
      { now, timeZone },
    ),
    groups,
    tests: tests.reduce((all, { count }) => all + Number(count), 0),
    waiting: waiting.map(({ waiting_for, count, next_attempt_at }) => ({
      words: waitsFor(waiting_for),
      count: Number(count),
      until: next_attempt_at > now && waiting_for !== 'campaign_paused' ? moments.short(next_attempt_at) : '',
      isHindered: hindrances.includes(waiting_for ?? ''),
    })),
    waitingTotal: waiting.reduce((all, { count }) => all + Number(count), 0),
    underWay: underWay.map((call) => ({
      id: call.id,
      name: contactName(call, call.to_number),
      campaignId: call.campaign_id,
      campaign: call.campaign_name,
      agent: call.agent_name,
      sign: callSign(call),
      test: call.test,
      since: call.answered_at ?? call.started_at,
    })),
    underWayTotal,
  }
}

/** What waits for a person to do something. */
const hindrances = ['campaign_paused', 'agent_not_live', 'number_not_active']
