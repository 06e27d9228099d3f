import { chromium } from 'playwright-core'
import { findChromium } from '../../support/find-chromium.ts'

/**
 * Starts the browser that all tests of this run share; each test has its own browser context. Starting a browser for
 * every test took a tenth of a run's time. If this machine has no Chromium, tests that need it are skipped.
 */
export async function startChromium() {
  const executablePath = findChromium()
  if (executablePath === undefined) return undefined
  const server = await chromium.launchServer({
    executablePath,
    // Containers run as root, for which the sandbox isn't available. The pages are our own.
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  process.env.OUTDIAL_TEST_CHROMIUM = server.wsEndpoint()
  return server
}
