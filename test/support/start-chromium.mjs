import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import { chromium } from 'playwright-core'

/**
 * Starts the browser of this run, which tests share: each has a context of its own in it. Starting one for every test
 * took a tenth of the run. Without a Chromium on this machine, tests that need one are skipped.
 */
export async function startChromium() {
  const executablePath = findChromium()
  if (executablePath === undefined) return undefined
  const server = await chromium.launchServer({
    executablePath,
    // The sandbox isn't available to root, as which containers run; the pages are our own.
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  process.env.OUTDIAL_TEST_CHROMIUM = server.wsEndpoint()
  return server
}

function findChromium() {
  // The headless shell has no windows to manage: tests of pages take a third less time with it.
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
