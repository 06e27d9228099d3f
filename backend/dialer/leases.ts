/** Keeps the leases of one worker alive while it can. */
export interface Leases {
  /** Holds an attempt until `release`. `lost` aborts when the lease can no longer be relied on. */
  track(attempt: { id: string; leasedAt: number }): { lost: AbortSignal; release(): void }
  stop(): void
}

export interface LeaseTimes {
  leaseMs: number
  heartbeatMs: number
}

/**
 * Renews all held leases in one go, every `heartbeatMs`. What could not be renewed is given up while a quarter
 * of its lease is left, so that this worker has hung up before anyone else may act. Leases run by real time, so
 * it is measured by the process's monotonic clock, which no test and no clock change turns.
 */
export function startLeaseRenewal(
  times: LeaseTimes,
  renew: (ids: string[]) => Promise<string[]>,
  onError: (error: unknown) => void,
): Leases {
  const { leaseMs, heartbeatMs } = times
  const tracked = new Map<string, { abandonAt: number; lostController: AbortController }>()
  const abandonAt = (leasedAt: number) => leasedAt + leaseMs * 0.75
  let renewing = false

  const markLost = (id: string) => {
    tracked.get(id)?.lostController.abort()
    tracked.delete(id)
  }

  const renewAll = async () => {
    if (renewing || tracked.size === 0) return
    renewing = true
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
      onError(error) // tried again at the next beat, until the lease must be given up
    } finally {
      renewing = false
    }
  }

  // A renewal that hangs must not keep the watch from its round.
  const dropExpired = () => {
    const now = performance.now()
    for (const [id, lease] of tracked) if (lease.abandonAt <= now) markLost(id)
  }

  const renewTimer = setInterval(() => void renewAll(), heartbeatMs)
  const expiryTimer = setInterval(dropExpired, Math.max(5, heartbeatMs / 10))

  return {
    track: ({ id, leasedAt }) => {
      const lostController = new AbortController()
      tracked.set(id, { abandonAt: abandonAt(leasedAt), lostController })
      // A process that stood still since it claimed must not ring anybody now.
      dropExpired()
      return { lost: lostController.signal, release: () => void tracked.delete(id) }
    },
    stop: () => {
      clearInterval(renewTimer)
      clearInterval(expiryTimer)
    },
  }
}
