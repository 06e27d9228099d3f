import { describe, expect, it } from '@jest/globals'
import { createBrowser, signInAndConsent } from '../../../support/browser.ts'
import { createOauthClient } from '../../accounts/oauth/create-oauth-client.ts'
import { useConsentWorld } from '../support/consent.ts'
import { password } from '../support/factories.ts'
import { discover, newFlow, seedApp, seedUserWithWorkspaces, type TestApp } from '../support/oauth.ts'

const { world, allowAccess, connected, openAuthorization, openAuthorizationSignedIn } = useConsentWorld()

describe('the sign-in page', () => {
  it("accepts an email that's typed in capital letters", async () => {
    const { browser, page } = await openAuthorization()
    const { page: next } = await browser.press(page, 'Sign in', {
      email: world.robin.email.toUpperCase(),
      password,
    })
    expect(next.text).toContain('Which workspace?')
  })

  it.each([
    ['a wrong password', { password: 'wrong' }],
    ['an unknown email', { email: 'nobody@example.com' }],
    ['an empty form', { email: '', password: '' }],
  ])('shows the same error for %s', async (_what, wrong) => {
    const { browser, page } = await openAuthorization()
    const { page: next } = await browser.press(page, 'Sign in', {
      email: world.robin.email,
      password,
      ...wrong,
    })
    expect(next.status).toBe(422)
    expect(next.text).toContain('Incorrect email or password')
  })

  it('fills in the email that the app sent as login_hint', async () => {
    const { page } = await openAuthorization({ login_hint: world.robin.email })
    expect(page.html).toContain(`value="${world.robin.email}"`)
  })

  it('blocks sign-in with an email for five minutes after ten wrong passwords', async () => {
    const eve = await seedUserWithWorkspaces(world.service.deps, 'Eve')
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

  it('lets the user sign out and a different user sign in', async () => {
    const sam = await seedUserWithWorkspaces(world.service.deps, 'Umbrella')
    const authorization = await openAuthorizationSignedIn()
    const { page } = await authorization.browser.press(authorization.page, 'Not you? Sign out')
    expect(page.html).toContain('name="password"')
    const { page: consent } = await authorization.browser.press(page, 'Sign in', {
      email: sam.email,
      password,
    })
    const { externalUrl } = await allowAccess({ ...authorization, page: consent }, 'Umbrella')
    expect(await connected(externalUrl, authorization.flow)).toBe(200)
  })

  it('asks for the password again if the app sends prompt=login', async () => {
    const first = await openAuthorizationSignedIn()
    const again = await openAuthorization({ prompt: 'login' }, first.browser)
    expect(again.page.html).toContain('name="password"')
    const { page } = await again.browser.press(again.page, 'Sign in', { email: world.robin.email, password })
    const { externalUrl } = await allowAccess({ ...again, page }, 'Acme')
    expect(await connected(externalUrl, again.flow)).toBe(200)
  })

  it('asks for the password again two weeks after the sign-in', async () => {
    const { browser } = await openAuthorizationSignedIn()
    world.service.deps.clock.advance(14 * 86_400_000)
    expect((await openAuthorization({}, browser)).page.html).toContain('name="password"')
  })

  it("after a sign-in that wasn't started by an app, redirects only to Outdial's own paths", async () => {
    // The page after a sign-in without a valid `next` path: the overview of the user's first workspace.
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

  it('after a user signs out, no longer accepts the cookie of that session', async () => {
    const browser = createBrowser()
    const { page } = await browser.open(`${world.service.url}/sign-in`)
    const { page: inside } = await browser.press(page, 'Sign in', { email: world.robin.email, password })
    expect(inside.text).toContain(world.robin.email)
    const cookie = browser.cookies().join('; ')
    await browser.press(inside, 'Sign out')
    const response = await fetch(`${world.service.url}/sign-in`, { headers: { cookie } })
    expect(await response.text()).toContain('name="password"')
  })
})

describe('the consent page', () => {
  it('shows the app, the permissions it asks for, the user, and the site that the user returns to', async () => {
    const { page } = await openAuthorizationSignedIn()
    expect(page.text).toContain('Connect Zapier')
    expect(page.text).toContain(world.robin.email)
    expect(page.text).toContain("See your email and the workspace's name")
    expect(page.text).toContain('See calls with their transcripts')
    expect(page.text).not.toContain('Create campaigns')
    expect(page.text).toContain('take you back to 127.0.0.1:9')
  })

  it("escapes HTML in the app's name", async () => {
    const name = '<script>alert(1)</script>"&'
    const evil = await seedApp(world.service, 'confidential', name)
    const { page } = await createBrowser().open((await newFlow(evil)).startUrl)
    expect(page.html).not.toContain('<script')
    expect(page.text).toContain(name)
  })

  it('preselects the workspace if the user has only one', async () => {
    const sam = await seedUserWithWorkspaces(world.service.deps, 'Initech')
    const authorization = await openAuthorizationSignedIn(sam)
    expect(authorization.page.html).toMatch(/name="workspace_id" value="\d+" required checked/)
  })

  it('asks the user to choose a workspace if the form was submitted without one', async () => {
    const authorization = await openAuthorizationSignedIn()
    const { page, externalUrl } = await authorization.browser.press(authorization.page, 'Allow')
    expect(externalUrl).toBeNull()
    expect(page.status).toBe(422)
    expect(page.text).toContain('Choose the workspace')
  })

  it("rejects a workspace that the user isn't a member of", async () => {
    const kim = await seedUserWithWorkspaces(world.service.deps, 'Hooli')
    const authorization = await openAuthorizationSignedIn()
    const { page, externalUrl } = await authorization.browser.press(authorization.page, 'Allow', {
      workspace_id: String(kim.workspaces.Hooli),
    })
    expect(externalUrl).toBeNull()
    expect(page.status).toBe(422)
  })

  it("if the user isn't a member of any workspace, says so and returns the user to the app with access_denied", async () => {
    const authorization = await openAuthorizationSignedIn(await seedUserWithWorkspaces(world.service.deps))
    expect(authorization.page.text).toContain('not a member of any workspace')
    const { externalUrl } = await authorization.browser.press(authorization.page, 'Back to Zapier')
    expect(new URL(externalUrl ?? '').searchParams.get('error')).toBe('access_denied')
  })

  it.each(['sign-in', 'consent'])(
    'returns access_denied to the app when the user chooses Cancel on the %s page',
    async (where) => {
      const authorization =
        where === 'consent' ? await openAuthorizationSignedIn() : await openAuthorization()
      const { externalUrl } = await authorization.browser.press(authorization.page, 'Cancel')
      const { searchParams } = new URL(externalUrl ?? '')
      expect(searchParams.get('error')).toBe('access_denied')
      expect(searchParams.get('state')).toBe(authorization.flow.state)
    },
  )

  it('accepts the sign-in and the consent that the helper signInAndConsent() submits', async () => {
    const flow = await newFlow(world.zapier)
    const externalUrl = await signInAndConsent({
      startUrl: flow.startUrl,
      email: world.robin.email,
      password,
      workspaceName: 'Globex',
    })
    expect(await connected(externalUrl, flow)).toBe(200)
  })
})

describe('security', () => {
  it('treats NUL characters as invalid input, not as a server error', async () => {
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

  it("the consent page submits forms only to Outdial and the app, and can't be framed or cached", async () => {
    const { page } = await openAuthorizationSignedIn()
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("form-action 'self' http://127.0.0.1:9;")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.html).not.toMatch(/<script|<style|style=|https?:\/\/(?!www\.w3\.org)/)
  })

  it("for a redirect URI with an IPv6 address, allows forms to go to any http: URL, because a CSP can't name that address", async () => {
    const { clientId } = await createOauthClient(world.service.deps, {
      name: 'Six',
      redirect_uris: ['http://[::1]:9/callback'],
      confidential: false,
    })
    const six: TestApp = { ...world.zapier, server: await discover(world.service), clientId }
    const { startUrl } = await newFlow(six, { redirect_uri: 'http://[::1]:9/callback' })
    const { page } = await createBrowser().open(startUrl)
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http:;")
  })

  it('sets HttpOnly and SameSite=Lax on every cookie', async () => {
    const authorization = await openAuthorization()
    const { startUrl } = await newFlow(world.zapier)
    const first = await fetch(startUrl, { redirect: 'manual' })
    for (const cookie of [...first.headers.getSetCookie(), ...authorization.page.headers.getSetCookie()]) {
      expect(cookie.toLowerCase()).toContain('httponly')
      expect(cookie.toLowerCase()).toContain('samesite=lax')
    }
  })
})
