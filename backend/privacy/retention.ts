import { deleteOldChats, maxChatAgeMs } from '../calling/chats/erase-chats.ts'
import { deleteReportsOfCalls } from '../calling/telephony/all-providers.ts'
import type { Deps } from '../deps.ts'
import { hourMs, minuteMs } from '../platform/core/durations.ts'
import { describeError } from '../platform/core/errors.ts'
import { type PeriodicJob, startPeriodicJob } from '../platform/core/periodic.ts'
import { inTransaction } from '../platform/db/transaction.ts'
import { eraseOldConversations } from '../queue/calls/erase-calls.ts'
import { eraseToolCallContent } from '../tools/mcp/erase-tool-calls.ts'
import { eraseConversationsInEvents } from '../webhooks/erase-events.ts'
import { conversationLimit } from './change-retention.ts'
import { selectRetentions } from './retention-store.ts'

/** The maximum number of calls or chats per transaction. A transaction locks their rows for about a tenth of a second. */
const batchSize = 500

/**
 * Starts a job that erases, once an hour, the conversations of calls older than their workspace's retention, and deletes chats
 * that are older than the retention or `maxChatAgeMs`.
 */
export const startRetention = (deps: Pick<Deps, 'db' | 'clock' | 'notify' | 'log'>): PeriodicJob =>
  startPeriodicJob(deps.clock, {
    name: 'retention',
    intervalMs: hourMs,
    maxRunMs: 10 * minuteMs,
    // Each run does one batch per workspace, and the job repeats runs until nothing is left.
    work: async () => {
      const now = deps.clock.now()
      const oldest = new Date(now.getTime() - maxChatAgeMs)
      const deleted = await deleteOldChats(deps.db, { before: oldest, workspaceId: null, limit: batchSize })
      let hasMore = deleted === batchSize
      for (const { workspaceId, days } of await selectRetentions(deps.db, now)) {
        const before = conversationLimit(now, days)
        const erased = await eraseConversations(deps, workspaceId, { before, now })
        const deletedHere = await deleteOldChats(deps.db, { before, workspaceId, limit: batchSize })
        if (erased === batchSize || deletedHere === batchSize) hasMore = true
      }
      return hasMore
    },
    onError: (error) => deps.log.error({ error: describeError(error) }, 'failed to erase old conversations'),
  })

/** Erases the conversations of one batch of calls, all or none. Returns the number of calls. */
const eraseConversations = (
  deps: Pick<Deps, 'db' | 'notify'>,
  workspaceId: number,
  { before, now }: { before: Date; now: Date },
): Promise<number> =>
  inTransaction(deps, async (tx) => {
    const callIds = await eraseOldConversations(tx.db, workspaceId, { before, now, limit: batchSize })
    if (callIds.length === 0) return 0
    await eraseToolCallContent(tx.db, workspaceId, callIds)
    await deleteReportsOfCalls(tx.db, workspaceId, callIds)
    await eraseConversationsInEvents(tx.db, workspaceId, callIds)
    return callIds.length
  })
