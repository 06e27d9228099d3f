import { beforeEach, expect, it } from '@jest/globals'
import { createBrowser } from '../../../../support/browser.ts'
import { itInChromium } from '../../support/chromium.ts'
import { csrfTokenOf } from '../../support/csrf.ts'
import { expectAccessible, password, seedUserWithoutWorkspace } from '../../support/dashboard.ts'
import { useServiceWorld } from '../../support/service.ts'

const world = useServiceWorld()
beforeEach(async () => {
  await world.database.db.deleteFrom('workspace').execute()
  await world.database.db.deleteFrom('app_user').execute()
})

const fields = {
  name: 'Robin',
  email: 'robin@example.com',
  password,
  workspace_name: 'Acme',
  country: 'DE',
  time_zone: 'Europe/Berlin',
}

const openSignUp = async () => {
  const browser = createBrowser()
  const { page } = await browser.open(`${world.service.url}/sign-up`)
  return { browser, page }
}

const press = ({ browser, page }: Awaited<ReturnType<typeof openSignUp>>, change = {}) =>
  browser.press(page, 'Create account and workspace', { ...fields, ...change })

it('lets the first user of an empty installation sign up and create a workspace', async () => {
  const { page: signInPage } = await createBrowser().open(`${world.service.url}/`)
  expect(signInPage.html).toContain('href="/sign-up"')
  const { page } = await press(await openSignUp())
  expect(new URL(page.url).pathname).toMatch(/^\/w\/\d+\/overview$/)
  const membership = await world.database.db
    .selectFrom('membership')
    .innerJoin('workspace', 'workspace.id', 'workspace_id')
    .innerJoin('app_user', 'app_user.id', 'user_id')
    .select(['role', 'email', 'workspace.name', 'country', 'time_zone'])
    .execute()
  expect(membership).toEqual([
    { role: 'owner', email: 'robin@example.com', name: 'Acme', country: 'DE', time_zone: 'Europe/Berlin' },
  ])
  expect(await world.database.db.selectFrom('mcp_tool').select('id').execute()).not.toEqual([])
})

it('closes sign-up once there is a user', async () => {
  const late = await openSignUp()
  const { userId } = await seedUserWithoutWorkspace(world.service)
  const { page: signInPage } = await createBrowser().open(`${world.service.url}/sign-in`)
  expect(signInPage.html).not.toContain('/sign-up')
  expect((await openSignUp()).page.url).toBe(`${world.service.url}/sign-in`)
  const { page } = await press(late)
  expect(page.url).toBe(`${world.service.url}/sign-in`)
  expect(await world.database.db.selectFrom('app_user').select('id').execute()).toEqual([{ id: userId }])
})

it('creates only one user when several people sign up at the same time', async () => {
  const open = await Promise.all(Array.from({ length: 6 }, openSignUp))
  await Promise.all(open.map((one, index) => press(one, { email: `robin${index}@example.com` })))
  expect(await world.database.db.selectFrom('app_user').select('id').execute()).toHaveLength(1)
  expect(await world.database.db.selectFrom('workspace').select('id').execute()).toHaveLength(1)
})

it.each([
  ['email', { email: 'nobody' }, 'a valid email'],
  ['password', { password: 'too short' }, 'at least 10 characters'],
  ['password', { password: '1234567890' }, 'This is one of the most common passwords'],
  ['workspace_name', { workspace_name: ' ' }, ''],
  ['time_zone', { time_zone: 'Mars/Base' }, 'a valid time zone'],
])(
  'shows an issue next to %s, creates nothing, and keeps the other values except the password',
  async (field, bad, message) => {
    const { page } = await press(await openSignUp(), bad)
    expect(page.status).toBe(422)
    expect(page.html).toMatch(new RegExp(`id="f-${field}-issue">[^<]*${message}`))
    expect(page.html).toContain('value="Robin"')
    expect(page.html).not.toContain(password)
    expect(await world.database.db.selectFrom('app_user').select('id').execute()).toEqual([])
  },
)

it('lets a user without a workspace create a workspace, and only one if the form is submitted twice', async () => {
  const { browser, email } = await seedUserWithoutWorkspace(world.service)
  const { page } = await browser.open(`${world.service.url}/`)
  expect(page.url).toBe(`${world.service.url}/workspaces/new`)
  expect(page.text).toContain('not a member of any workspace')
  expect(page.text).toContain(email)
  const input = { name: 'Globex', country: 'US', time_zone: 'America/New_York' }
  const sent = await Promise.all([
    browser.press(page, 'Create workspace', input),
    browser.press(page, 'Create workspace', input),
  ])
  expect(new Set(sent.map((one) => one.page.url)).size).toBe(1)
  expect(await world.database.db.selectFrom('workspace').select('name').execute()).toEqual([
    { name: 'Globex' },
  ])
})

it("doesn't create a workspace for a user who isn't signed in", async () => {
  const { browser } = await seedUserWithoutWorkspace(world.service)
  const { page } = await browser.open(`${world.service.url}/workspaces/new`)
  await world.database.db.deleteFrom('session').execute()
  const response = await browser.press(page, 'Create workspace', {
    name: 'Globex',
    country: 'US',
    time_zone: 'America/New_York',
  })
  expect(response.page.url).toContain('/sign-in')
  expect(await world.database.db.selectFrom('workspace').select('id').execute()).toEqual([])
})

it("doesn't lock a user out after failed sign-in attempts from another IP address", async () => {
  const { email } = await seedUserWithoutWorkspace(world.service)
  const from = async (remoteAddress: string, typedPassword: string) => {
    const form = await world.service.app.inject({ method: 'GET', url: '/sign-in', remoteAddress })
    const token = csrfTokenOf(form.body)
    const cookie = form.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const body = new URLSearchParams({ _csrf: token, email, password: typedPassword })
    const response = await world.service.app.inject({
      method: 'POST',
      url: '/sign-in',
      remoteAddress,
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body: body.toString(),
    })
    return response.statusCode
  }
  for (let count = 0; count < 10; count += 1) expect(await from('192.0.2.1', 'a wrong guess')).toBe(422)
  expect(await from('192.0.2.1', 'a wrong guess')).toBe(429)
  expect(await from('192.0.2.2', password)).toBe(303)
})

itInChromium('lets the first user sign up in the browser, on accessible pages', async (chromium) => {
  const tab = await (await chromium.newContext({ viewport: { width: 390, height: 844 } })).newPage()
  await tab.goto(world.service.url)
  await expectAccessible(tab)
  await tab.getByRole('link', { name: 'Set up Outdial' }).click()
  await expectAccessible(tab)
  await tab.getByLabel('Your name').fill('Robin')
  await tab.getByLabel('Email').fill('robin@example.com')
  await tab.getByLabel('Password').fill(password)
  await tab.getByLabel('Workspace').fill('Acme')
  await tab.getByLabel('Time zone').fill('Nowhere')
  await tab.getByRole('button', { name: 'Create account' }).click()
  await tab.locator('.issue', { hasText: "isn't a valid time zone" }).waitFor()
  await expectAccessible(tab)
  await tab.getByLabel('Password').fill(password)
  await tab.getByLabel('Time zone').fill('Europe/Berlin')
  await tab.getByRole('button', { name: 'Create account' }).click()
  await tab.waitForURL(/\/overview$/)
  await tab.goto(`${world.service.url}/workspaces/new`)
  await expectAccessible(tab)
})
