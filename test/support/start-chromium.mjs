import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import { chromium } from 'playwright-core'

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

function findChromium() {
  // The headless shell manages no windows, so tests of pages take a third less time.
  const names = [
    'chromium-headless-shell',
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
  ]
  const folders = (process.env.PATH ?? '').split(path.delimiter)
  return folders.flatMap((folder) => names.map((name) => path.join(folder, name))).find(isExecutable)
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
