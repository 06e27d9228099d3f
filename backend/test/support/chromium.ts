import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { it } from '@jest/globals'
import { type Browser, chromium } from 'playwright-core'

const executableNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** A Chromium of this machine; undefined where there is none. */
export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const paths = folders.flatMap((folder) => executableNames.map((name) => join(folder, name)))
  return paths.find(isExecutable)
}

/** The sandbox cannot be had as root, as which containers run; the pages are our own. */
export const launchChromium = (executablePath: string): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })

/** A test that needs a real browser. Without one it is skipped by a name that says so; in CI it fails. */
export function itWithChromium(
  name: string,
  test: (executablePath: string) => Promise<void> | void,
  timeoutMs = 60_000,
): void {
  const executablePath = findChromium()
  if (executablePath === undefined && process.env.CI !== 'true') {
    it.skip(`${name} (SKIPPED: no Chromium on PATH)`, () => {})
    return
  }
  it(
    name,
    async () => {
      if (executablePath === undefined) throw new Error('CI must have Chromium on PATH')
      await test(executablePath)
    },
    timeoutMs,
  )
}

/** The same, with the browser started for it. */
export function itInChromium(
  name: string,
  test: (browser: Browser) => Promise<void>,
  timeoutMs = 60_000,
): void {
  const inBrowser = async (executablePath: string) => {
    const browser = await launchChromium(executablePath)
    try {
      await test(browser)
    } finally {
      await browser.close()
    }
  }
  itWithChromium(name, inBrowser, timeoutMs)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
