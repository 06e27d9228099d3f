interface Waiting {
  lane: string
  start: () => void
  timer: NodeJS.Timeout
}

interface HostState {
  /** The number of attempts in progress. */
  running: number
  /** The number of attempts in progress by lane. Lanes without an attempt in progress are left out. */
  runningByLane: Map<string, number>
  /** Attempts that wait for a slot, in the order of arrival. */
  waiting: Waiting[]
}

/** Limits the simultaneous attempts to each host, and divides them among the host's lanes. */
export interface HostSlots {
  /**
   * Does `work` in one of the host's slots. Returns undefined without doing it if the lane doesn't get a slot in time,
   * which means that the host has become slow.
   */
  run<Result>(host: string, lane: string, work: () => Promise<Result>): Promise<Result | undefined>
}

/**
 * Creates slots. Work waits up to `maxWaitMs` for a slot. When a slot becomes free, the waiting lane that uses the fewest slots
 * gets it.
 *
 * A lane gets another slot only while more slots are free than it uses. A slot can't be taken back from a slow receiver, so
 * some stay free for lanes that need one later. A single lane gets half of the slots. If n lanes want as many as possible, each
 * gets 1 / (n + 1) of the slots. Network switches divide their buffers by this rule, which is known as "dynamic thresholds".
 */
export function createHostSlots({ perHost, maxWaitMs }: { perHost: number; maxWaitMs: number }): HostSlots {
  const hosts = new Map<string, HostState>()

  const mayStart = ({ running, runningByLane }: HostState, lane: string): boolean =>
    (runningByLane.get(lane) ?? 0) < perHost - running

  const take = (state: HostState, lane: string) => {
    state.running += 1
    state.runningByLane.set(lane, (state.runningByLane.get(lane) ?? 0) + 1)
  }

  const acquire = (host: string, lane: string): Promise<boolean> => {
    const state: HostState = hosts.get(host) ?? { running: 0, runningByLane: new Map(), waiting: [] }
    hosts.set(host, state)
    // Starting now doesn't overtake waiting work that could start: all waiting work is from lanes that use too many slots.
    if (mayStart(state, lane)) {
      take(state, lane)
      return Promise.resolve(true)
    }
    return new Promise((resolve) => {
      const giveUp = () => {
        state.waiting.splice(state.waiting.indexOf(entry), 1)
        resolve(false)
      }
      const entry = { lane, start: () => resolve(true), timer: setTimeout(giveUp, maxWaitMs) }
      state.waiting.push(entry)
    })
  }

  const startWaiting = (state: HostState) => {
    for (;;) {
      const next = findNext(state)
      if (next === undefined || !mayStart(state, next.lane)) return
      state.waiting.splice(state.waiting.indexOf(next), 1)
      clearTimeout(next.timer)
      take(state, next.lane)
      next.start()
    }
  }

  const release = (host: string, lane: string) => {
    const state = hosts.get(host)
    if (state === undefined) return
    state.running -= 1
    const remaining = (state.runningByLane.get(lane) ?? 0) - 1
    if (remaining > 0) state.runningByLane.set(lane, remaining)
    else state.runningByLane.delete(lane)
    startWaiting(state)
    if (state.running === 0) hosts.delete(host)
  }

  return {
    run: async (host, lane, work) => {
      if (!(await acquire(host, lane))) return undefined
      try {
        return await work()
      } finally {
        release(host, lane)
      }
    },
  }
}

/** Returns the work that has waited longest, of the lanes that use the fewest slots. */
function findNext({ waiting, runningByLane }: HostState): Waiting | undefined {
  let next: Waiting | undefined
  let fewest = Infinity
  for (const each of waiting) {
    const running = runningByLane.get(each.lane) ?? 0
    if (running >= fewest) continue
    next = each
    fewest = running
  }
  return next
}
