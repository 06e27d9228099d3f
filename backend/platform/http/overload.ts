import type { Deps } from '../../deps.ts'
import { secondMs } from '../core/durations.ts'

/**
 * The kinds of overload: too many requests that are being handled, or too many request bodies that are still arriving.
 */
export const overloads = ['requests', 'bodies'] as const
type OverloadName = (typeof overloads)[number]

/** Remembers which limits of the whole process have rejected requests. */
export interface OverloadState {
  /** Records that a request was rejected. */
  add(name: OverloadName): void
  /** Returns the limits that have rejected a request within the last ten seconds. */
  current(): OverloadName[]
}

const shownForMs = 10 * secondMs

export function createOverloadState(clock: Deps['clock']): OverloadState {
  const rejectedAt = new Map<OverloadName, number>()
  const now = () => clock.now().getTime()
  return {
    add: (name) => void rejectedAt.set(name, now()),
    current: () => overloads.filter((name) => now() - (rejectedAt.get(name) ?? -Infinity) < shownForMs),
  }
}
