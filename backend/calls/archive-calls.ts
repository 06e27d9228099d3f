import { dayMs, hourMs, minuteMs } from '../core/durations.ts'
import { describeError } from '../core/errors.ts'
import { type PeriodicJob, startPeriodicJob } from '../core/periodic.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Deps } from '../deps.ts'
import {
  archiveEndedCalls,
  canArchive,
  lockArchiveForMove,
  selectWorkspacesWithEndedCalls,
} from './archive-store.ts'

/** Calls per transaction. It locks their rows for less than a second. */
const batchSize = 500

/**
 * Starts a job that moves, once an hour, calls that ended long ago to the archive. Several processes can run it at the
 * same time: one at a time moves the calls of a workspace.
 */
export const startArchiver = (deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify' | 'log'>): PeriodicJob =>
  startPeriodicJob(deps.clock, {
    name: 'archive',
    intervalMs: hourMs,
    maxRunMs: 10 * minuteMs,
    work: (signal) => archiveOldCalls(deps, signal),
    onError: (error) => deps.log.error({ error: describeError(error) }, 'failed to archive old calls'),
  })

/** Moves one batch of each workspace. Returns true if calls are left. */
async function archiveOldCalls(
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'notify'>,
  signal: AbortSignal,
): Promise<boolean> {
  const { archiveAfterDays } = deps.config
  if (archiveAfterDays === 0 || !(await canArchive(deps.db))) return false
  const now = deps.clock.now()
  const endedBefore = new Date(now.getTime() - archiveAfterDays * dayMs)
  let hasMore = false
  for (const workspaceId of await selectWorkspacesWithEndedCalls(deps.db, endedBefore)) {
    if (signal.aborted) return false
    const archived = await inTransaction(deps, async ({ db }) => {
      if (!(await lockArchiveForMove(db, workspaceId))) return 0
      return archiveEndedCalls(db, workspaceId, { endedBefore, now, limit: batchSize })
    })
    // Fewer than a batch are moved also if some are locked.
    if (archived > 0) hasMore = true
  }
  return hasMore
}
