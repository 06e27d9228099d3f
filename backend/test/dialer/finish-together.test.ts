import { expect, it } from '@jest/globals'
import type { RetryPolicy } from '@outdial/contract'
import { sql } from 'kysely'
import { type AttemptResult, emptyResult } from '../../calling/dialer/attempt-result.ts'
import { createAttemptWriter } from '../../calling/dialer/attempt-writer.ts'
import { type ClaimedAttempt } from '../../calling/dialer/claim-calls.ts'
import { finishAttempts } from '../../calling/dialer/finish-attempt.ts'
import { addNumbersToDoNotCallList } from '../../queue/calls/do-not-call.ts'
import { listEvents, seedCall } from '../support/calls.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { freshNumber, seedCampaign } from '../support/factories.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { useCallsWorld } from '../support/world.ts'

// If attempts end at about the same time, the dialer saves their results in one transaction.
const world = useCallsWorld()

const busy = emptyResult('busy', 'line_busy')
const lease = () => ({ provider: 'simulated', workerId: crypto.randomUUID(), leaseMs: 60_000 })

/** Queues calls in a campaign and claims them. Returns their attempts in the order of their calls. */
async function dialCalls(count: number, retry?: RetryPolicy): Promise<ClaimedAttempt[]> {
  const campaignId = await seedCampaign(world.deps, { ...world.seed, retry, maxConcurrentCalls: 100 })
  for (let index = 0; index < count; index += 1)
    await seedCall(world.deps, world.seed, freshNumber(), { campaign_id: campaignId })
  const attempts = await claimAndSettle(world.deps, lease(), count)
  expect(attempts).toHaveLength(count)
  return attempts.sort((a, b) => a.request.callId - b.request.callId)
}

function createFinisher() {
  const errors: unknown[] = []
  const writer = createAttemptWriter(world.deps, (error) => errors.push(error))
  return {
    ...{ errors, writer },
    finish: (attempt: ClaimedAttempt, result: AttemptResult) =>
      writer.finishAttempt(attempt, result, world.deps.clock.now()),
  }
}

const findCalls = (attempts: readonly ClaimedAttempt[]) =>
  world.deps.db
    .selectFrom('call')
    .select(['id', 'status', 'outcome', 'summary', 'sentiment', 'goal_met', 'extracted', 'duration_seconds'])
    .where(
      'id',
      'in',
      attempts.map(({ request }) => request.callId),
    )
    .orderBy('id')
    .execute()

const retryBusy: RetryPolicy = { max_attempts: 3, delay_minutes: 60, on: ['busy'] }

it("saves each attempt's own result when several attempts end together", async () => {
  const [retried, declined, voicemail, analyzed, analyzing, stale, suppressed] = await dialCalls(7, retryBusy)
  if (!retried || !declined || !voicemail || !analyzed || !analyzing || !stale || !suppressed)
    throw new Error('a call is missing')
  await addNumbersToDoNotCallList(
    world.deps,
    world.seed.workspaceId,
    { phoneNumber: suppressed.request.toNumber },
    {
      source: 'api',
      reason: null,
    },
  )
  const now = world.deps.clock.now()
  const answered = {
    ...emptyResult('answered', 'contact_hung_up'),
    answeredAt: new Date(now.getTime() - 5_000),
    transcript: [{ role: 'agent' as const, text: 'Hello', at: now.toISOString() }],
  }
  const analysis = {
    summary: 'Wants a demo.',
    sentiment: 'positive',
    goalMet: false,
    extracted: { day: 'Monday' },
  } as const
  const { finish, errors } = createFinisher()
  const statuses = await Promise.all([
    finish(retried, busy),
    finish(declined, emptyResult('declined', 'contact_declined')),
    finish(voicemail, { ...emptyResult('voicemail', 'voicemail_reached'), summary: 'Left a message.' }),
    finish(analyzed, { ...answered, analysis }),
    finish(analyzing, answered),
    finish({ ...stale, fence: stale.fence - 1 }, busy),
    finish(suppressed, busy),
  ])
  expect(errors).toEqual([])
  expect(statuses).toEqual([
    'requeued',
    'completed',
    'completed',
    'completed',
    'analyzing',
    'stale',
    'completed',
  ])
  const unknown = { sentiment: 'unknown', goal_met: null, extracted: {} }
  expect(
    await findCalls([retried, declined, voicemail, analyzed, analyzing, stale, suppressed]),
  ).toMatchObject([
    { status: 'queued', outcome: null },
    { status: 'completed', outcome: 'declined', summary: null, ...unknown },
    { status: 'completed', outcome: 'voicemail', summary: 'Left a message.', ...unknown },
    {
      ...{ status: 'completed', outcome: 'answered', summary: 'Wants a demo.', sentiment: 'positive' },
      ...{ goal_met: false, extracted: { day: 'Monday' }, duration_seconds: 5 },
    },
    { status: 'completed', outcome: 'answered', summary: null, ...unknown },
    { status: 'dialing', outcome: null },
    { status: 'completed', outcome: 'suppressed' },
  ])
  const events = [retried, declined, voicemail, analyzed, analyzing, stale, suppressed].map(
    async ({ request }) => {
      const [event] = await listEvents(world.deps, request.callId)
      return event?.data.outcome
    },
  )
  expect(await Promise.all(events)).toEqual([
    ...[undefined, 'declined', 'voicemail', 'answered', undefined, undefined, 'suppressed'],
  ])
})

