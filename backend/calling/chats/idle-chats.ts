import type { Deps } from '../../deps.ts'
import { hourMs, minuteMs, secondMs } from '../../platform/core/durations.ts'
import { describeError } from '../../platform/core/errors.ts'
import { type PeriodicJob, startPeriodicJob } from '../../platform/core/periodic.ts'
import { endIdleChats, giveUpAnalyses } from './analysis-store.ts'

/** How long a chat can have no turn before it ends. */
export const idleLimitMs = 15 * minuteMs

const batchSize = 500

const noModel = "No worker had a language model, so the conversation wasn't analyzed."

/**
 * Starts a job that ends idle chats. In a process without a language model, it also marks analyses as failed that have waited
 * for an hour.
 */
export const startIdleChatEnd = ({
  clock,
  db,
  log,
  model,
}: Pick<Deps, 'clock' | 'db' | 'log' | 'model'>): PeriodicJob =>
  startPeriodicJob(clock, {
    name: 'idle_chats',
    intervalMs: 10 * secondMs,
    work: async () => {
      const now = clock.now()
      const before = (ms: number) => new Date(now.getTime() - ms)
      // A process with a model doesn't give up analyses, because it can still analyze chats that have waited for an hour.
      if (model === undefined) await giveUpAnalyses(db, before(hourMs), noModel)
      const ended = await endIdleChats(db, { now, since: before(idleLimitMs), limit: batchSize })
      return ended === batchSize
    },
    onError: (error) => log.error({ error: describeError(error) }, 'failed to end idle chats'),
  })
