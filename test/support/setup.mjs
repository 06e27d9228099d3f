import { readFileSync, statfsSync } from 'node:fs'
import { shortTemporaryFolder } from '../../backend/db/embedded/private-folder.ts'
import { startChromium } from './start-chromium.mjs'
import { startDatabase } from './start-database.mjs'

/** Starts what all test files of a run share. */
export default async function setUp() {
  process.env.TMPDIR = hasMemoryFolder() ? memoryFolder : shortTemporaryFolder
  const [database, chromium] = await Promise.all([startDatabase(), startChromium()])
  globalThis.outdialTests = { ...database, chromium }
}

const memoryFolder = '/dev/shm'

/**
 * Whether Linux has a folder in memory with enough room, in which programs may run. A database is hundreds of files,
 * and every test file has its own: making and removing them on a disk takes a third of the run.
 */
function hasMemoryFolder() {
  if (process.platform !== 'linux') return false
  const isMounted = /^\S+ \/dev\/shm tmpfs (?!\S*noexec)/m.test(readFileSync('/proc/mounts', 'utf8'))
  if (!isMounted) return false
  const { bavail, bsize } = statfsSync(memoryFolder)
  return bavail * bsize > 2 * 1024 ** 3
}
