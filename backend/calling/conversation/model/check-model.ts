import type { Clock } from '../../../platform/core/clock.ts'
import { secondMs } from '../../../platform/core/durations.ts'
import { failureSentences } from './failure.ts'
import type { ModelClient } from './model-client.ts'
import { noUsage, type TokenUsage } from './usage.ts'

/** How long a member waits for the check. */
const maxMs = 5 * secondMs

/**
 * Asks a model, or the second one, for a few words. Returns why none answered, as a sentence for the operator, and the tokens that
 * were used.
 *
 * @param name undefined for the default model
 */
export async function checkModel(
  { clock, model }: { clock: Pick<Clock, 'wait'>; model: Pick<ModelClient, 'streamTurn'> },
  name: string | undefined,
): Promise<{ problem: string | null; usage: TokenUsage }> {
  const ended = new AbortController()
  const late = new AbortController()
  void clock.wait(maxMs, ended.signal).then(() => late.abort())
  const request = {
    ...{ instructions: 'Answer with one word.', messages: [{ role: 'user' as const, content: 'Hello' }] },
    ...{ tools: [], maxSteps: 1, maxOutputTokens: 16, signal: late.signal },
  }
  let outcome: { problem: string | null; usage: TokenUsage } = { problem: notInTime, usage: noUsage }
  for await (const part of model.streamTurn({ ...(name !== undefined && { model: name }), ...request })) {
    if (part.type === 'finish') outcome = { problem: null, usage: part.usage }
    if (part.type === 'failure') {
      const { kind } = part.failure
      outcome = { problem: kind === 'aborted' ? notInTime : failureSentences[kind], usage: part.usage }
    }
  }
  ended.abort()
  return outcome
}

const notInTime = "The language model didn't answer within 5 seconds."
