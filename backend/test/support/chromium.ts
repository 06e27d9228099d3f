import { it } from '@jest/globals'
import { type Browser, chromium } from 'playwright-core'

/** The URL of the Chromium that this test run uses; undefined on a machine without one (`test/support/start-chromium.mjs`). */
export const chromiumUrl: string | undefined = process.env.OUTDIAL_TEST_CHROMIUM

/** Gives `use` the test run's Chromium, and closes the pages that `use` opens. */
export async function withChromium<Result>(use: (browser: Browser) => Promise<Result>): Promise<Result> {
  if (chromiumUrl === undefined) throw new Error('CI must have Chromium on PATH')
  const browser = await chromium.connect(chromiumUrl)
  try {
    return await use(browser)
  } finally {
    await browser.close()
  }
}

/** Registers a test that needs a real browser. Without a browser, it's skipped, and its name says so. In CI, it fails. */
export function itInChromium(
  name: string,
  test: (browser: Browser) => Promise<void>,
  timeoutMs = 180_000,
): void {
  if (chromiumUrl === undefined && process.env.CI !== 'true') {
    it.skip(`${name} (SKIPPED: no Chromium on PATH)`, () => {})
    return
  }
  it(name, () => withChromium(test), timeoutMs)
}