it('if many attempts end at about the same time, saves their results in one transaction', async () => {
  const attempts = await dialCalls(30)
  const { finish } = createFinisher()
  await Promise.all(attempts.map((attempt) => finish(attempt, busy)))
  const callIds = attempts.map(({ request }) => request.callId)
  const { rows } = await sql<{ events: number }>`
    select count(*)::int as events from event where call_id = any(${callIds}::bigint[])
    group by xmin::text order by 1`.execute(world.deps.db)
  expect(rows.map(({ events }) => events)).toEqual([30])
})

it('if several attempts end together and the database rejects one of the results, saves the others', async () => {
  const attempts = await dialCalls(5)
  const { finish, errors } = createFinisher()
  const unstorable = { ...emptyResult('voicemail', 'voicemail_reached'), summary: 'a\u0000b' } as const
  const statuses = await Promise.allSettled(
    attempts.map((attempt, index) => finish(attempt, index === 2 ? unstorable : busy)),
  )
  expect(statuses.map((status) => (status.status === 'fulfilled' ? status.value : status.status))).toEqual([
    ...['completed', 'completed', 'rejected', 'completed', 'completed'],
  ])
  expect(errors).toHaveLength(1)
  const calls = await findCalls(attempts)
  expect(calls.map(({ status }) => status)).toEqual([
    ...['completed', 'completed', 'dialing', 'completed', 'completed'],
  ])
})

it("two transactions that end attempts of the same campaigns in opposite orders don't deadlock", async () => {
  const { db } = world.deps
  const seedNext = () => seedCampaign(world.deps, { ...world.seed, retry: retryBusy })
  const [campaignId, otherId] = [await seedNext(), await seedNext()]
  // The second transaction's calls were queued in the opposite order of campaigns.
  for (const campaign_id of [campaignId, otherId, otherId, campaignId])
    await seedCall(world.deps, world.seed, freshNumber(), { campaign_id })
  const claimed = await claimAndSettle(world.deps, lease(), 4)
  expect(claimed).toHaveLength(4)
  const attempts = claimed.sort((a, b) => a.request.callId - b.request.callId)
  const finish = (ended: ClaimedAttempt[]) =>
    db.transaction().execute((tx) =>
      finishAttempts(
        { ...world.deps, db: tx },
        world.seed.workspaceId,
        ended.map((attempt) => ({ ...attempt, attempt, result: busy, at: world.deps.clock.now() })),
      ),
    )
  const { finished } = await db.transaction().execute(async (tx) => {
    await sql`select from campaign_queue where campaign_id = ${campaignId} for update`.execute(tx)
    const ends = [finish(attempts.slice(0, 2))]
    await waitForLockWaiters(db)
    ends.push(finish(attempts.slice(2)))
    await waitForLockWaiters(db, 2)
    return { finished: ends }
  })
  expect(await Promise.all(finished)).toEqual([
    ['requeued', 'requeued'],
    ['requeued', 'requeued'],
  ])
})

