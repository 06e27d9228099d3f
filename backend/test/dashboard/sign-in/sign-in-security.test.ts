import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { FastifyInstance } from 'fastify'
import { createBrowser } from '../../../../support/browser.ts'
import { removeMember } from '../../../accounts/access/remove-member.ts'
import { createInvitation } from '../../../accounts/identity/invitations.ts'
import { addMember } from '../../../accounts/identity/members.ts'
import { createResetLink } from '../../../accounts/identity/password-resets.ts'
import { changePassword } from '../../../accounts/identity/passwords.ts'
import { createApp } from '../../../app.ts'
import { parseConfig } from '../../../config.ts'
import { createLog } from '../../../log.ts'
import { createWorkspace } from '../../../tools/onboarding/onboarding.ts'
import { itInChromium } from '../../support/chromium.ts'
import { csrfTokenOf } from '../../support/csrf.ts'
import {
  openTab,
  password,
  seedSignedInOwner,
  seedUserWithoutWorkspace,
  signIn,
} from '../../support/dashboard.ts'
import { type TestDeps, testDeps } from '../../support/deps.ts'
import { seedUser } from '../../support/factories.ts'
import { waitForLockWaiters } from '../../support/locks.ts'
import { newFlow, seedApp } from '../../support/oauth.ts'
import { useServiceWorld } from '../../support/service.ts'

const config = parseConfig({
  PUBLIC_URL: 'https://outdial.example',
  SECRET_KEY: 'test-key-of-at-least-thirty-two-characters',
})

/** An app behind a proxy that terminates TLS. Everything that the app logs goes to `log`. */
let app: FastifyInstance
let deps: TestDeps
const log: string[] = []
afterAll(async () => {
  await app.close()
})
const world = useServiceWorld()
beforeAll(async () => {
  deps = testDeps(world.database.db, {
    config,
    log: await createLog('trace', { write: (line: string) => log.push(line) > 0 }),
  })
  app = await createApp(deps)
})

/** Submits the sign-in form from an IP address. */
async function signInFrom(
  remoteAddress: string,
  email: string,
  typedPassword: string,
  cookieJar: Record<string, string> = {},
) {
  const form = await app.inject({ url: '/sign-in', remoteAddress })
  const [csrf] = form.cookies
  const token = csrfTokenOf(form.body)
  return app.inject({
    method: 'POST',
    url: '/sign-in',
    remoteAddress,
    cookies: { ...cookieJar, [csrf?.name ?? '']: csrf?.value ?? '' },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ _csrf: token, email, password: typedPassword }).toString(),
  })
}

it("over HTTPS, sets only cookies that other sites, subdomains, and scripts can't use", async () => {
  const { email, userId } = await seedUser(deps)
  const { id } = await createWorkspace(deps, {
    name: 'Acme',
    country: 'US',
    timeZone: 'America/New_York',
    ownerId: userId,
  })
  const signedIn = await signInFrom('192.0.2.1', email, password)
  const session = signedIn.cookies.find(({ name }) => name === '__Host-outdial_session')
  const sessionCookies = { '__Host-outdial_session': session?.value ?? '' }
  const page = await app.inject({ url: `/w/${id}/account`, cookies: sessionCookies })
  const csrf = page.cookies.find(({ name }) => name === '__Host-outdial_csrf')
  const response = await app.inject({
    method: 'POST',
    url: `/w/${id}/account/sessions/end-others`,
    cookies: { ...sessionCookies, '__Host-outdial_csrf': csrf?.value ?? '' },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({
      _csrf: csrfTokenOf(page.body),
    }).toString(),
  })
  expect(response.statusCode).toBe(303)
  const cookies = [...signedIn.cookies, ...page.cookies, ...response.cookies]
  expect(cookies.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['__Host-outdial_session', '__Host-outdial_csrf', '__Host-outdial_flash']),
  )
  for (const cookie of cookies) {
    expect(cookie).toMatchObject({ path: '/', secure: true, httpOnly: true, sameSite: 'Lax' })
    expect(cookie.name).toMatch(/^__Host-/)
    expect(cookie.domain).toBeUndefined()
  }
})

