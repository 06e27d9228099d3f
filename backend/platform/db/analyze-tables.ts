import { sql } from 'kysely'
import type { Deps } from '../../deps.ts'
import { secondMs } from '../core/durations.ts'
import { describeError } from '../core/errors.ts'
import { type PeriodicJob, startPeriodicJob } from '../core/periodic.ts'
import { connect, getConnectionOptions } from './connect.ts'
import type { Db } from './schema.ts'

/** Smaller tables aren't analyzed, because PostgreSQL can just as well read all of their rows. */
const minBytes = 64 * 1024
/** A table that has grown by this factor is analyzed again. */
const growth = 4
/** Larger tables that have grown are left to autovacuum: they've been in use for long enough that it has looked at them. */
const maxBytes = 64 * 1024 * 1024
/**
 * Maximum number of attempts per table. One attempt isn't enough, because rows that aren't committed yet don't count. After
 * the last attempt, autovacuum analyzes the table.
 */
const maxAttempts = 60

/**
 * Starts the job that analyzes each table after its first rows, and again while it grows fast. Autovacuum can take a minute
 * to do so. Until then, PostgreSQL plans as if the table were empty or small: an index of all contacts of a workspace seems
 * as good as one that finds a single contact, and reading all rows seems as good as an index. Prepared statements keep these
 * bad plans.
 */
export function startTableAnalysis(deps: Pick<Deps, 'db' | 'clock' | 'log'>): PeriodicJob {
  /** Counts the attempts of this process for each table. */
  const attempts = new Map<string, number>()
  return startPeriodicJob(deps.clock, {
    name: 'table_analysis',
    intervalMs: secondMs,
    work: async () => {
      const found = await findTablesToAnalyze(deps.db)
      const tables = found.filter((table) => (attempts.get(table) ?? 0) < maxAttempts)
      if (tables.length === 0) return
      tables.forEach((table) => attempts.set(table, (attempts.get(table) ?? 0) + 1))
      await analyze(deps.db, tables)
    },
    onError: (error) =>
      deps.log.warn({ error: describeError(error) }, 'failed to analyze a table that has grown'),
  })
}

/** Returns tables without statistics, and tables that have grown much since they were last analyzed. */
async function findTablesToAnalyze(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = current_schema::regnamespace and (
      reltuples <= 0 and pg_relation_size(oid) >= ${minBytes}
      or pg_relation_size(oid) between ${growth} * greatest(${minBytes}, relpages * current_setting('block_size')::bigint)
        and ${maxBytes}
    )`.execute(db)
  return rows.map(({ name }) => name)
}

/**
 * Analyzes tables as their owner, because the service's role isn't allowed to. Skips tables that another process analyzes.
 */
async function analyze(db: Db, tables: readonly string[]): Promise<void> {
  const { url } = getConnectionOptions(db)
  const owner = connect({ url, max: 1 })
  try {
    await sql`analyze (skip_locked) ${sql.join(tables.map((table) => sql.id(table)))}`.execute(owner)
  } finally {
    await owner.destroy()
  }
}
