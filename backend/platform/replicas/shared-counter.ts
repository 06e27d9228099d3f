import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { createWindowCounter, type Window, type WindowCounter } from '../core/window-counter.ts'

type CounterDeps = Pick<Deps, 'clock' | 'replicas'>

/** Counts events by key in fixed windows, for all processes together. */
interface SharedCounter {
  name: string
  windowMs: number
  /** Counts the events of this process. Used while Redis isn't available. */
  local: WindowCounter
  /** Counts an event of `key`. */
  add(key: string): Promise<Window>
  /** Takes back one event of `key`. */
  subtract(key: string): Promise<void>
  /** Resets the count of `key`. */
  clear(key: string): Promise<void>
}

/**
 * Creates a counter. Each process also counts by itself, so that limits still apply while Redis isn't available, and for a
 * process without REDIS_URL. A key's first event starts its window.
 *
 * @param options.name the counter's name in Redis
 */
export function createSharedCounter(
  deps: CounterDeps,
  { name, windowMs }: { name: string; windowMs: number },
): SharedCounter {
  const { replicas } = deps
  const local = createWindowCounter(deps.clock, { windowMs })
  const run = async (script: string, key: string) => {
    await replicas.runScript(script, [replicas.toRedisKey(name, key)])
  }
  const counter: SharedCounter = {
    ...{ name, windowMs, local },
    add: async (key) => {
      const [window] = await countInOrder(deps, [{ counter, key, max: Number.MAX_SAFE_INTEGER }])
      if (window === undefined) throw new Error('invariant: an event has no window')
      return window
    },
    subtract: (key) => {
      local.subtract(key)
      return run(subtractScript, key)
    },
    clear: (key) => {
      local.clear(key)
      return run(clearScript, key)
    },
  }
  return counter
}

/**
 * A key under which an event is counted. If the count exceeds `max`, the event isn't counted in the steps after this
 * one.
 */
interface CountStep {
  counter: SharedCounter
  key: string
  max: number
}

/** Counts an event with several counters in one round trip. Returns the windows that it was counted in. */
export async function countInOrder(deps: CounterDeps, steps: readonly CountStep[]): Promise<Window[]> {
  const localWindows = countLocally(steps)
  const reply = await deps.replicas.runScript(
    countScript,
    steps.map(({ counter, key }) => deps.replicas.toRedisKey(counter.name, key)),
    steps.flatMap(({ counter, max }) => [String(counter.windowMs), String(max)]),
  )
  if (reply === undefined) return localWindows
  const now = deps.clock.now().getTime()
  return Counts.parse(reply).map(([count, remainingMs]) => ({ count, endsAt: now + remainingMs }))
}

function countLocally(steps: readonly CountStep[]): Window[] {
  const windows: Window[] = []
  for (const { counter, key, max } of steps) {
    const window = counter.local.add(key)
    windows.push({ ...window })
    if (window.count > max) break
  }
  return windows
}

const Counts = z.array(z.tuple([z.int(), z.int()]))

// Redis runs a script without interruption. Only the first event of a window sets when the key expires.
const countScript = `
local windows = {}
for index, key in ipairs(KEYS) do
  local count = redis.call('INCR', key)
  if count == 1 then redis.call('PEXPIRE', key, ARGV[2 * index - 1]) end
  windows[index] = {count, redis.call('PTTL', key)}
  if count > tonumber(ARGV[2 * index]) then break end
end
return windows`

// This script never creates a key, because such a key would never expire.
const subtractScript = `
if tonumber(redis.call('GET', KEYS[1]) or '0') > 0 then redis.call('DECR', KEYS[1]) end`

const clearScript = `redis.call('DEL', KEYS[1])`
