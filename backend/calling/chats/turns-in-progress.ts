import type { Deps } from '../../deps.ts'

interface TurnInProgress {
  abort: AbortController
  ended: Promise<void>
}

/** The turns that a process takes, by chat. Each process has metrics of its own. */
const turnsOf = new WeakMap<Deps['metrics'], Map<string, TurnInProgress>>()

/**
 * Does the work of a chat that only one request of a process can do at a time. Another request interrupts it: the signal
 * aborts, and the other one begins once the work has ended.
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
