import type { Clock } from '../../platform/core/clock.ts'
import { secondMs } from '../../platform/core/durations.ts'
import type { TurnPart as ModelPart } from './model/stream-turn.ts'
import type { Phrases } from './phrases/index.ts'

/**
 * Yields the parts of a stream, and `pause` each time that the next part takes longer than a limit.
 *
 * @param getLimitMs returns the limit for the next part, in milliseconds. Undefined if it can take any time.
 */
export async function* bridgePauses<Part>(
  clock: Pick<Clock, 'wait'>,
  stream: AsyncGenerator<Part, void>,
  getLimitMs: () => number | undefined,
): AsyncGenerator<Part | 'pause', void> {
  try {
    for (;;) {
      const next = stream.next()
      for (let limitMs = getLimitMs(); limitMs !== undefined; limitMs = getLimitMs()) {
        const arrived = await arrivesWithin(clock, next, limitMs)
        if (arrived) break
        yield 'pause'
      }
      const result = await next
      if (result.done === true) return
      yield result.value
    }
  } finally {
    await stream.return()
  }
}

async function arrivesWithin(
  clock: Pick<Clock, 'wait'>,
  next: Promise<unknown>,
  ms: number,
): Promise<boolean> {
  const arrival = new AbortController()
  const late = clock.wait(ms, arrival.signal).then(() => false)
  try {
    return await Promise.race([next.then(() => true), late])
  } finally {
    arrival.abort()
  }
}

/** How long the contact waits for a word before the agent bridges the pause. */
const pauseLimits = { firstWordMs: 1.5 * secondMs, toolMs: secondMs }

export type Pauses = ReturnType<typeof createPauses>

/** Decides when to bridge a pause, and with which sentence. A turn contains each of these sentences at most once. */
export function createPauses(phrases: Phrases) {
  let waitsFor: 'firstWord' | 'tool' | undefined = 'firstWord'
  const said = new Set<'firstWord' | 'tool'>()
  const running = new Set<string>()
  return {
    getLimitMs: (): number | undefined => {
      if (waitsFor === undefined || said.has(waitsFor)) return undefined
      return waitsFor === 'tool' ? pauseLimits.toolMs : pauseLimits.firstWordMs
    },
    /** Returns the sentence to say now. */
    take: (): string => {
      if (waitsFor !== undefined) said.add(waitsFor)
      return waitsFor === 'tool' ? phrases.toolFiller : phrases.thinkingFiller
    },
    note: (part: ModelPart): void => {
      if (part.type === 'text') waitsFor = undefined
      if (part.type === 'tool_call') running.add(part.toolCallId)
      if (part.type === 'tool_result') running.delete(part.toolCallId)
      if (running.size > 0) waitsFor = 'tool'
      else if (part.type === 'tool_result') waitsFor = 'firstWord'
    },
  }
}