it("starts a new session at sign-in and ends the browser's previous session", async () => {
  const [kim, eve] = [await seedUser(deps), await seedUser(deps)]
  const planted = await signInFrom('192.0.2.2', eve.email, password)
  const plantedCookies = Object.fromEntries(planted.cookies.map(({ name, value }) => [name, value]))
  const signedIn = await signInFrom('192.0.2.2', kim.email, password, plantedCookies)
  const [session] = signedIn.cookies.filter(({ name }) => name === '__Host-outdial_session')
  expect(session?.value).not.toBe(plantedCookies['__Host-outdial_session'])
  const sessions = await world.database.db
    .selectFrom('session')
    .select('user_id')
    .where('user_id', 'in', [kim.userId, eve.userId])
    .execute()
  expect(sessions).toEqual([{ user_id: kim.userId }])
})

it("limits failed sign-in attempts per IP address, so that a stranger can't lock the user out", async () => {
  const { email } = await seedUser(deps)
  for (let count = 0; count < 10; count += 1) {
    expect((await signInFrom('198.51.100.7', email, 'wrong')).statusCode).toBe(422)
  }
  for (const spelling of [email.toUpperCase(), ` ${email} `, email]) {
    expect((await signInFrom('198.51.100.7', spelling, password)).statusCode).toBe(429)
  }
  expect((await signInFrom('::ffff:198.51.100.7', email, password)).statusCode).toBe(429)
  expect((await signInFrom('192.0.2.3', email, password)).statusCode).toBe(303)
})

it('lets a user sign in from a new browser while strangers guess the password from five other IP addresses', async () => {
  const { email } = await seedUser(deps)
  for (let count = 0; count < 50; count += 1)
    await signInFrom(`198.51.100.${50 + (count % 5)}`, email, 'wrong')
  deps.clock.advance(5 * 60_000)
  expect((await signInFrom('198.51.100.50', email, password)).statusCode).toBe(429)
  expect((await signInFrom('192.0.2.4', email, 'a typo')).statusCode).toBe(422)
  expect((await signInFrom('192.0.2.4', email, password)).statusCode).toBe(303)
})

it('accepts any capitalization of the email, and counts attempts with all spellings together', async () => {
  const { email, userId } = await seedUser(deps)
  const mixedCase = ` ${email.replace(/^./, (letter) => letter.toUpperCase())} `
  expect((await signInFrom('198.51.100.8', mixedCase, password)).statusCode).toBe(303)
  // İ (U+0130) becomes i in PostgreSQL's lower(), but not in JavaScript's toLowerCase().
  const dotted = `dotted.i${userId}@example.com`
  await deps.db.updateTable('app_user').set({ email: dotted }).where('id', '=', userId).execute()
  for (let count = 0; count < 10; count += 1) await signInFrom('198.51.100.8', dotted, 'wrong')
  for (const spelling of [dotted, dotted.replace('i', 'İ'), dotted.replaceAll('i', 'İ')]) {
    expect((await signInFrom('198.51.100.8', spelling, password)).statusCode).not.toBe(303)
  }
})

it('limits sign-in attempts with many different emails from one network', async () => {
  const { email } = await seedUser(deps)
  for (let count = 0; count < 60; count += 1) {
    const { statusCode } = await signInFrom('203.0.113.5', `guess-${count}@example.com`, password)
    expect(statusCode).toBe(422)
  }
  const limited = await signInFrom('203.0.113.5', email, password)
  expect(limited.statusCode).toBe(429)
  expect(limited.body).toContain('too many sign-in attempts from your network')
  expect((await signInFrom('203.0.113.6', email, password)).statusCode).toBe(303)
})

it("lets a user sign in from a known browser, even if a stranger's attempts from the same network are limited", async () => {
  const { email } = await seedUser(deps)
  const { cookies } = await signInFrom('203.0.113.7', email, password)
  const device = cookies.find(({ name }) => name === '__Host-outdial_device')
  expect(device).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax' })
  for (let count = 0; count < 11; count += 1) await signInFrom('203.0.113.7', email, 'wrong')
  expect((await signInFrom('203.0.113.7', email, password)).statusCode).toBe(429)
  const known = { '__Host-outdial_device': device?.value ?? '' }
  expect((await signInFrom('203.0.113.7', email, password, known)).statusCode).toBe(303)
  // The cookie is for one account only, and attempts with it are limited, too.
  const other = await seedUser(deps)
  for (let count = 0; count < 11; count += 1) await signInFrom('203.0.113.7', other.email, 'wrong', known)
  expect((await signInFrom('203.0.113.7', other.email, password, known)).statusCode).toBe(429)
  for (let count = 0; count < 10; count += 1) await signInFrom('203.0.113.8', email, 'wrong', known)
  expect((await signInFrom('203.0.113.8', email, password, known)).statusCode).toBe(429)
})

