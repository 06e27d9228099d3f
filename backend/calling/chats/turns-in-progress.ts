import type { Deps } from '../../deps.ts'

interface TurnInProgress {
  abort: AbortController
  ended: Promise<void>
}

/**
 * The turns in progress of each process, by chat ID. A process is identified by its metrics object, because each process has
 * its own.
 */
const turnsOf = new WeakMap<Deps['metrics'], Map<string, TurnInProgress>>()

/**
 * Starts work on a chat that a process does for only one request at a time. If such work is in progress, interrupts it by
 * aborting the signal that it got, and waits until it has ended. Call `end` when the new work has ended.
 */
export async function startExclusive(
  { metrics }: Pick<Deps, 'metrics'>,
  chatId: string,
  callersSignal: AbortSignal,
): Promise<{ signal: AbortSignal; end(): void }> {
  const turns = turnsOf.get(metrics) ?? new Map<string, TurnInProgress>()
  turnsOf.set(metrics, turns)
  for (let other = turns.get(chatId); other !== undefined; other = turns.get(chatId)) {
    other.abort.abort()
    await other.ended
  }
  const abort = new AbortController()
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  turns.set(chatId, { abort, ended })
  return {
    signal: AbortSignal.any([callersSignal, abort.signal]),
    end: () => {
      turns.delete(chatId)
      resolve()
    },
  }
}
