import { createHmac, randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import { openBarePool } from './bare-pool.ts'
import { repeat, serve } from './serve.ts'

/**
 * Posts the same body to the receiver over connections that stay open. By default, nothing is recorded. With BENCH_RECORDS,
 * each request also has a signature, and a statement records the attempt, as in the service.
 */
const { BENCH_RECEIVER = '', BENCH_BODY = '', BENCH_RECORDS } = process.env
const post = {
  method: 'POST',
  path: '/',
  headers: { 'content-type': 'application/json' },
  body: BENCH_BODY,
} as const
const record = `
  with settled as (
    update webhook_delivery
    set attempts = attempts + 1, worker_id = null, lease_until = null, status = 'delivered', next_attempt_at = null,
      finished_at = $2
    where id = $1 and status = 'pending'
    returning id
  )
  insert into delivery_attempt (delivery_id, number, at, duration_ms, status_code)
  select id, 1 + (select count(*) from delivery_attempt where delivery_id = settled.id), $2, $3, $4 from settled`

const open = new Pool(BENCH_RECEIVER, { connections: 16 })
const database = BENCH_RECORDS === undefined ? undefined : await openBarePool()

async function deliver(): Promise<undefined> {
  const response = await open.request(post)
  await response.body.dump()
}

async function deliverAndRecord(ids: number[]): Promise<number> {
  const id = ids.pop()
  if (id === undefined) return 0
  const startedAt = new Date()
  const signature = createHmac('sha256', 'key').update(`${randomUUID()}.${BENCH_BODY}`).digest('base64')
  const response = await open.request({
    ...post,
    headers: { ...post.headers, 'webhook-signature': signature },
  })
  await response.body.dump()
  const values = [id, startedAt, Date.now() - startedAt.getTime(), response.statusCode]
  await database?.query({ name: 'record', text: record, values })
  return 1
}

/** Returns the deliveries that aren't due, which the service therefore leaves to this process. */
async function findDeliveries(): Promise<number[]> {
  const found = await database?.query<{ id: number }>(
    "select id from webhook_delivery where status = 'pending' and next_attempt_at > now()",
  )
  return found?.rows.map(({ id }) => id) ?? []
}

serve({
  work: async (seconds, width) => {
    if (database === undefined) return repeat(seconds, width, deliver)
    const ids = await findDeliveries()
    return repeat(seconds, width, () => deliverAndRecord(ids))
  },
  stop: () => Promise.all([open.close(), database?.end()]),
})