it('counts sign-in attempts from the same IPv6 network together', async () => {
  const { email } = await seedUser(deps)
  for (let count = 0; count < 10; count += 1) {
    expect((await signInFrom(`2001:db8:1:2::${count + 1}`, email, 'wrong')).statusCode).toBe(422)
  }
  expect((await signInFrom('2001:db8:1:2:ffff::1', email, password)).statusCode).toBe(429)
  expect((await signInFrom('2001:db8:1:3::1', email, password)).statusCode).toBe(303)
})

it("counts sign-in attempts on the sign-in page and on an app's authorization page together", async () => {
  const { email } = await seedUserWithoutWorkspace(world.service)
  for (let count = 0; count < 10; count += 1) await signIn(world.service, email, 'wrong')
  const browser = createBrowser()
  const { page } = await browser.open((await newFlow(await seedApp(world.service, 'confidential'))).startUrl)
  expect((await browser.press(page, 'Sign in', { email, password })).page.status).toBe(429)
})

it('rejects a sign-in with the old password that arrives while the password is being changed', async () => {
  const { userId, email } = await seedUser(deps)
  const sessionHash = Buffer.from('the session that changes it')
  let change: Promise<void> | undefined
  let late: ReturnType<typeof signInFrom> | undefined
  await world.database.db.transaction().execute(async (db) => {
    change = changePassword(
      { ...deps, db },
      { userId, sessionHash },
      { currentPassword: password, newPassword: 'another long password' },
    )
    await change
    late = signInFrom('192.0.2.4', email, password)
    await waitForLockWaiters(world.database.db)
  })
  expect((await late)?.statusCode).toBe(422)
  const sessions = await world.database.db
    .selectFrom('session')
    .selectAll()
    .where('user_id', '=', userId)
    .execute()
  expect(sessions).toEqual([])
})

it('keeps the tokens of invitation and reset links out of logs, caches, and referrers', async () => {
  const { userId, email } = await seedUser(deps)
  const { id: workspaceId } = await createWorkspace(deps, {
    name: 'Acme',
    country: 'US',
    timeZone: 'America/New_York',
    ownerId: userId,
  })
  const { link: invitation } = await createInvitation(deps, workspaceId, userId, { email, role: 'member' })
  const { link: reset } = await createResetLink(deps, userId)
  for (const link of [invitation, reset]) {
    const { pathname } = new URL(link)
    const token = pathname.split('/').at(-1) ?? ''
    expect(token.length).toBeGreaterThan(20)
    const page = await app.inject({ url: `${pathname}?again=${token}` })
    expect(page.statusCode).toBe(200)
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'strict-origin' })
    const closed = await app.inject(pathname.replace(token, token.toUpperCase()))
    expect(closed.statusCode).toBe(410)
    expect(closed.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'strict-origin' })
    // Without a CSRF token, the request is rejected, and the rejection is logged.
    const rejected = await app.inject({
      method: 'POST',
      url: pathname,
      headers: { 'content-type': 'application/x-www-form-urlencoded', referer: link },
      payload: `again=${token}`,
    })
    expect(rejected.statusCode).toBe(403)
    expect((await app.inject({ url: `${pathname}x` })).statusCode).toBe(410)
    expect(log.join('')).toContain('request')
    expect(log.join('')).not.toContain(token)
  }
})

