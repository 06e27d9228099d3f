import { expect, it } from '@jest/globals'
import { type Call, CallCompletedEvent, type WebhookFilter } from '@outdial/contract'
import { noNotify } from '../../platform/core/notify.ts'
import { publishCompletedCalls } from '../../queue/calls/complete-calls.ts'
import { writeCompletedEvents } from '../../webhooks/outbox.ts'
import { endEventsOfConnection } from '../../webhooks/subscriptions.ts'
import { completeCall, seedApiKeyCaller, seedCompletedCall, seedWorkspace } from '../support/factories.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const all: WebhookFilter = { campaign_id: null, agent_id: null, outcome: null }

async function seedSubscription(
  filter: Partial<WebhookFilter>,
  of = world.seed,
  disabledAt: Date | null = null,
) {
  const owner = await seedApiKeyCaller(world.deps, of)
  const row = await world.deps.db
    .insertInto('webhook_subscription')
    .values({
      workspace_id: of.workspaceId,
      user_id: of.userId,
      api_key_id: owner.apiKeyId,
      target_url: 'https://example.com/hook',
      event: 'call.completed',
      filter: JSON.stringify({ ...all, ...filter }),
      secret: 'sealed',
      disabled_at: disabledAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id: row.id, owner }
}

const listDeliveries = (callId: number) =>
  world.deps.db
    .selectFrom('webhook_delivery')
    .innerJoin('event', 'event.id', 'webhook_delivery.event_id')
    .where('event.call_id', '=', callId)
    .selectAll('webhook_delivery')
    .orderBy('subscription_id')
    .execute()

const readUnmatched = (callId: number) =>
  world.deps.db
    .selectFrom('event')
    .select(['unmatched', 'unmatched_count', 'matched_count'])
    .where('call_id', '=', callId)
    .executeTakeFirstOrThrow()

const listTargets = async (callId: number) => (await listDeliveries(callId)).map((row) => row.subscription_id)

it('saves an event whose body contains its ID, type, time, and workspace, and the completed call', async () => {
  const call = await completeCall(world.deps, world.seed)
  const row = await world.deps.db
    .selectFrom('event')
    .selectAll()
    .where('call_id', '=', call.id)
    .executeTakeFirstOrThrow()
  const body = CallCompletedEvent.parse(JSON.parse(row.body))
  expect(body).toEqual({
    id: row.id,
    type: 'call.completed',
    timestamp: world.deps.clock.now().toISOString(),
    workspace_id: world.seed.workspaceId,
    data: call,
  })
})

it("delivers only to subscriptions whose filter matches the call, and saves why other filters don't match", async () => {
  const other = await seedWorkspace(world.deps, 'Other')
  const everything = await seedSubscription({})
  const matching = await seedSubscription({
    campaign_id: world.seed.campaignId,
    agent_id: world.seed.agentId,
    outcome: ['answered', 'busy'],
  })
  const ofCampaign = await seedSubscription({ campaign_id: other.campaignId })
  const ofAgent = await seedSubscription({ agent_id: other.agentId })
  const ofOutcome = await seedSubscription({ outcome: ['busy'] })
  await seedSubscription({}, other)
  const disabled = await seedSubscription({}, world.seed, world.deps.clock.now())

  const call = await completeCall(world.deps, world.seed)

  expect(await listTargets(call.id)).toEqual([everything.id, matching.id])
  expect(await readUnmatched(call.id)).toEqual({
    unmatched: [
      { id: ofCampaign.id, reason: 'campaign_id' },
      { id: ofAgent.id, reason: 'agent_id' },
      { id: ofOutcome.id, reason: 'outcome' },
      { id: disabled.id, reason: 'disabled' },
    ],
    unmatched_count: 4,
    matched_count: 2,
  })
})

it.each<[string, Partial<Call>, string[]]>([
  ['a call that met its goal', { goal_met: true }, ['met', 'real']],
  ["a call that didn't meet its goal", { goal_met: false }, ['not met', 'real']],
  ['a call whose goal is unknown', { goal_met: null }, ['real']],
  ['a test call', { goal_met: true, test: true }, ['met', 'test']],
  ['a call in which the contact opted out', { goal_met: null, opted_out: true }, ['real', 'opted out']],
])(
  'delivers the event of %s only to subscriptions whose filters by goal, opt-out, and test calls match',
  async (_what, values, names) => {
    const filters: Record<string, Partial<WebhookFilter>> = {
      met: { goal_met: true },
      'not met': { goal_met: false },
      real: { test: 'exclude' },
      test: { test: 'only' },
      'opted out': { opted_out: true },
    }
    const subscriptions: { name: string; id: number; reason: string }[] = []
    for (const [name, filter] of Object.entries(filters)) {
      const [reason = ''] = Object.keys(filter)
      subscriptions.push({ name, reason, id: (await seedSubscription(filter)).id })
    }
    const call = { ...(await seedCompletedCall(world.deps, world.seed)), ...values }
    await writeCompletedEvents(world.deps.db, world.seed.workspaceId, {
      calls: [call],
      at: world.deps.clock.now(),
    })
    const targets = await listTargets(call.id)
    expect(subscriptions.filter(({ id }) => targets.includes(id)).map(({ name }) => name)).toEqual(names)
    const unmatched = subscriptions.filter(({ id }) => !targets.includes(id))
    expect((await readUnmatched(call.id)).unmatched).toEqual(
      unmatched.map(({ id, reason }) => ({ id, reason })),
    )
  },
)

it("delivers an event to the call's callback URL as well as to a subscription", async () => {
  const { id } = await seedSubscription({})
  const call = await completeCall(world.deps, world.seed, {
    callbackUrl: 'https://Callback.example:8443/x?y=1',
  })
  expect(await listDeliveries(call.id)).toMatchObject([
    { subscription_id: id, status: 'pending', attempts: 0, next_attempt_at: world.deps.clock.now() },
    {
      subscription_id: null,
      target_url: 'https://Callback.example:8443/x?y=1',
      target_host: 'callback.example:8443',
    },
  ])
})

it('writes one event for a call even if it is published repeatedly', async () => {
  await seedSubscription({})
  const call = await completeCall(world.deps, world.seed, { callbackUrl: 'https://example.com/callback' })
  const again = () =>
    writeCompletedEvents(world.deps.db, world.seed.workspaceId, {
      calls: [call],
      at: world.deps.clock.now(),
    })
  await Promise.all([again(), again()])
  expect(await listDeliveries(call.id)).toHaveLength(2)
})

it('notifies the senders of a completed call only if its event has deliveries', async () => {
  let notified = 0
  const deps = { ...world.deps, notify: { ...noNotify, deliveryQueued: () => (notified += 1) } }
  const publish = async () => {
    const { id } = await seedCompletedCall(world.deps, world.seed)
    await publishCompletedCalls(deps, world.seed.workspaceId, [id], deps.clock.now())
  }
  await publish()
  expect(notified).toBe(0)
  await seedSubscription({})
  await publish()
  expect(notified).toBe(1)
})

it('saves no deliveries if the transaction that ends the call is rolled back', async () => {
  await seedSubscription({})
  const call = await seedCompletedCall(world.deps, world.seed)
  const ending = world.deps.db.transaction().execute(async (db) => {
    await writeCompletedEvents(db, world.seed.workspaceId, {
      calls: [call],
      at: world.deps.clock.now(),
    })
    throw new Error('rollback')
  })
  await expect(ending).rejects.toThrow('rollback')
  expect(await listDeliveries(call.id)).toEqual([])
})

it('if one subscription ends while an event is written, still delivers the event to the others', async () => {
  const { owner } = await seedSubscription({})
  const staying = await seedSubscription({})
  const call = await seedCompletedCall(world.deps, world.seed)
  const record = () =>
    writeCompletedEvents(world.deps.db, world.seed.workspaceId, {
      calls: [call],
      at: world.deps.clock.now(),
    })

  const recording = await world.deps.db.transaction().execute(async (db) => {
    await endEventsOfConnection(
      { ...world.deps, db },
      owner.workspaceId,
      { apiKeyId: owner.apiKeyId },
      {
        reason: 'key_revoked',
        at: world.deps.clock.now(),
      },
    )
    const waiting = record()
    await waitForLockWaiters(world.deps.db)
    return [waiting] // in an array, so that the promise isn't awaited: it waits for this transaction
  })
  await Promise.all(recording)

  expect(await listTargets(call.id)).toEqual([staying.id])
})
