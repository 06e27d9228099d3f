import { sql } from 'kysely'
import { type Clock, systemClock } from '../core/clock.ts'
import { secondMs } from '../core/durations.ts'
import { type PeriodicJob, startPeriodicJob } from '../core/periodic.ts'
import type { Db } from './schema.ts'

/** A clock that shows the database's time, so that all processes agree on what is due, whatever their own clocks show. */
interface DatabaseClock extends Clock {
  /** Compares the clock with the database's once, and corrects it. */
  synchronize(): Promise<void>
  /** Synchronizes every few seconds until it's stopped. */
  keepSynchronized(onError: (error: unknown) => void): PeriodicJob
}

const intervalMs = 5 * secondMs

/**
 * Creates a clock that uses the process's monotonic clock between two measurements, so a jump of the system's clock has no
 * effect. Until the first measurement, it shows the system's time.
 *
 * @param monotonicMs milliseconds since any fixed moment
 */
export function createDatabaseClock(db: Db, monotonicMs = () => performance.now()): DatabaseClock {
  /** The database's time when `monotonicMs` was 0. */
  let originMs: number | undefined

  const synchronize = async () => {
    const sentAt = monotonicMs()
    const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
    const receivedAt = monotonicMs()
    const time = rows[0]?.now.getTime()
    if (time === undefined) return
    // The server read its clock between sending and receiving, so the origin is between `earliest` and `latest`. An
    // estimate that's already in this range is as good as any other, so it isn't changed.
    const earliest = time - receivedAt
    const latest = time - sentAt
    const isPossible = originMs !== undefined && originMs >= earliest && originMs <= latest
    if (!isPossible) originMs = (earliest + latest) / 2
  }

  return {
    now: () => (originMs === undefined ? systemClock.now() : new Date(originMs + monotonicMs())),
    wait: (ms, signal) => systemClock.wait(ms, signal),
    synchronize,
    keepSynchronized: (onError) =>
      startPeriodicJob(systemClock, {
        name: 'database clock',
        intervalMs,
        firstAfterMs: intervalMs,
        work: synchronize,
        onError,
      }),
  }
}
