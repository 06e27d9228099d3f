import { describe, expect, it } from '@jest/globals'
import { sql } from 'kysely'
import { createDatabaseClock } from '../../platform/db/database-clock.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()

const hourMs = 3_600_000

const readDatabaseTime = async (): Promise<number> => {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(database.db)
  return rows[0]?.now.getTime() ?? 0
}

describe("a clock that follows the database's time", () => {
  it("shows the database's time, and corrects itself after the process's own clocks have jumped", async () => {
    let jumpMs = 0
    const clock = createDatabaseClock(database.db, () => performance.now() + jumpMs)
    for (jumpMs of [0, 240 * hourMs, -hourMs]) {
      const before = await readDatabaseTime()
      const startedAt = performance.now()
      await clock.synchronize()
      // The clock can be ahead by at most the time that the measurement took. The database returns whole milliseconds.
      const aheadMs = performance.now() - startedAt
      const synchronizedMs = clock.now().getTime()
      const after = await readDatabaseTime()
      expect(synchronizedMs).toBeGreaterThanOrEqual(before - 1)
      expect(synchronizedMs).toBeLessThanOrEqual(after + aheadMs + 1)
    }
  })

  it('keeps running between two measurements without asking the database', async () => {
    let monotonicMs = 0
    const clock = createDatabaseClock(database.db, () => monotonicMs)
    await clock.synchronize()
    const start = clock.now().getTime()
    monotonicMs = 90_000
    expect(clock.now().getTime() - start).toBe(90_000)
  })
})
