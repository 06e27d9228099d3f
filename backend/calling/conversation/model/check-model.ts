import { secondMs } from '../../../platform/core/durations.ts'
import type { Endpoint } from './endpoint.ts'
import { failureSentences } from './failure.ts'
import type { ModelHealth } from './health.ts'
import { streamTurn, type TurnDeps } from './stream-turn.ts'
import { noUsage, type TokenUsage } from './usage.ts'

/** The result of a check. `problem` is a sentence for the operator; null if a model answered. */
export interface ModelCheck {
  problem: string | null
  usage: TokenUsage
}

/** How long a member waits for the check. */
const maxMs = 5 * secondMs

/** Doesn't record how checks end, because they don't count as requests of conversations. */
const unrecordedHealth: ModelHealth = {
  isPaused: async () => false,
  addSuccess: async () => {},
  addFailure: async () => {},
}

/** Asks the first model for a word and, if that model fails, the second one. Never throws. */
export async function checkModel(deps: TurnDeps, endpoints: readonly Endpoint[]): Promise<ModelCheck> {
  const ended = new AbortController()
  const late = new AbortController()
  void deps.clock.wait(maxMs, ended.signal).then(() => late.abort())
  const stream = streamTurn({ ...deps, health: unrecordedHealth }, endpoints, {
    ...{ instructions: 'Answer with one word.', messages: [{ role: 'user' as const, content: 'Hello' }] },
    ...{ tools: [], maxSteps: 1, signal: late.signal, firstWordMs: maxMs / endpoints.length },
  })
  let check: ModelCheck = { problem: notInTime, usage: noUsage }
  let hasAnswered = false
  for await (const part of stream) {
    if (part.type === 'text') hasAnswered = true
    if (part.type === 'finish') check = { problem: null, usage: part.usage }
    if (part.type === 'failure') {
      const { kind } = part.failure
      check = { problem: kind === 'aborted' ? notInTime : failureSentences[kind], usage: part.usage }
    }
  }
  ended.abort()
  return hasAnswered ? { ...check, problem: null } : check
}

const notInTime = "The language model didn't answer within 5 seconds."
