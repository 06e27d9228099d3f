interface Waiting {
  start: () => void
  timer: NodeJS.Timeout
}

interface HostState {
  /** Attempts in progress. */
  running: number
  waiting: Waiting[]
}

/** Limits the simultaneous attempts to each host. */
export interface HostSlots {
  /**
   * Does `work` in one of the host's slots. Returns undefined without doing it if no slot becomes free in time, which
   * means that the host has become slow.
   */
  run<Result>(host: string, work: () => Promise<Result>): Promise<Result | undefined>
}

/** Creates slots. Work of a host waits for a free one in the order of its arrival, up to `maxWaitMs`. */
export function createHostSlots({ perHost, maxWaitMs }: { perHost: number; maxWaitMs: number }): HostSlots {
  const hosts = new Map<string, HostState>()

  const acquire = (host: string): Promise<boolean> => {
    const state = hosts.get(host) ?? { running: 0, waiting: [] }
    hosts.set(host, state)
    if (state.running < perHost) {
      state.running += 1
      return Promise.resolve(true)
    }
    return new Promise((resolve) => {
      const giveUp = () => {
        state.waiting.splice(state.waiting.indexOf(entry), 1)
        resolve(false)
      }
      const entry = { start: () => resolve(true), timer: setTimeout(giveUp, maxWaitMs) }
      state.waiting.push(entry)
    })
  }

  /** Passes the slot to the work that has waited longest. */
  const release = (host: string) => {
    const state = hosts.get(host)
    const next = state?.waiting.shift()
    if (next !== undefined) {
      clearTimeout(next.timer)
      next.start()
      return
    }
    if (state === undefined) return
    state.running -= 1
    if (state.running === 0) hosts.delete(host)
  }

  return {
    run: async (host, work) => {
      if (!(await acquire(host))) return undefined
      try {
        return await work()
      } finally {
        release(host)
      }
    },
  }
}
