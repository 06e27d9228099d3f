import { createLoop, defaultStalledAfterMs, type Loop } from '../core/loop.ts'

/** Keeps the leases of one worker alive. */
export interface Leases {
  loops: readonly Loop[]
  /** Renews the lease of an attempt until `release`. `lost` aborts when the lease can no longer be relied on. */
  track(attempt: { id: string; leaseStartedMs: number }): { lost: AbortSignal; release(): void }
  stop(): void
}

export interface LeaseTimes {
  leaseMs: number
  heartbeatMs: number
}

/**
 * Renews all tracked leases in one statement every `heartbeatMs`. A lease that can't be renewed counts as lost when a
 * quarter of it is left, so this worker hangs up before another worker can take over.
 *
 * Leases run in real time, so this uses the process's monotonic clock, which tests and clock changes don't affect. The
 * timers are intervals instead of `startPeriodicJob`, because a slow renewal must not delay the next one.
 */
export function startLeaseRenewal(
  times: LeaseTimes,
  renew: (ids: string[]) => Promise<string[]>,
  onError: (error: unknown) => void,
): Leases {
  const { leaseMs, heartbeatMs } = times
  const tracked = new Map<string, { abandonAt: number; lostController: AbortController }>()
  const abandonAt = (leaseStartedMs: number) => leaseStartedMs + leaseMs * 0.75
  const round = createLoop('lease_renewal', defaultStalledAfterMs)
  let isRenewing = false

  const markLost = (id: string) => {
    tracked.get(id)?.lostController.abort()
    tracked.delete(id)
  }

  const renewAll = async () => {
    if (isRenewing) return
    round.comeRound()
    if (tracked.size === 0) return
    isRenewing = true
    const ids = [...tracked.keys()]
    const requestedAt = performance.now()
    try {
      const renewed = new Set(await renew(ids))
      for (const id of ids) {
        const lease = tracked.get(id)
        if (lease !== undefined && renewed.has(id)) lease.abandonAt = abandonAt(requestedAt)
        if (!renewed.has(id)) markLost(id)
      }
    } catch (error) {
      onError(error) // The next heartbeat tries again, until the lease is lost.
    } finally {
      isRenewing = false
    }
  }

  // Has a separate timer, because a renewal can hang.
  const dropExpired = () => {
    const now = performance.now()
    for (const [id, lease] of tracked) if (lease.abandonAt <= now) markLost(id)
  }

  const renewTimer = setInterval(() => void renewAll(), heartbeatMs)
  const expiryTimer = setInterval(dropExpired, Math.max(5, heartbeatMs / 10))

  return {
    loops: [round],
    track: ({ id, leaseStartedMs }) => {
      const lostController = new AbortController()
      tracked.set(id, { abandonAt: abandonAt(leaseStartedMs), lostController })
      // A process that was suspended after it claimed the attempt must not dial now.
      dropExpired()
      return { lost: lostController.signal, release: () => void tracked.delete(id) }
    },
    stop: () => {
      clearInterval(renewTimer)
      clearInterval(expiryTimer)
    },
  }
}
