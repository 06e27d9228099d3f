import { beforeEach, expect, it } from '@jest/globals'
import type { WaitingFor } from '@outdial/contract'
import { sql } from 'kysely'
import { claimTestCalls } from '../../calling/dialer/claim-calls.ts'
import { settleCampaigns } from '../../calling/dialer/claim-store.ts'
import { measureCallBacklog } from '../../calling/dialer/measure-backlog.ts'
import { findListedCalls } from '../../dashboard/calls/call-list-queries.ts'
import { countWaitingCalls, type WaitingCalls } from '../../dashboard/overview/overview-queries.ts'
import { minuteMs } from '../../platform/core/durations.ts'
import type { Db } from '../../platform/db/schema.ts'
import { findCallPage } from '../../queue/calls/find-calls.ts'
import { findWaits } from '../../queue/calls/when-and-why.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { everyHour, noRetry, seedAgent, seedCampaign, seedPhoneNumber } from '../support/factories.ts'
import { useCallsWorld } from '../support/world.ts'

// Several queries decide whether a call can start now. Each test compares one query with the rules in this file, for all
// combinations of the values that the decision depends on. Each combination has a campaign with one call.

const either = [false, true]
const times = ['due', 'schedule', 'retry', 'calling_hours'] as const

const combine = <Row extends object, Key extends string, Value>(
  rows: readonly Row[],
  key: Key,
  values: readonly Value[],
) => rows.flatMap((row) => values.map((value) => ({ ...row, [key]: value }) as Row & Record<Key, Value>))

const statuses = combine(
  combine(combine([{}], 'campaign', ['active', 'paused', 'archived'] as const), 'agent', [
    'draft',
    'live',
    'paused',
  ] as const),
  'number',
  ['active', 'retired'] as const,
)
const states = combine(
  combine(combine(combine([{}], 'isAtLimit', either), 'isNumberBusy', either), 'time', times),
  'test',
  either,
)
const combinations = statuses.flatMap((status) => states.map((state) => ({ ...status, ...state })))
type Combination = (typeof combinations)[number]

/** A combination with the IDs of its campaign and call. */
type Case = Combination & { campaignId: number; callId: number; toNumber: string }

const mayCampaignCall = ({ campaign, agent, number }: Combination) =>
  campaign === 'active' && agent === 'live' && number === 'active'

const isClaimable = ({ test, time, isNumberBusy }: Combination) => !test && time === 'due' && !isNumberBusy

/** Matches real calls that the dialer must start now. */
const canStart = (each: Combination) => mayCampaignCall(each) && !each.isAtLimit && isClaimable(each)

/** Matches test calls that the dialer must start now. Neither the limit nor other calls to the number delay them. */
const canStartTest = (each: Combination) => mayCampaignCall(each) && each.test && each.time === 'due'

function expectWaitingFor(each: Combination, isNumberBusy = each.isNumberBusy): WaitingFor | null {
  if (each.campaign === 'paused') return 'campaign_paused'
  if (each.agent !== 'live') return 'agent_not_live'
  if (each.number !== 'active') return 'number_not_active'
  if (each.time !== 'due') return each.time
  return !each.test && (each.isAtLimit || isNumberBusy) ? 'concurrency' : null
}

const world = useCallsWorld()
let cases: Case[]
beforeEach(async () => {
  cases = await seedCases()
})

async function seedCases(): Promise<Case[]> {
  const { deps, seed } = world
  const { workspaceId } = seed
  const agents = {
    draft: await seedAgent(deps, workspaceId, { status: 'draft' }),
    live: seed.agentId,
    paused: await seedAgent(deps, workspaceId, { status: 'paused' }),
  }
  const numbers = {
    active: seed.phoneNumberId,
    retired: await seedPhoneNumber(deps, workspaceId, { status: 'retired' }),
  }
  const madeWith = ({ agent, number }: Combination) => ({
    workspace_id: workspaceId,
    agent_id: agents[agent],
    phone_number_id: numbers[number],
  })
  const campaigns = await deps.db
    .insertInto('campaign')
    .values(
      combinations.map((each) => ({
        ...madeWith(each),
        name: 'Leads',
        status: each.campaign,
        time_zone: 'America/New_York',
        calling_hours: JSON.stringify(everyHour),
        max_concurrent_calls: 1,
        retry: JSON.stringify(noRetry),
      })),
    )
    .returning('id')
    .execute()
  const numbered = combinations.map((each, index) => ({
    ...each,
    campaignId: campaigns[index]?.id ?? 0,
    toNumber: toNumber(index),
  }))
  const contacts = await deps.db
    .insertInto('contact')
    .values(numbered.map((each) => ({ workspace_id: workspaceId, phone_number: each.toNumber })))
    .returning('id')
    .execute()
  const now = deps.clock.now().getTime()
  const [past, future] = [new Date(now - minuteMs), new Date(now + minuteMs)]
  const calls = await deps.db
    .insertInto('call')
    .values(
      numbered.map((each, index) => ({
        ...madeWith(each),
        campaign_id: each.campaignId,
        contact_id: contacts[index]?.id ?? 0,
        test: each.test,
        attempts: each.time === 'retry' ? 1 : 0,
        from_number: '+12025550190',
        to_number: each.toNumber,
        queued_at: past,
        due_at: each.time === 'schedule' || each.time === 'retry' ? future : past,
        next_attempt_at: each.time === 'due' ? past : future,
      })),
    )
    .returning('id')
    .execute()
  const found = numbered.map((each, index) => ({ ...each, callId: calls[index]?.id ?? 0 }))
  await seedAttempts(found)
  return found
}

