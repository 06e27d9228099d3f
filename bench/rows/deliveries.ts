import { setTimeout } from 'node:timers/promises'
import { exampleCall } from '@outdial/contract'
import { sql } from 'kysely'
import { atLeast, type Row, takeTurns } from '../row.ts'
import { addCampaigns, addQueuedCalls } from '../seeds/calls.ts'
import { analyze, type HttpClients, type World } from '../world.ts'

/** How many deliveries to one receiver the sender has in progress. */
const width = 16

export const deliveries: Row = {
  name: 'deliveries',
  run: async (bench) => {
    const { scale } = bench
    const world = await bench.openWorld()
    const receiver = await bench.start('receiver', {})
    const url = `http://127.0.0.1:${receiver.port}`
    const service = await bench.start('server', world.environment)
    const subscriptionId = await subscribe(bench.openClients(service.port, 1), world, url)
    const body = JSON.stringify({ ...exampleEvent, data: exampleCall })
    const peerSettings = { ...world.environment, BENCH_RECEIVER: url, BENCH_BODY: body }
    const poster = await bench.start('bare-deliveries', peerSettings)
    const recorder = await bench.start('bare-deliveries', { ...peerSettings, BENCH_RECORDS: 'true' })
    const [campaignId = 0] = await addCampaigns(world, { count: 1, status: 'paused', maxConcurrentCalls: 1 })
    const options = { campaignId, subscriptionId, body, count: Math.ceil(scale.seconds * 500) }
    const ours = async () => {
      await addDeliveries(world, { ...options, delaySeconds: 0 })
      await waitForDeliveries(world)
      return measureLastDeliveries(world, options.count)
    }
    const post = () => poster.work(scale.seconds, width)
    const postAndRecord = async () => {
      await addDeliveries(world, { ...options, delaySeconds: 86_400 })
      return recorder.work(60, width)
    }
    for (const run of [ours, post, postAndRecord]) await run()
    await analyze(world)
    for (const run of [ours, post, postAndRecord]) await run()
    const what = 'webhook deliveries to one receiver, signed and recorded, at most 16 at a time'
    const unit = 'deliveries/s'
    return [
      {
        label: 'Webhook deliveries',
        what,
        against: 'a bare `undici` loop that posts to the same receiver over 16 connections that stay open',
        unit,
        rounds: await takeTurns(scale.rounds, ours, post),
      },
      {
        label: 'Deliveries, peer records them',
        what,
        against: 'a bare loop over the same connections that also signs, and records each with one statement',
        unit,
        rounds: await takeTurns(scale.rounds, ours, postAndRecord),
        limit: atLeast(0.6),
      },
    ]
  },
}

const exampleEvent = { type: 'call.completed', timestamp: '2026-05-04T14:02:00.000Z', workspace_id: 1 }

async function subscribe(api: HttpClients, { demo }: World, targetUrl: string): Promise<number> {
  const headers = { authorization: `Bearer ${demo.api_key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ target_url: targetUrl, event: 'call.completed' })
  const path = '/api/public/v1/webhooks/subscribe'
  const response = await api.send({ method: 'POST', path, headers, body }, 201)
  return (JSON.parse(response) as { id: number }).id
}

/** Adds events with one delivery each. Each event belongs to a call, because an event without a call is a test event. */
async function addDeliveries(
  world: World,
  options: { campaignId: number; subscriptionId: number; body: string; count: number; delaySeconds: number },
): Promise<void> {
  const { campaignId, subscriptionId, body, count, delaySeconds } = options
  await addQueuedCalls(world, [campaignId], count)
  await sql`
    with added as (
      insert into event (id, workspace_id, type, call_id, body)
      select 'evt_bench_' || id, workspace_id, 'call.completed', id, ${body}
      from call where campaign_id = ${campaignId} order by id desc limit ${count}
      returning id, workspace_id
    )
    insert into webhook_delivery (workspace_id, event_id, subscription_id, target_url, next_attempt_at)
    select added.workspace_id, added.id, subscription.id, target_url, now() + make_interval(secs => ${delaySeconds})
    from added join webhook_subscription as subscription on subscription.id = ${subscriptionId}`.execute(
    world.owner,
  )
}

async function waitForDeliveries({ owner }: World): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ isPending: boolean }>`
      select exists (select from webhook_delivery where status = 'pending') as "isPending"`.execute(owner)
    if (rows[0]?.isPending !== true) return
    await setTimeout(250)
  }
}

/** Returns how many of the last deliveries were made per second. Leaves out the first and last 5%. */
async function measureLastDeliveries({ owner }: World, count: number): Promise<number> {
  const { rows } = await sql<{ seconds: number; delivered: number }>`
    select count(*) filter (where status = 'delivered') as delivered, extract(epoch from
      percentile_disc(0.95) within group (order by finished_at)
      - percentile_disc(0.05) within group (order by finished_at))::float8 as seconds
    from (select * from webhook_delivery order by id desc limit ${count}) as last`.execute(owner)
  const [last = { seconds: NaN, delivered: 0 }] = rows
  if (last.delivered !== count) throw new Error(`only ${last.delivered} of ${count} events were delivered`)
  return (0.9 * count) / last.seconds
}
