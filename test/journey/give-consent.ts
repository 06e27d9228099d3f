import type { Page } from 'playwright-core'
import { withChromium } from '../../backend/test/support/chromium.ts'
import { signInAndConsent } from '../../support/browser.ts'

interface Authorization {
  startUrl: string
  /** The URL to which the service redirects the browser after consent. The app waits there. */
  redirectUri: string
  email: string
  password: string
  workspaceName: string
}

/** Goes from an app's authorization request through Outdial's pages to the app. Returns the app's status code. */
export type GiveConsent = (authorization: Authorization) => Promise<number>

/** Goes through the pages with `fetch`, for machines without a browser. */
export const consentByFetch: GiveConsent = async (authorization) =>
  (await fetch(await signInAndConsent(authorization))).status

/** Goes through the pages in Chromium with the keyboard and mouse. Adds the heading of each page to `headings`. */
export const consentInChromium =
  (headings: string[]): GiveConsent =>
  (authorization) =>
    withChromium(async (browser) => completeConsent(await browser.newPage(), authorization, headings))

async function completeConsent(
  page: Page,
  authorization: Authorization,
  headings: string[],
): Promise<number> {
  const { startUrl, redirectUri, email, password, workspaceName } = authorization
  const recordHeading = async () =>
    void headings.push(await page.getByRole('heading', { level: 1 }).innerText())

  await page.goto(startUrl)
  await page.getByLabel('Email').and(page.locator(':focus')).waitFor()
  await recordHeading()
  await page.keyboard.type(email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')

  await page.getByRole('radio', { name: workspaceName }).click()
  await recordHeading()
  const redirected = page.waitForResponse(
    (response) => hasSameOrigin(redirectUri, response.url()) && response.request().isNavigationRequest(),
  )
  await page.getByRole('button', { name: 'Allow' }).click()
  return (await redirected).status()
}

const hasSameOrigin = (address: string, url: string) => new URL(url).origin === new URL(address).origin
