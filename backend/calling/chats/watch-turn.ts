import type { Deps } from '../../deps.ts'
import { secondMs } from '../../platform/core/durations.ts'
import { describeError } from '../../platform/core/errors.ts'
import { startPeriodicJob } from '../../platform/core/periodic.ts'
import { selectChat } from './chat-store.ts'

/**
 * Streams a turn, and checks each second if it's still needed. The signal aborts once another process has taken the chat's next
 * turn, or the chat has ended or been deleted, so that the model doesn't continue in vain.
 */
export async function* whileWatched<Event, Turn>(
  { clock, db, log }: Pick<Deps, 'clock' | 'db' | 'log'>,
  { workspaceId, chatId }: { workspaceId: number; chatId: string },
  number: number,
  stream: (signal: AbortSignal) => AsyncGenerator<Event, Turn>,
): AsyncGenerator<Event, Turn> {
  const outdated = new AbortController()
  const watch = startPeriodicJob(clock, {
    name: 'chat_turn',
    intervalMs: secondMs,
    firstAfterMs: secondMs,
    work: async () => {
      const chat = await selectChat(db, workspaceId, chatId)
      if (chat?.turn !== number || chat.ended_at !== null) outdated.abort()
    },
    onError: (error) => log.error({ chat: chatId, error: describeError(error) }, 'failed to watch a turn'),
  })
  try {
    return yield* stream(outdated.signal)
  } finally {
    await watch.stop()
  }
}
