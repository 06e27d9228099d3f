import { expect, it } from '@jest/globals'
import {
  type Browser,
  createBrowser,
  findWorkspaceId,
  type Page,
  signInAndConsent,
} from '../../../support/browser.ts'
import { endMembership } from '../../access/remove-member.ts'
import { createOauthClient } from '../../oauth/create-oauth-client.ts'
import {
  apiStatus,
  discover,
  exchangeCode,
  type Flow,
  newFlow,
  parseTokens,
  seedApp,
  seedUser,
  type TestApp,
} from '../support/oauth.ts'
import { password } from '../support/service.ts'
import { useOAuthWorld } from '../support/oauth.ts'

const world = useOAuthWorld()

interface AuthorizationPage {
  browser: Browser
  page: Page
  flow: Flow
}

/** An authorization that has come to the sign-in page. */
async function openAuthorization(
  paramOverrides: Record<string, string | null> = {},
  browser = createBrowser(),
): Promise<AuthorizationPage> {
  const flow = await newFlow(world.zapier, paramOverrides)
  const { page } = await browser.open(flow.startUrl)
  return { browser, page, flow }
}

/** One that has come to the consent page. */
async function openAuthorizationSignedIn(
  user = world.robin,
  paramOverrides: Record<string, string | null> = {},
): Promise<AuthorizationPage> {
  const authorization = await openAuthorization(paramOverrides)
  const { page } = await authorization.browser.press(authorization.page, 'Sign in', {
    email: user.email,
    password,
  })
  return { ...authorization, page }
}

const allowAccess = ({ browser, page }: AuthorizationPage, name: string) =>
  browser.press(page, 'Allow', { workspace_id: findWorkspaceId(page, name) })

const connected = async (externalUrl: string | null, flow: Flow): Promise<number> => {
  const tokens = await parseTokens(
    world.zapier,
    await exchangeCode(world.zapier, { ...flow, callback: new URL(externalUrl ?? '') }),
  )
  return apiStatus(world.service, tokens.access_token)
}

it('says who asks, for what, for whom and where the answer goes', async () => {
  const { page } = await openAuthorizationSignedIn()
  expect(page.text).toContain('Connect Zapier')
  expect(page.text).toContain(world.robin.email)
  expect(page.text).toContain('See calls with their transcripts')
  expect(page.text).not.toContain('Create campaigns')
  expect(page.text).toContain('you return to 127.0.0.1:9')
})

it('writes the app’s name as text, whatever is in it', async () => {
  const name = '<script>alert(1)</script>"&'
  const evil = await seedApp(world.service, 'confidential', name)
  const { page } = await createBrowser().open((await newFlow(evil)).startUrl)
  expect(page.html).not.toContain('<script')
  expect(page.text).toContain(name)
})

it('signs in whatever the case of the address', async () => {
  const { browser, page } = await openAuthorization()
  const { page: next } = await browser.press(page, 'Sign in', {
    email: world.robin.email.toUpperCase(),
    password,
  })
  expect(next.text).toContain('Which workspace?')
})

it.each([
  ['password', { password: 'wrong' }],
  ['address', { email: 'nobody@example.com' }],
  ['form', { email: '', password: '' }],
])('says of a wrong %s only that the two do not belong together', async (_what, wrong) => {
  const { browser, page } = await openAuthorization()
  const { page: next } = await browser.press(page, 'Sign in', {
    email: world.robin.email,
    password,
    ...wrong,
  })
  expect(next.status).toBe(422)
  expect(next.text).toContain('do not belong together')
})

it('fills in the address that the app hints at', async () => {
  const { page } = await openAuthorization({ login_hint: world.robin.email })
  expect(page.html).toContain(`value="${world.robin.email}"`)
})

it('stops after ten wrong passwords for one address, and opens again after five minutes', async () => {
  const eve = await seedUser(world.service.deps, 'Eve')
  const { browser, page } = await openAuthorization()
  const attempt = (typedPassword: string) =>
    browser.press(page, 'Sign in', { email: eve.email, password: typedPassword })
  for (let count = 0; count < 10; count += 1) expect((await attempt('wrong')).page.status).toBe(422)
  const stopped = await attempt(password)
  expect(stopped.page.status).toBe(429)
  expect(stopped.page.text).toContain('Too many attempts')
  const { page: other } = await browser.press(page, 'Sign in', { email: world.robin.email, password })
  expect(other.status).toBe(200)
  world.service.deps.clock.advance(5 * 60_000)
  expect((await attempt(password)).page.text).toContain('Connect Zapier')
})

