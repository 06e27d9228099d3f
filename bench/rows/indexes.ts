import { sql } from 'kysely'
import type { Db } from '../../backend/platform/db/schema.ts'
import { type Row, takeTurns } from '../row.ts'
import { addBusyContacts, addCampaigns, insertCalls } from '../seeds/calls.ts'
import { analyze } from '../world.ts'

const walRounds = 3

export const indexes: Row = {
  name: 'indexes',
  run: async ({ openWorld, scale }) => {
    const world = await openWorld()
    const { owner } = world
    const campaigns = await addCampaigns(world, { count: 10, status: 'paused', maxConcurrentCalls: 1 })
    const count = Math.max(200, Math.round(10_000 * scale.factor))
    const afterContactId = await addBusyContacts(world, count)
    await analyze(world)
    const makeCalls = async (db: Db) => {
      await insertCalls(db, campaigns, { afterContactId, delaySeconds: 0 })
      await completeCalls(db)
    }
    const names = (await measureIndexes(owner)).map(({ name }) => name)
    const sizes = await measureGrowth(owner, makeCalls)
    const measure = (dropped: readonly string[]) => measureWithout(owner, dropped, makeCalls)
    const callsPerSecond = (dropped: readonly string[]) => async () =>
      count / (await measure(dropped)).seconds
    const rounds = await takeTurns(scale.rounds, callsPerSecond([]), callsPerSecond(names))

    // Takes the lowest of several measurements: after a checkpoint, the write-ahead log also gets a copy of each changed page.
    const measureWalWithout = async (dropped: readonly string[]) => {
      const all: number[] = []
      for (let round = 0; round < walRounds; round += 1) all.push((await measure(dropped)).walBytes)
      return Math.min(...all)
    }
    const walBytes = await measureWalWithout([])
    const costs: Cost[] = []
    for (const name of names)
      costs.push({
        name,
        walShare: 1 - (await measureWalWithout([name])) / walBytes,
        bytesPerCall: (sizes.get(name) ?? 0) / count,
      })
    return [
      {
        label: 'Indexes of calls',
        what: `${count.toLocaleString('en-US')} calls queued, dialed, and completed by three statements, with ${names.length} indexes`,
        against: 'the same with only the primary key',
        unit: 'calls/s',
        rounds,
        notes: formatCosts(costs),
      },
    ]
  },
}

/** The cost of an index. Its time isn't measured, because it's smaller than the variation between two runs. */
interface Cost {
  name: string
  /** The index's share of the write-ahead log. */
  walShare: number
  bytesPerCall: number
}

function formatCosts(costs: readonly Cost[]): string {
  const parts = costs
    .toSorted((one, other) => other.walShare - one.walShare)
    .map(
      ({ name, walShare, bytesPerCall }) =>
        `\`${name}\` ${Math.max(0, 100 * walShare).toFixed(1)}%, ${bytesPerCall.toFixed(0)} MB`,
    )
  return `each index's share of the write-ahead log, and its size after a million such calls: ${parts.join('; ')}`
}

/** Changes the calls as the dialer does. Each change adds an entry to every index that contains the call. */
async function completeCalls(db: Db): Promise<void> {
  await sql`
    update call set status = 'dialing', attempts = 1, next_attempt_at = null where status = 'queued'`.execute(
    db,
  )
  await sql`
    update call set status = 'completed', outcome = 'busy', ended_reason = 'line_busy', ended_at = now()
    where status = 'dialing'`.execute(db)
}

/** Returns how long `work` takes without these indexes, and how much it adds to the write-ahead log. */
async function measureWithout(
  owner: Db,
  dropped: readonly string[],
  work: (db: Db) => Promise<void>,
): Promise<{ seconds: number; walBytes: number }> {
  const measured = await rollBackAfter(owner, async (db) => {
    for (const name of dropped) await sql`drop index ${sql.ref(name)}`.execute(db)
    const walBefore = await measureWal(db)
    const startedAt = performance.now()
    await work(db)
    const seconds = (performance.now() - startedAt) / 1_000
    return { seconds, walBytes: (await measureWal(db)) - walBefore }
  })
  await sql`vacuum call`.execute(owner) // removes the rows that were rolled back
  return measured
}

async function measureWal(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select (pg_current_wal_insert_lsn() - '0/0')::float8 as bytes`.execute(db)
  return rows[0]?.bytes ?? NaN
}

/** Returns how many bytes `work` adds to each index. */
async function measureGrowth(owner: Db, work: (db: Db) => Promise<void>): Promise<Map<string, number>> {
  return rollBackAfter(owner, async (db) => {
    const before = new Map((await measureIndexes(db)).map(({ name, bytes }) => [name, bytes]))
    await work(db)
    const after = await measureIndexes(db)
    return new Map(after.map(({ name, bytes }) => [name, bytes - (before.get(name) ?? 0)]))
  })
}

/** Runs `work` in a transaction, and rolls it back. */
async function rollBackAfter<Result>(owner: Db, work: (db: Db) => Promise<Result>): Promise<Result> {
  return owner.connection().execute(async (db) => {
    await sql`begin`.execute(db)
    try {
      return await work(db)
    } finally {
      await sql`rollback`.execute(db)
    }
  })
}

/** Returns the indexes of `call` and their sizes. Leaves out the primary key, because foreign keys need it. */
async function measureIndexes(db: Db): Promise<{ name: string; bytes: number }[]> {
  const { rows } = await sql<{ name: string; bytes: number }>`
    select relname as name, pg_relation_size(indexrelid)::float8 as bytes
    from pg_index join pg_class on pg_class.oid = indexrelid
    where indrelid = 'call'::regclass and not exists (select from pg_constraint where conindid = indexrelid)
    order by relname`.execute(db)
  return rows
}
