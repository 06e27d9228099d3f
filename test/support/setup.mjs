import { startChromium } from './start-chromium.mjs'
import { startDatabase } from './start-database.mjs'

/** Starts what all test files of a run share. */
export default async function setUp() {
  const [database, chromium] = await Promise.all([startDatabase(), startChromium()])
  globalThis.outdialTests = { ...database, chromium }
}