it('counts each provider failure when several attempts end together, and resets the count after other results', async () => {
  const attempts = await dialCalls(12)
  const campaignId = attempts[0]?.campaignId ?? 0
  const readFailures = async () => {
    const query = world.deps.db
      .selectFrom('campaign')
      .select('provider_failures')
      .where('id', '=', campaignId)
    return (await query.executeTakeFirstOrThrow()).provider_failures
  }
  const { finish, errors } = createFinisher()
  const failed = emptyResult('failed', 'line_failed')
  await Promise.all(attempts.slice(0, 6).map((attempt) => finish(attempt, failed)))
  expect(await readFailures()).toBe(6)
  await Promise.all(attempts.slice(6).map((attempt) => finish(attempt, busy)))
  expect(await readFailures()).toBe(0)
  expect(errors).toEqual([])
})

it('marks several calls as answered at once, and then saves their analyses at once, with one event for each call', async () => {
  const attempts = await dialCalls(6)
  const { writer, errors } = createFinisher()
  const now = world.deps.clock.now()
  const marked = attempts.map((attempt, index) =>
    writer.markAnswered({ ...attempt, fence: attempt.fence - (index === 4 ? 1 : 0) }, now),
  )
  expect(await Promise.all(marked)).toEqual([true, true, true, true, false, true])
  const conversation = { ...emptyResult('answered', 'contact_hung_up'), answeredAt: now }
  const finished = attempts.map((attempt) => writer.finishAttempt(attempt, conversation, now))
  expect(await Promise.all(finished)).toEqual(attempts.map(() => 'analyzing'))
  const analyze = () =>
    Promise.all(
      attempts.map(({ workspaceId, request: { callId } }, index) => {
        const analysis = {
          summary: `Summary ${index}`,
          sentiment: 'neutral',
          goalMet: true,
          extracted: {},
        } as const
        return writer.finishAnalysis({ workspaceId, callId, analysis: index === 3 ? undefined : analysis })
      }),
    )
  expect(await analyze()).toEqual(attempts.map(() => 'published'))
  expect(await analyze()).toEqual(attempts.map(() => 'already_published'))
  expect((await findCalls(attempts)).map(({ summary }) => summary)).toEqual([
    ...['Summary 0', 'Summary 1', 'Summary 2', null, 'Summary 4', 'Summary 5'],
  ])
  const events = await Promise.all(attempts.map(({ request }) => listEvents(world.deps, request.callId)))
  expect(events.map((list) => list.map(({ data }) => data.summary))).toEqual([
    ...[['Summary 0'], ['Summary 1'], ['Summary 2'], [null], ['Summary 4'], ['Summary 5']],
  ])
  expect(errors).toEqual([])
})

it('lets two dialers claim and finish the calls of the same campaigns at the same time without an error', async () => {
  const campaignIds: number[] = []
  for (let index = 0; index < 8; index += 1)
    campaignIds.push(await seedCampaign(world.deps, { ...world.seed, maxConcurrentCalls: 2 }))
  for (let index = 0; index < 120; index += 1)
    await seedCall(world.deps, world.seed, freshNumber(), { campaign_id: campaignIds[index % 8] })
  const countOpen = async () => {
    const query = world.deps.db.selectFrom('call').select('id').where('campaign_id', 'in', campaignIds)
    return (await query.where('status', '<>', 'completed').execute()).length
  }
  const finishers = [createFinisher(), createFinisher()]
  const work = async ({ finish }: (typeof finishers)[number]) => {
    while ((await countOpen()) > 0) {
      const attempts = await claimAndSettle(world.deps, lease(), 50)
      await Promise.all(attempts.map((attempt) => finish(attempt, busy)))
    }
  }
  await Promise.all(finishers.map(work))
  expect(finishers.flatMap(({ errors }) => errors)).toEqual([])
})
