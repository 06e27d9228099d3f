import { chromium } from 'playwright-core'
import { findChromium } from '../../support/find-chromium.ts'

/**
 * Starts the browser that all tests of this run share. Each test has a separate browser context. Starting a browser for every
 * test took a tenth of a run's time. If this machine has no Chromium, tests that need it are skipped.
 */
export async function startChromium() {
  const executablePath = findChromium()
  if (executablePath === undefined) return undefined
  const server = await chromium.launchServer({
    executablePath,
    // In containers, Chromium runs as root, for which its sandbox doesn't work. The tests open only Outdial's own pages.
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  process.env.OUTDIAL_TEST_CHROMIUM = server.wsEndpoint()
  return server
}
