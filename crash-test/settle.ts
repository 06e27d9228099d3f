import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { ApiClient } from './api-client.ts'
import type { Cluster } from './cluster.ts'
import type { Workspace } from './seed-workspace.ts'

/** How long the work can take: more than enough for all work that `bringForward` doesn't speed up. */
const timeoutMs = 180_000

/**
 * Waits until nothing is left to do: all processes are healthy, every call is completed and has its event, and no delivery is
 * pending. If this takes too long, returns what's left.
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
  // Makes retries due now. Otherwise, they'd wait at least a minute, the shortest delay that the API allows.
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
 * Makes work due now that would otherwise wait for minutes: analyses that a killed worker hasn't finished, and deliveries that
 * failed twice. Returns a description of work that's still left, because the API doesn't show such work.
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
