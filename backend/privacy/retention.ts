import { describeError } from '../core/errors.ts'
import { startWorker, type Worker } from '../core/worker.ts'
import type { Deps } from '../deps.ts'
import { eraseConversations, findRetentions } from './retention-store.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** How many calls one statement erases: it holds their rows for about a tenth of a second. */
const batchSize = 500

/** Erases, once an hour, what was said in calls that are older than their workspace keeps talks. */
export const startRetention = (deps: Pick<Deps, 'db' | 'clock' | 'log'>): Worker =>
  startWorker<number>(deps.clock, {
    fetch: async () => {
      const now = deps.clock.now()
      const withMore: number[] = []
      for (const { workspaceId, days } of await findRetentions(deps.db)) {
        const before = new Date(now.getTime() - days * dayMs)
        const erased = await eraseConversations(deps.db, workspaceId, { before, now, limit: batchSize })
        if (erased === batchSize) withMore.push(workspaceId)
      }
      // A job brings the worker back at once: one batch of each workspace in turn, until nothing is left.
      return withMore.slice(0, 1)
    },
    handle: async () => {},
    onError: (error) => deps.log.error({ error: describeError(error) }, 'older talks were not erased'),
    concurrency: 1,
    batchSize: 1,
    pollMs: hourMs,
  })
