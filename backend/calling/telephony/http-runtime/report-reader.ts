import type { RuntimeReport } from '@outdial/contract'
import { LRUCache } from 'lru-cache'
import type { Deps } from '../../../deps.ts'
import { findReports } from './report-store.ts'

/** Reads what the runtime has reported about attempts. */
export interface ReportReader {
  /**
   * Returns the reports of an attempt once there's a new one, or after a short wait. Returns an empty list if `signal` aborts
   * meanwhile.
   */
  read(attemptId: string, signal: AbortSignal): Promise<readonly RuntimeReport[]>
  /** Ends the wait for an attempt, because a report about it has been saved. */
  notify(attemptId: string): void
}

/** A read that's waiting for reports. */
interface Read {
  signal: AbortSignal
  reports: PromiseWithResolvers<readonly RuntimeReport[]>
}

/** How many attempts with new reports are remembered until their next read. Most of them run in other processes. */
const maxRemembered = 1_000

/**
 * Creates a reader whose reads wait at most `intervalMs`. Reads that end at the same time share an SQL statement, and so do
 * reads for which a report arrived while the previous statement was running.
 */
export function createReportReader(deps: Pick<Deps, 'db' | 'clock'>, intervalMs: number): ReportReader {
  const waiting = new Map<string, Read>()
  /** The IDs of attempts with a waiting read about which a report has been saved. */
  const due = new Set<string>()
  /** The IDs of attempts without a waiting read about which a report has recently been saved. */
  const reported = new LRUCache<string, true>({ max: maxRemembered, ttl: intervalMs })
  let isPolling = false
  let isReadingDue = false

  const readTogether = async (ids: readonly string[]) => {
    const reads = new Map<string, Read>()
    for (const id of ids) {
      const read = waiting.get(id)
      if (read !== undefined) reads.set(id, read)
      waiting.delete(id)
      due.delete(id)
    }
    const open = [...reads].filter(([, { signal }]) => !signal.aborted).map(([id]) => id)
    try {
      const found = open.length === 0 ? new Map<string, RuntimeReport[]>() : await findReports(deps.db, open)
      for (const [id, { reports }] of reads) reports.resolve(found.get(id) ?? [])
    } catch (error) {
      for (const { reports } of reads.values()) reports.reject(error)
    }
  }

  const poll = async () => {
    if (isPolling) return
    isPolling = true
    await deps.clock.wait(intervalMs)
    isPolling = false
    await readTogether([...waiting.keys()])
  }

  const readSoon = async (attemptId: string) => {
    due.add(attemptId)
    if (isReadingDue) return
    isReadingDue = true
    while (due.size > 0) await readTogether([...due])
    isReadingDue = false
  }

  return {
    read: (attemptId, signal) => {
      const read = waiting.get(attemptId) ?? { signal, reports: Promise.withResolvers() }
      waiting.set(attemptId, { ...read, signal })
      void poll()
      if (reported.delete(attemptId)) void readSoon(attemptId)
      return read.reports.promise
    },
    notify: (attemptId) => {
      if (waiting.has(attemptId)) void readSoon(attemptId)
      else reported.set(attemptId, true)
    },
  }
}
