import { type Browser, createBrowser } from '../../support/browser.ts'
import { password, type Seeded } from './seed.ts'

/**
 * Signs in as the member of a seeded workspace. By default, removes the cookie that marks a browser as having just sent a form.
 * With this cookie, pages count all calls again.
 */
export async function signIn(
  origin: string,
  { email }: Seeded,
  { hasRecentChange = false } = {},
): Promise<Browser> {
  const browser = createBrowser()
  const { page } = await browser.open(`${origin}/sign-in`)
  await browser.press(page, 'Sign in', { email, password })
  if (hasRecentChange) return browser
  const cookies = browser.cookies().map((cookie) => cookie.split('=') as [string, string])
  return createBrowser(Object.fromEntries(cookies.filter(([name]) => name !== 'outdial_changed')))
}

/** Returns how many milliseconds a page takes to open. */
export async function measurePage(browser: Browser, address: string): Promise<number> {
  const startedAt = performance.now()
  const { page } = await browser.open(address)
  if (page.status !== 200) throw new Error(`${address} returned ${page.status}: ${page.text}`)
  return performance.now() - startedAt
}
