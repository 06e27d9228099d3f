import type { ModelClient } from '../conversation/model/model-client.ts'

interface TurnInProgress {
  abort: AbortController
  ended: Promise<void>
}

/** The turns that a process takes, by chat. A process has one model client. */
const turnsOf = new WeakMap<ModelClient, Map<string, TurnInProgress>>()

/**
 * Does the work of a chat that only one request of a process can do at a time. Another request interrupts it: the signal
 * aborts, and the other one begins once the work has ended.
 */
export async function startExclusive(
  model: ModelClient,
  chatId: string,
  callersSignal: AbortSignal,
): Promise<{ signal: AbortSignal; end(): void }> {
  const turns = turnsOf.get(model) ?? new Map<string, TurnInProgress>()
  turnsOf.set(model, turns)
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