it('chooses the only workspace beforehand', async () => {
  const sam = await seedUser(world.service.deps, 'Initech')
  const authorization = await openAuthorizationSignedIn(sam)
  expect(authorization.page.html).toMatch(/name="workspace_id" value="\d+" required checked/)
})

it('asks again where no workspace was chosen', async () => {
  const authorization = await openAuthorizationSignedIn()
  const { page, externalUrl } = await authorization.browser.press(authorization.page, 'Allow')
  expect(externalUrl).toBeNull()
  expect(page.status).toBe(422)
  expect(page.text).toContain('Choose the workspace')
})

it('does not take a workspace that the user is no member of', async () => {
  const kim = await seedUser(world.service.deps, 'Hooli')
  const authorization = await openAuthorizationSignedIn()
  const { page, externalUrl } = await authorization.browser.press(authorization.page, 'Allow', {
    workspace_id: String(kim.workspaces.Hooli),
  })
  expect(externalUrl).toBeNull()
  expect(page.status).toBe(422)
})

it('tells a user without any workspace so, and leads back to the app', async () => {
  const authorization = await openAuthorizationSignedIn(await seedUser(world.service.deps))
  expect(authorization.page.text).toContain('not a member of any workspace')
  const { externalUrl } = await authorization.browser.press(authorization.page, 'Back to Zapier')
  expect(new URL(externalUrl ?? '').searchParams.get('error')).toBe('access_denied')
})

it.each(['sign-in', 'consent'])('tells the app of a Cancel on the %s page', async (where) => {
  const authorization = where === 'consent' ? await openAuthorizationSignedIn() : await openAuthorization()
  const { externalUrl } = await authorization.browser.press(authorization.page, 'Cancel')
  const { searchParams } = new URL(externalUrl ?? '')
  expect(searchParams.get('error')).toBe('access_denied')
  expect(searchParams.get('state')).toBe(authorization.flow.state)
})

it('signs out who is not the right person, and lets the right one in', async () => {
  const sam = await seedUser(world.service.deps, 'Umbrella')
  const authorization = await openAuthorizationSignedIn()
  const { page } = await authorization.browser.press(authorization.page, 'Not you? Sign out')
  expect(page.html).toContain('name="password"')
  const { page: consent } = await authorization.browser.press(page, 'Sign in', { email: sam.email, password })
  const { externalUrl } = await allowAccess({ ...authorization, page: consent }, 'Umbrella')
  expect(await connected(externalUrl, authorization.flow)).toBe(200)
})

it('does not give in the name of one person what another was shown', async () => {
  const sam = await seedUser(world.service.deps, 'Acme')
  const authorization = await openAuthorizationSignedIn()
  const { page: signInPage } = await authorization.browser.open(`${world.service.url}/sign-in`)
  const { page: out } = await authorization.browser.press(signInPage, 'Sign out')
  await authorization.browser.press(out, 'Sign in', { email: sam.email, password })
  const { page, externalUrl } = await authorization.browser.press(authorization.page, 'Allow', {
    workspace_id: String(sam.workspaces.Acme),
  })
  expect(externalUrl).toBeNull()
  expect(page.text).toContain('signed in as somebody else')
})

it('asks for the password again where the app wants it', async () => {
  const first = await openAuthorizationSignedIn()
  const again = await openAuthorization({ prompt: 'login' }, first.browser)
  expect(again.page.html).toContain('name="password"')
  const { page } = await again.browser.press(again.page, 'Sign in', { email: world.robin.email, password })
  const { externalUrl } = await allowAccess({ ...again, page }, 'Acme')
  expect(await connected(externalUrl, again.flow)).toBe(200)
})

it('serves two tabs of one browser side by side', async () => {
  const one = await openAuthorizationSignedIn()
  const two = await openAuthorization({}, one.browser)
  const second = await allowAccess(two, 'Globex')
  const first = await allowAccess(one, 'Acme')
  expect(await connected(first.externalUrl, one.flow)).toBe(200)
  expect(await connected(second.externalUrl, two.flow)).toBe(200)
})

it('carries an authorization over a restart of the service', async () => {
  const authorization = await openAuthorizationSignedIn()
  await world.restartService()
  const { externalUrl } = await allowAccess(authorization, 'Acme')
  expect(await connected(externalUrl, authorization.flow)).toBe(200)
})

it('shows the consent page twice, and tells the second tab that it was answered', async () => {
  const authorization = await openAuthorizationSignedIn()
  const { page: duplicate } = await authorization.browser.open(authorization.page.url)
  expect(duplicate.text).toContain('Which workspace?')
  const { externalUrl } = await allowAccess(authorization, 'Acme')
  const late = await allowAccess({ ...authorization, page: duplicate }, 'Globex')
  expect(late.externalUrl).toBeNull()
  expect(late.page.status).toBe(410)
  expect(late.page.text).toContain('no longer valid')
  expect(await connected(externalUrl, authorization.flow)).toBe(200)
})

