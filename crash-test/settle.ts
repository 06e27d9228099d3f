import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { ApiClient } from './api-client.ts'
import type { Cluster } from './cluster.ts'
import type { Workspace } from './seed-workspace.ts'

/** Everything that isn't brought forward takes less time. */
const timeoutMs = 180_000

/**
 * Waits until nothing is left to do: all processes are healthy, every call is completed and has its event, and no
 * delivery is pending. Returns what's left after the time limit.
 */
export async function settle(
  cluster: Cluster,
  client: ApiClient,
  workspace: Workspace,
): Promise<{ left: string | undefined; durationMs: number }> {
  const startedAt = performance.now()
  const db = new pg.Client({ connectionString: cluster.database.url() })
  await db.connect()
  try {
    let left: string | undefined = 'nothing was checked'
    while (left !== undefined && performance.now() < startedAt + timeoutMs) {
      left = await findWork(cluster, client, db, workspace)
      if (left !== undefined) await delay(200)
    }
    return { left, durationMs: performance.now() - startedAt }
  } finally {
    await db.end()
  }
}

async function findWork(
  { processes }: Cluster,
  client: ApiClient,
  db: pg.Client,
  workspace: Workspace,
): Promise<string | undefined> {
  for (const process of Object.values(processes)) {
    if (!(await process.isHealthy())) return `${process.name} isn't healthy`
  }
  // The API's shortest delay before another attempt is a minute.
  await db.query(
    `update call set due_at = now(), next_attempt_at = now()
     where workspace_id = $1 and status = 'queued' and attempts > 0 and next_attempt_at > now()`,
    [workspace.id],
  )
  for (const status of ['queued', 'dialing', 'in_progress']) {
    const response = await client.send({
      method: 'GET',
      path: `/calls/?status=${status}&limit=1`,
      origin: client.origins[0] ?? '',
    })
    const body = response?.body as { results: unknown[] } | undefined
    if (response?.status !== 200 || body === undefined) return 'the API is unavailable'
    if (body.results.length > 0) return `calls with the status ${status}`
  }
  return bringForward(db, workspace)
}

/**
 * Lets time pass for what would otherwise take minutes: the analysis of a worker that was killed, and deliveries that
 * failed twice. The API doesn't show either.
 */
async function bringForward(db: pg.Client, { id }: Workspace): Promise<string | undefined> {
  const { rowCount: analyses } = await db.query(
    'update call set analysis_until = least(analysis_until, now()) where workspace_id = $1 and analysis_until is not null',
    [id],
  )
  if (analyses !== null && analyses > 0) return `calls without an analysis: ${analyses}`
  await db.query(
    `update webhook_delivery set next_attempt_at = now()
     where workspace_id = $1 and status = 'pending' and next_attempt_at > now() + interval '35 seconds'`,
    [id],
  )
  const { rows } = await db.query<{ count: string }>(
    `select count(*) from webhook_delivery where workspace_id = $1 and status = 'pending'`,
    [id],
  )
  return rows[0]?.count === '0' ? undefined : `pending deliveries: ${rows[0]?.count ?? ''}`
}
