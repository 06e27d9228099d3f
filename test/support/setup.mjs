import { readFileSync, statfsSync } from 'node:fs'
import { shortTemporaryFolder } from '../../backend/platform/db/embedded/private-folder.ts'
import { describeSkipped } from './describe-skipped.mjs'
import { findRedis } from './find-redis.mjs'
import { startChromium } from './start-chromium.mjs'
import { startDatabase } from './start-database.mjs'

/** Starts the servers that all test files of a run share. */
export default async function setUp() {
  process.env.TMPDIR = hasMemoryFolder() ? memoryFolder : shortTemporaryFolder
  const [database, chromium, redis] = await Promise.all([startDatabase(), startChromium(), findRedis()])
  process.env.OUTDIAL_TEST_REDIS = redis ?? ''
  const skipped = describeSkipped({ chromium, redis })
  if (skipped.length > 0)
    console.error(`\nSkipped on this machine:\n${skipped.map((line) => `  ${line}`).join('\n')}\n`)
  globalThis.outdialTests = { ...database, chromium }
}

const memoryFolder = '/dev/shm'

/**
 * Returns true if Linux has an in-memory folder with enough free space, from which programs can be run. Every test file has a
 * separate database of hundreds of files. On a disk, creating and removing them takes a third of a run's time.
 */
function hasMemoryFolder() {
  if (process.platform !== 'linux') return false
  const isMounted = /^\S+ \/dev\/shm tmpfs (?!\S*noexec)/m.test(readFileSync('/proc/mounts', 'utf8'))
  if (!isMounted) return false
  const { bavail, bsize } = statfsSync(memoryFolder)
  return bavail * bsize > 2 * 1024 ** 3
}