it('gives no code to who goes around the consent page', async () => {
  const authorization = await openAuthorizationSignedIn()
  const { externalUrl } = await authorization.browser.open(
    authorization.page.url.replace('/connect/', '/oauth/authorize/'),
  )
  expect(new URL(externalUrl ?? '').searchParams.get('error')).toBe('access_denied')
})

it('survives a double click on Allow: one grant, and the app is answered', async () => {
  const authorization = await openAuthorizationSignedIn()
  const count = async () => (await world.db.selectFrom('oauth_grant').select('id_hash').execute()).length
  const before = await count()
  const both = await Promise.all([allowAccess(authorization, 'Acme'), allowAccess(authorization, 'Acme')])
  const answered = both.filter(({ externalUrl }) => externalUrl !== null)
  expect(answered.length).toBeGreaterThanOrEqual(1)
  for (const { externalUrl, page } of both)
    expect(externalUrl !== null || [400, 410].includes(page.status)).toBe(true)
  expect(await count()).toBe(before + 1)
  expect(await connected(answered[0]?.externalUrl ?? null, authorization.flow)).toBe(200)
})

it('tells who comes by the back button that the page is over', async () => {
  const authorization = await openAuthorizationSignedIn()
  await allowAccess(authorization, 'Acme')
  const { page } = await authorization.browser.open(authorization.page.url)
  expect(page.status).toBe(410)
  expect(page.text).toContain('no longer valid')
})

it('ends an authorization that waits for more than an hour', async () => {
  const authorization = await openAuthorizationSignedIn()
  world.service.deps.clock.advance(3_600_000)
  const { page } = await allowAccess(authorization, 'Acme')
  expect(page.status).toBe(410)
})

it('ends a sign-in after two weeks', async () => {
  const { browser } = await openAuthorizationSignedIn()
  world.service.deps.clock.advance(14 * 86_400_000)
  expect((await openAuthorization({}, browser)).page.html).toContain('name="password"')
})

it('does not show another browser’s authorization', async () => {
  const authorization = await openAuthorizationSignedIn()
  const { page } = await createBrowser().open(authorization.page.url)
  expect(page.status).toBe(410)
})

it('gives no code where the membership ended while the page was open', async () => {
  const kim = await seedUser(world.service.deps, 'Vandelay', 'Other')
  const authorization = await openAuthorizationSignedIn(kim)
  await endMembership(world.service.deps, { workspaceId: kim.workspaces.Vandelay ?? 0, userId: kim.userId })
  const { page, externalUrl } = await allowAccess(authorization, 'Vandelay')
  expect(externalUrl).toBeNull()
  expect(page.status).toBe(422)
})

it('tells the app of a membership that ended after Allow, before the way back', async () => {
  const kim = await seedUser(world.service.deps, 'Stark')
  const { browser, page } = await openAuthorizationSignedIn(kim)
  const workspaceId = kim.workspaces.Stark ?? 0
  const allowed = await fetch(`${page.url}/allow`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: browser.cookies().join('; ') },
    body: new URLSearchParams({
      _csrf: /name="_csrf" value="([^"]*)"/.exec(page.html)?.[1] ?? '',
      user_id: String(kim.userId),
      workspace_id: String(workspaceId),
    }),
  })
  expect(allowed.status).toBe(303)
  await endMembership(world.service.deps, { workspaceId, userId: kim.userId })
  const { externalUrl } = await browser.open(allowed.headers.get('location') ?? '')
  expect(new URL(externalUrl ?? '').searchParams.get('error')).toBe('access_denied')
})

