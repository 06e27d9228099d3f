import { secondMs } from '../core/durations.ts'
import { maxShare } from '../core/in-progress.ts'
import { ConnectionLimitError } from './outage.ts'

/** How long a transaction waits for a place in its workspace's share, and then again for a connection from the pool. */
export const connectTimeoutMs = 5 * secondMs

/** The connections that one workspace uses. */
interface Share {
  used: number
  /**
   * Functions that let waiting transactions of the workspace continue. The first one belongs to the transaction that has
   * waited the longest.
   */
  waiting: Set<() => void>
}

/** Limits how many connections of a pool each workspace uses. */
export interface ConnectionShares {
  /**
   * Waits until the workspace may use another connection. Returns a function to call when the connection is no longer used.
   *
   * @throws {ConnectionLimitError} after 5 seconds
   */
  take(workspaceId: number): Promise<() => void>
  /** Counts the transactions that wait. */
  countWaiting(): number
}

/**
 * Creates the shares of a pool. A workspace can't use the whole pool: even if many of its transactions wait for a lock, some
 * connections remain for other workspaces.
 */
export function createConnectionShares(poolSize: number): ConnectionShares {
  /** Maps the ID of a workspace that uses connections to its share. */
  const shares = new Map<number, Share>()
  const max = maxShare(poolSize)

  /**
   * Hands a connection over to the transaction that has waited the longest. If none waits, the workspace uses one fewer
   * connection.
   */
  const release = (workspaceId: number, share: Share) => {
    const [next] = share.waiting
    if (next !== undefined) {
      share.waiting.delete(next)
      next()
      return
    }
    share.used -= 1
    if (share.used === 0) shares.delete(workspaceId)
  }

  return {
    take: async (workspaceId) => {
      const share = shares.get(workspaceId) ?? { used: 0, waiting: new Set() }
      shares.set(workspaceId, share)
      if (share.used < max) share.used += 1
      else await waitForRelease(share)
      return () => release(workspaceId, share)
    },
    countWaiting: () => [...shares.values()].reduce((total, { waiting }) => total + waiting.size, 0),
  }
}

/** Waits until another transaction of the workspace hands its connection over. */
const waitForRelease = (share: Share): Promise<void> =>
  new Promise((resolve, reject) => {
    const start = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      share.waiting.delete(start)
      reject(new ConnectionLimitError())
    }, connectTimeoutMs)
    share.waiting.add(start)
  })
