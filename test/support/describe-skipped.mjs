import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const isInstalled = (program) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0

/**
 * Returns one line for each kind of test that this machine can't run, with what the tests need. `SkippedReporter` lists the
 * tests' names at the end.
 *
 * @param found the programs that this run has found: `chromium` and `redis` are undefined if there are none
 */
export function describeSkipped({ chromium, redis }) {
  const missing = [
    chromium === undefined && 'Tests of pages in a browser: install Chromium, so that it is on PATH.',
    redis === undefined &&
      'Tests of several processes: start Redis at 127.0.0.1:6379, or set OUTDIAL_TEST_REDIS to a URL.',
    !isInstalled('redis-server') && 'Tests of Redis outages: install redis-server.',
    !process.env.DATABASE_URL &&
      'Tests of PgBouncer and of dumps: set DATABASE_URL to a PostgreSQL server in which databases can be created.',
    !isInstalled('pg_dump') && 'Tests of dumps: install the PostgreSQL client.',
    !isInstalled('pgbouncer') && 'Tests of PgBouncer: install pgbouncer.',
    !existsSync(fileURLToPath(new URL('../../conformance/node_modules', import.meta.url))) &&
      'The official tests of MCP servers: run npm ci --prefix conformance.',
  ]
  return missing.filter((line) => line !== false)
}
