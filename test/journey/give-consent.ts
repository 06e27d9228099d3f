import type { Page } from 'playwright-core'
import { launchChromium } from '../../backend/test/support/chromium.ts'
import { signInAndConsent } from '../../support/browser.ts'

export interface Authorization {
  startUrl: string
  /** Where the app waits for the answer. */
  redirectUri: string
  email: string
  password: string
  workspaceName: string
}

/** Goes from an app's authorization request through our pages back to the app, and tells the status it answered. */
export type Person = (authorization: Authorization) => Promise<number>

/** On a machine without a browser: the same pages, fetched. */
export const withoutScreen: Person = async (authorization) =>
  (await fetch(await signInAndConsent(authorization))).status

/** In Chromium, with keys and mouse alone. Adds what the page in front of the person is called, one after another. */
export const byHand =
  (executablePath: string, seen: string[]): Person =>
  async (authorization) => {
    const browser = await launchChromium(executablePath)
    try {
      return await goThrough(await browser.newPage(), authorization, seen)
    } finally {
      await browser.close()
    }
  }

async function goThrough(page: Page, authorization: Authorization, seen: string[]): Promise<number> {
  const { startUrl, redirectUri, email, password, workspaceName } = authorization
  const look = async () => void seen.push(await page.getByRole('heading', { level: 1 }).innerText())

  await page.goto(startUrl)
  await page.getByLabel('E-mail address').and(page.locator(':focus')).waitFor()
  await look()
  await page.keyboard.type(email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')

  await page.getByRole('radio', { name: workspaceName }).click()
  await look()
  const answered = page.waitForResponse(
    (response) => isAt(redirectUri, response.url()) && response.request().isNavigationRequest(),
  )
  await page.getByRole('button', { name: 'Allow' }).click()
  return (await answered).status()
}

const isAt = (address: string, url: string) => new URL(url).origin === new URL(address).origin
