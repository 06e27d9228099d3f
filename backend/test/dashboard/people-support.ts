import { createBrowser, type Browser, type Page } from '../../../support/browser.ts'
import { createUser } from '../../identity/create-user.ts'
import { password, type Service } from '../support/dashboard.ts'

let strangerCount = 0

/** Somebody with an account and no workspace, signed in. */
export async function seedUserWithoutWorkspace(
  service: Service,
): Promise<{ browser: Browser; userId: number; email: string }> {
  strangerCount += 1
  const email = `stranger${strangerCount}@example.com`
  const { id: userId } = await createUser(service.deps)({ email, name: 'Sam', password })
  const { browser } = await signIn(service, email)
  return { browser, userId, email }
}

/** A new browser in which somebody tries to sign in. */
export async function signIn(
  service: Service,
  email: string,
  typedPassword = password,
): Promise<{ browser: Browser; page: Page }> {
  const browser = createBrowser()
  const { page: form } = await browser.open(`${service.url}/sign-in`)
  const { page } = await browser.press(form, 'Sign in', { email, password: typedPassword })
  return { browser, page }
}

/** The link that a page shows one time. */
export function getLink(page: Page): string {
  const link = /<pre id="link">([^<]+)<\/pre>/.exec(page.html)?.[1]
  if (link === undefined) throw new Error(`no link on this page: ${page.text}`)
  return link
}