it.each([
  ['an unknown app', { client_id: 'odc_nobody' }, 'Unknown app'],
  [
    'a redirect URI that is not registered',
    { redirect_uri: 'http://127.0.0.1:9/callback/' },
    'Unknown return address',
  ],
  ['another port of the loopback', { redirect_uri: 'http://127.0.0.1:8/callback' }, 'Unknown return address'],
  ['no redirect URI', { redirect_uri: null }, 'not complete'],
  ['no client', { client_id: null }, 'not complete'],
])('shows a page, and redirects nowhere, for %s', async (_what, paramOverrides, title) => {
  const browser = createBrowser()
  const { page, externalUrl } = await browser.open((await newFlow(world.zapier, paramOverrides)).startUrl)
  expect(externalUrl).toBeNull()
  expect(page.status).toBe(400)
  expect(page.headers.get('content-type')).toContain('text/html')
  expect(page.text).toContain(title)
  expect(page.text).not.toMatch(/node_modules|\bat \w+ \(/)
})

it('takes NUL characters for bad input, not for a failure of its own', async () => {
  const flow = await newFlow(world.zapier, { state: 'a\0b' })
  const { externalUrl } = await createBrowser().open(flow.startUrl)
  expect(new URL(externalUrl ?? '').searchParams.get('error')).toBe('invalid_request')
  const { page } = await createBrowser().open((await newFlow(world.zapier, { client_id: 'a\0b' })).startUrl)
  expect(page.status).toBe(400)
  const authorization = await openAuthorization()
  const response = await authorization.browser.press(authorization.page, 'Sign in', {
    email: 'a\0b@example.com',
    password,
  })
  expect(response.page.status).toBe(422)
})

it('shows a page, too, where the way back to the app is opened twice', async () => {
  const { page } = await createBrowser().open(`${world.service.url}/oauth/authorize/${'x'.repeat(43)}`)
  expect(page.status).toBe(410)
  expect(page.text).toContain('no longer valid')
})

it.each(['sign-in', 'allow', 'cancel', 'sign-out'])('refuses a forged %s', async (action) => {
  const authorization = await openAuthorizationSignedIn()
  const response = await fetch(`${authorization.page.url}/${action}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: authorization.browser.cookies().join('; ') },
    body: new URLSearchParams({
      workspace_id: String(world.robin.workspaces.Acme),
      user_id: String(world.robin.userId),
    }),
  })
  expect(response.status).toBe(403)
  expect(await response.text()).toContain('This form is out of date')
})

it('lets its forms lead to the app and nowhere else, and is framed and kept by nobody', async () => {
  const { page } = await openAuthorizationSignedIn()
  const policy = page.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("form-action 'self' http://127.0.0.1:9;")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toContain('unsafe')
  expect(page.headers.get('cache-control')).toBe('no-store')
  expect(page.html).not.toMatch(/<script|<style|style=|https?:\/\/(?!www\.w3\.org)/)
})

it('names the scheme where the policy cannot name the host: IPv6', async () => {
  const { clientId } = await createOauthClient(world.service.deps, {
    name: 'Six',
    redirectUris: ['http://[::1]:9/callback'],
    confidential: false,
  })
  const six: TestApp = { ...world.zapier, server: await discover(world.service), clientId }
  const { startUrl } = await newFlow(six, { redirect_uri: 'http://[::1]:9/callback' })
  const { page } = await createBrowser().open(startUrl)
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http:;")
})

it('keeps its cookies from scripts and from other sites', async () => {
  const authorization = await openAuthorization()
  const { startUrl } = await newFlow(world.zapier)
  const first = await fetch(startUrl, { redirect: 'manual' })
  for (const cookie of [...first.headers.getSetCookie(), ...authorization.page.headers.getSetCookie()]) {
    expect(cookie.toLowerCase()).toContain('httponly')
    expect(cookie.toLowerCase()).toContain('samesite=lax')
  }
})

it('leads after a sign-in of its own to a path of its own only', async () => {
  // Where it leads by itself: the first of the person's workspaces.
  const overview = `/w/${world.robin.workspaces.Acme}/overview`
  for (const [next, path] of [
    ['/dashboard?tab=calls', '/dashboard'],
    ['//evil.example/', overview],
    ['https://evil.example/', overview],
    ['/\\evil.example', overview],
  ] as const) {
    const browser = createBrowser()
    const { page } = await browser.open(`${world.service.url}/sign-in?next=${encodeURIComponent(next)}`)
    const { page: after, externalUrl } = await browser.press(page, 'Sign in', {
      email: world.robin.email,
      password,
    })
    expect(externalUrl).toBeNull()
    expect(new URL(after.url).pathname).toBe(path)
  }
})

it('signs out for good: the old cookie opens nothing', async () => {
  const browser = createBrowser()
  const { page } = await browser.open(`${world.service.url}/sign-in`)
  const { page: inside } = await browser.press(page, 'Sign in', { email: world.robin.email, password })
  expect(inside.text).toContain(world.robin.email)
  const cookie = browser.cookies().join('; ')
  await browser.press(inside, 'Sign out')
  const response = await fetch(`${world.service.url}/sign-in`, { headers: { cookie } })
  expect(await response.text()).toContain('name="password"')
})

it('connects through the helper that the journey uses', async () => {
  const flow = await newFlow(world.zapier)
  const externalUrl = await signInAndConsent({
    startUrl: flow.startUrl,
    email: world.robin.email,
    password,
    workspaceName: 'Globex',
  })
  expect(await connected(externalUrl, flow)).toBe(200)
})
