import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, expect } from '@jest/globals'
import type { Page } from 'playwright-core'
import { createOauthClient } from '../../accounts/oauth/create-oauth-client.ts'
import { itInChromium } from '../support/chromium.ts'
import { password } from '../support/factories.ts'
import { newFlow, seedApp, seedUserWithWorkspaces, type TestApp, type TestUser } from '../support/oauth.ts'
import { useServiceWorld } from '../support/service.ts'

const world = useServiceWorld()
let robin: TestUser
let app: TestApp
let otherServer: Server
let callback: string
beforeAll(async () => {
  robin = await seedUserWithWorkspaces(world.service.deps, 'Acme', 'Globex')
  otherServer = createServer((_request, response) => response.end('connected'))
  await new Promise<void>((resolve) => otherServer.listen(0, '127.0.0.1', resolve))
  const address = otherServer.address()
  callback = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/callback`
  const { clientId } = await createOauthClient(world.service.deps, {
    name: 'Zapier',
    redirect_uris: [callback],
    confidential: true,
  })
  app = { ...(await seedApp(world.service, 'confidential')), clientId }
})
afterAll(async () => {
  otherServer.closeAllConnections()
  await new Promise((resolve) => otherServer.close(resolve))
})

const start = async () => (await newFlow(app, { redirect_uri: callback })).startUrl

/** Signs in with only the keyboard: the email field has the focus, Tab moves to the next field, and Enter submits. */
async function signIn(page: Page): Promise<void> {
  await page.locator('#email:focus').waitFor()
  await page.keyboard.type(robin.email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Connect Zapier' }).waitFor()
}

itInChromium(
  'lets a user sign in, allow access, and return to the app on another origin, all with the keyboard',
  async (browser) => {
    const page = await browser.newPage()
    await page.goto(await start())
    await signIn(page)
    await page.getByRole('radio', { name: 'Acme' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.href.startsWith(callback))
    expect(new URL(page.url()).searchParams.get('code')).not.toBeNull()
  },
)

itInChromium(
  'lets a popup that an app opened for an authorization still use window.opener after returning to the app',
  async (browser) => {
    const page = await browser.newPage()
    await page.goto(new URL('/', callback).href)
    const opened = page.waitForEvent('popup')
    await page.evaluate(`void window.open(${JSON.stringify(await start())})`)
    const popup = await opened
    await signIn(popup)
    await popup.getByRole('radio', { name: 'Globex' }).check()
    await popup.getByRole('button', { name: 'Allow' }).click()
    await popup.waitForURL((url) => url.href.startsWith(callback))
    expect(await popup.evaluate('window.opener.location.href')).toBe(new URL('/', callback).href)
  },
)

itInChromium('when the user chooses Cancel, returns to the app with error=access_denied', async (browser) => {
  const page = await browser.newPage()
  await page.goto(await start())
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.waitForURL((url) => url.href.startsWith(callback))
  expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')
})

itInChromium(
  "if the content security policy lacks the app's origin, Chromium blocks the return to the app",
  async (browser) => {
    const page = await browser.newPage()
    await page.goto(await start())
    await page.route('**/connect/*', async (route) => {
      const response = await route.fetch({ maxRedirects: 0 })
      const headers = { ...response.headers(), 'content-security-policy': "form-action 'self'" }
      await route.fulfill({ response, headers })
    })
    await page.reload()
    const stopped = page.waitForEvent('console', (message) => message.text().includes('form-action'))
    await page.getByRole('button', { name: 'Cancel' }).click()
    await stopped
    expect(page.url()).not.toContain(callback)
  },
)

itInChromium(
  'the consent page loads its styles, logs nothing to the console, and fits the width of a phone',
  async (browser) => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    await page.goto(await start())
    await signIn(page)
    const look = await page.evaluate(
      `({ styled: getComputedStyle(document.querySelector('.card')).borderRadius, wide: document.documentElement.scrollWidth })`,
    )
    expect(look).toEqual({ styled: '16px', wide: 390 })
    expect(complaints).toEqual([])
  },
)