/** Starts attempts that make numbers busy and bring campaigns to their limit. Also starts test attempts, which do neither. */
async function seedAttempts(found: readonly Case[]): Promise<void> {
  const { deps, seed } = world
  const otherCampaignId = await seedCampaign(deps, seed)
  const attempt = (campaignId: number, to: string, test: boolean) => ({ campaignId, to, test })
  const attempts = found.flatMap((each, index) => {
    const another = toNumber(combinations.length + index)
    return [
      attempt(each.campaignId, each.toNumber, true),
      ...(each.isAtLimit ? [attempt(each.campaignId, another, false)] : []),
      ...(each.isNumberBusy ? [attempt(otherCampaignId, each.toNumber, false)] : []),
    ]
  })
  const contact = await deps.db
    .insertInto('contact')
    .values({ workspace_id: seed.workspaceId, phone_number: toNumber(9_999) })
    .returning('id')
    .executeTakeFirstOrThrow()
  const call = await deps.db
    .insertInto('call')
    .values({
      workspace_id: seed.workspaceId,
      campaign_id: otherCampaignId,
      contact_id: contact.id,
      agent_id: seed.agentId,
      phone_number_id: seed.phoneNumberId,
      status: 'in_progress',
      from_number: '+12025550190',
      to_number: toNumber(9_999),
      queued_at: deps.clock.now(),
      due_at: deps.clock.now(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await deps.db
    .insertInto('call_attempt')
    .values(
      attempts.map(({ campaignId, to, test }, index) => ({
        workspace_id: seed.workspaceId,
        call_id: call.id,
        campaign_id: campaignId,
        number: index + 1,
        to_number: to,
        test,
        provider: 'simulated',
        worker_id: crypto.randomUUID(),
        lease_until: new Date(deps.clock.now().getTime() + 60_000),
        started_at: deps.clock.now(),
      })),
    )
    .execute()
}

const toNumber = (index: number) => `+1202${String(5_550_000 + index)}`

/** Returns descriptions of the cases that match, so that a failure shows which combinations are wrong. */
const describeCases = (matches: (each: Case) => boolean): string[] =>
  cases.filter(matches).map((each) => JSON.stringify({ ...each, callId: undefined, toNumber: undefined }))

const expectCases = (
  ids: ReadonlySet<number>,
  key: 'campaignId' | 'callId',
  rule: (each: Case) => boolean,
) => {
  const expected = describeCases(rule)
  expect(describeCases((each) => ids.has(each[key]))).toEqual(expected)
  expect(expected).not.toEqual([])
}

it.each([
  ['is_calling(id)', mayCampaignCall],
  ['has_capacity(id)', (each: Combination) => mayCampaignCall(each) && !each.isAtLimit],
  ['has_claimable_call(id, now)', isClaimable],
] as const)(
  'the SQL function %s selects exactly the campaigns that the rules in this file allow',
  async (condition, rule) => {
    const { rows } = await sql<{ id: number }>`
    select id from campaign cross join (values (${world.deps.clock.now()}::timestamptz)) as clock (now)
    where ${sql.raw(condition)}`.execute(world.deps.db)
    expectCases(new Set(rows.map(({ id }) => id)), 'campaignId', rule)
  },
)

it('queues exactly the campaigns that can start a call', async () => {
  const ids = cases.map(({ campaignId }) => campaignId)
  await setAllDue()
  await settleCampaigns(world.deps.db, ids, [], world.deps.clock.now())
  const rows = await world.deps.db
    .selectFrom('campaign_queue')
    .select('campaign_id')
    .where('claim_at', '<=', world.deps.clock.now())
    .execute()
  expectCases(new Set(rows.map((row) => row.campaign_id)), 'campaignId', canStart)
})

it('counts a campaign in the backlog only if the campaign can start a call', async () => {
  const waiting = new Set<number>()
  for (const { campaignId } of cases) {
    await sql`
      update campaign_queue set claim_at = case when campaign_id = ${campaignId} then timestamptz 'epoch' end
      where claim_at is not null or campaign_id = ${campaignId}`.execute(world.deps.db)
    const { queueLag } = await measureCallBacklog(world.deps)
    if (queueLag > 0) waiting.add(campaignId)
  }
  expectCases(waiting, 'campaignId', canStart)
})

it.each([
  ['the API', (db, workspaceId, now) => findCallPage(db, workspaceId, {}, { limit: 1_000, offset: 0 }, now)],
  [
    'the list of calls',
    (db, workspaceId, now) => findListedCalls(db, workspaceId, {}, { limit: 1_000 }, now),
  ],
] satisfies [string, (db: Db, workspaceId: number, now: Date) => Promise<unknown>][])(
  'shows in %s what a call waits for',
  async (_place, find) => {
    const { deps, seed } = world
    const calls = await find(deps.db, seed.workspaceId, deps.clock.now())
    const found = new Map(calls.map(({ id, waiting_for }) => [id, waiting_for]))
    const describe = (waitingFor: (each: Case) => WaitingFor | null | undefined) =>
      cases.map((each) => `${JSON.stringify(each)} → ${waitingFor(each)}`)
    expect(describe(({ callId }) => found.get(callId))).toEqual(describe((each) => expectWaitingFor(each)))
  },
)

it("finds what each call waits for, and distinguishes the campaign's limit from a busy number", async () => {
  const { deps, seed } = world
  const ids = cases.map(({ callId }) => callId)
  const waits = await findWaits(deps, seed.workspaceId, ids, deps.clock.now())
  const describe = (waitingFor: (each: Case) => unknown) =>
    cases.map((each) => `${JSON.stringify(each)} → ${String(waitingFor(each))}`)
  const findWaitingFor = ({ callId }: Case) => {
    const reason = waits.get(callId)?.reason ?? null
    return reason === 'campaign_limit' || reason === 'number_busy' ? 'concurrency' : reason
  }
  expect(describe(findWaitingFor)).toEqual(describe((each) => expectWaitingFor(each)))
  const isWaitingForCalls = (each: Case) => expectWaitingFor(each) === 'concurrency'
  const atLimit = ids.filter((id) => waits.get(id)?.reason === 'campaign_limit')
  expectCases(new Set(atLimit), 'callId', (each) => isWaitingForCalls(each) && each.isAtLimit)
  const busy = ids.filter((id) => waits.get(id)?.reason === 'number_busy')
  expectCases(new Set(busy), 'callId', (each) => isWaitingForCalls(each) && !each.isAtLimit)
})

it('promises a time for a call only if the call waits for its schedule, its retry, or calling hours', async () => {
  const { deps, seed } = world
  const now = deps.clock.now()
  const waits = await findWaits(
    deps,
    seed.workspaceId,
    cases.map(({ callId }) => callId),
    now,
  )
  const promised = [...waits].filter(([, { nextAt }]) => nextAt !== null)
  expect(promised.filter(([, { nextAt }]) => nextAt !== null && nextAt <= now)).toEqual([])
  expectCases(new Set(promised.map(([id]) => id)), 'callId', (each) =>
    times.some((time) => time !== 'due' && time === expectWaitingFor(each)),
  )
})

it('counts waiting calls on Overview by the reason for the wait, and ignores whether their numbers are busy', async () => {
  const counts = await countWaitingCalls(world.deps.db, world.seed.workspaceId, world.deps.clock.now())
  const expected = Map.groupBy(cases, (each) => expectWaitingFor(each, false))
  const sort = (rows: Pick<WaitingCalls, 'waiting_for' | 'count'>[]) =>
    rows
      .map(({ waiting_for, count }) => ({ waiting_for, count }))
      .sort((a, b) => String(a.waiting_for).localeCompare(String(b.waiting_for)))
  expect(sort(counts)).toEqual(
    sort([...expected].map(([reason, all]) => ({ waiting_for: reason, count: all.length }))),
  )
})

it("claims every call that isn't waiting for anything, except those of archived campaigns", async () => {
  await setAllDue()
  const lease = { provider: 'simulated', workerId: crypto.randomUUID(), leaseMs: 60_000 }
  const claimed = new Set<number>()
  for (const claim of [claimAndSettle, claimTestCalls]) {
    const attempts = await claim(world.deps, lease, 1_000)
    for (const { request } of attempts) claimed.add(request.callId)
    expect(await claim(world.deps, lease, 1_000)).toEqual([])
  }
  expectCases(claimed, 'callId', (each) => canStart(each) || canStartTest(each))
  expectCases(claimed, 'callId', (each) => expectWaitingFor(each) === null && each.campaign !== 'archived')
})

/** Makes only this test's campaigns due, because a claim looks at a limited number of campaigns without calls. */
const setAllDue = () =>
  sql`
    update campaign_queue
    set claim_at = case when workspace_id = ${world.seed.workspaceId} then timestamptz 'epoch' end`.execute(
    world.deps.db,
  )