it('keeps session and CSRF cookies out of the log, even if an upload is logged at the trace level', async () => {
  const { email, userId } = await seedUser(deps)
  const settings = { name: 'Acme', country: 'US', timeZone: 'America/New_York', ownerId: userId }
  const { id } = await createWorkspace(deps, settings)
  const { cookies } = await signInFrom('192.0.2.9', email, password)
  const session = cookies.find(({ name }) => name === '__Host-outdial_session')?.value ?? ''
  const importPath = `/w/${id}/contacts/import`
  const page = await app.inject({ url: importPath, cookies: { '__Host-outdial_session': session } })
  const csrf = page.cookies.find(({ name }) => name === '__Host-outdial_csrf')?.value ?? ''
  const form = new FormData()
  form.set('_csrf', csrfTokenOf(page.body))
  form.set('_once', /name="_once" value="([^"]+)"/.exec(page.body)?.[1] ?? '')
  form.set('file', new Blob(['phone number\n+12025550100']), 'leads.csv')

  const logLines = log.length
  const uploaded = await app.inject({
    method: 'POST',
    url: importPath,
    cookies: { '__Host-outdial_session': session, '__Host-outdial_csrf': csrf },
    payload: form,
  })
  expect(uploaded.statusCode).toBe(303)
  const logged = log.slice(logLines).join('')
  expect(logged).toContain('busboy')
  for (const secret of [session, csrf]) {
    expect(secret.length).toBeGreaterThan(20)
    expect(logged).not.toContain(secret)
  }
})

it('rejects an invitation from an owner who is being removed', async () => {
  const [kim, eve] = [await seedUser(deps), await seedUser(deps)]
  const { id: workspaceId } = await createWorkspace(deps, {
    name: 'Acme',
    country: 'US',
    timeZone: 'America/New_York',
    ownerId: kim.userId,
  })
  await addMember(deps, workspaceId, eve.userId, 'owner')
  let late: Promise<unknown> | undefined
  await world.database.db.transaction().execute(async (db) => {
    await removeMember({ ...deps, db }, workspaceId, eve.userId)
    late = createInvitation(deps, workspaceId, eve.userId, { email: 'eve@example.com', role: 'owner' })
    late.catch(() => {})
    await waitForLockWaiters(world.database.db)
  })
  await expect(late).rejects.toMatchObject({ code: 'not_found' })
})

it('when the session has ended, redirects a live page to sign-in, and after that only to a page of the same site', async () => {
  const livePath = '/w/1/calls?newest=7'
  const redirectFrom = async (from: string | undefined, headers: Record<string, string> = {}) => {
    const response = await fetch(`${world.service.url}${livePath}`, {
      headers: { 'hx-request': 'true', ...(from !== undefined && { 'hx-current-url': from }), ...headers },
    })
    expect(response.status).toBe(401)
    return response.headers.get('hx-redirect')
  }
  const back = (path: string) => `/sign-in?next=${encodeURIComponent(path)}`
  expect(await redirectFrom(`${world.service.url}/w/1/calls?search=may#live`)).toBe(
    back('/w/1/calls?search=may'),
  )
  for (const other of [
    'https://evil.example/w/1/calls',
    'javascript:alert(1)',
    '//evil.example',
    undefined,
  ]) {
    expect(await redirectFrom(other)).toBe(back(livePath))
  }
  // The sign-in page ignores a next path that a browser could treat as another site.
  const odd = (await redirectFrom(`${world.service.url}//evil.example`)) ?? ''
  const { page } = await createBrowser().open(`${world.service.url}${odd}`)
  expect(page.html).toContain('action="/sign-in?next=%2F"')
  expect(await redirectFrom(`${world.service.url}/w/1/agents/new`, { 'outdial-aside': 'true' })).toBeNull()
})

itInChromium(
  'when the session has ended, redirects a live page to sign-in and back, but keeps a page with a form open',
  async (chromium) => {
    const user = await seedSignedInOwner(world.service)
    const form = await openTab(world.service, chromium, user)
    await form.goto(user.urlFor('/agents/new'))
    await form.context().clearCookies({ name: /session/ })
    const isAnswered = form.evaluate(
      "new Promise((done) => document.addEventListener('htmx:finally:request', () => done(true), { once: true }))",
    )
    await form.getByLabel('Greeting').fill('Hi {{first_name}}')
    await isAnswered
    expect(await form.getByLabel('Greeting').inputValue()).toBe('Hi {{first_name}}')

    const tab = await openTab(world.service, chromium, user)
    await tab.goto(user.urlFor('/calls?status=queued'))
    await tab.context().clearCookies({ name: /session/ })
    await tab.waitForURL((url) => url.pathname === '/sign-in')
    await tab.getByLabel('Email').fill(user.email)
    await tab.getByLabel('Password').fill(password)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.waitForURL(user.urlFor('/calls?status=queued'))
  },
)
