import { describe, expect, it } from '@jest/globals'
import { createBrowser } from '../../../support/browser.ts'
import { endMembership } from '../../accounts/access/remove-member.ts'
import { useConsentWorld } from '../support/consent.ts'
import { csrfTokenOf } from '../support/csrf.ts'
import { password } from '../support/factories.ts'
import { newFlow, seedUserWithWorkspaces } from '../support/oauth.ts'

const { world, allowAccess, connected, openAuthorization, openAuthorizationSignedIn } = useConsentWorld()

describe('an authorization in progress', () => {
  it("can't be approved by a user other than the one who was shown it", async () => {
    const sam = await seedUserWithWorkspaces(world.service.deps, 'Acme')
    const authorization = await openAuthorizationSignedIn()
    const { page: signInPage } = await authorization.browser.open(`${world.service.url}/sign-in`)
    const { page: out } = await authorization.browser.press(signInPage, 'Sign out')
    await authorization.browser.press(out, 'Sign in', { email: sam.email, password })
    const { page, externalUrl } = await authorization.browser.press(authorization.page, 'Allow', {
      workspace_id: String(sam.workspaces.Acme),
    })
    expect(externalUrl).toBeNull()
    expect(page.text).toContain('signed in as a different user')
  })

  it("doesn't affect another authorization in a second tab of the same browser", async () => {
    const one = await openAuthorizationSignedIn()
    const two = await openAuthorization({}, one.browser)
    const second = await allowAccess(two, 'Globex')
    const first = await allowAccess(one, 'Acme')
    expect(await connected(first.externalUrl, one.flow)).toBe(200)
    expect(await connected(second.externalUrl, two.flow)).toBe(200)
  })

  it('continues after a restart of the service', async () => {
    const authorization = await openAuthorizationSignedIn()
    await world.restartService()
    const { externalUrl } = await allowAccess(authorization, 'Acme')
    expect(await connected(externalUrl, authorization.flow)).toBe(200)
  })

  it("can be open in two tabs, and returns 410 to the tab that's submitted second", async () => {
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

  it('creates only one grant when the user double-clicks Allow, and redirects to the app', async () => {
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

  it('when the user goes back to the consent page after allowing access, says that the page is no longer valid', async () => {
    const authorization = await openAuthorizationSignedIn()
    await allowAccess(authorization, 'Acme')
    const { page } = await authorization.browser.open(authorization.page.url)
    expect(page.status).toBe(410)
    expect(page.text).toContain('no longer valid')
  })

  it("shows an error page at the return URL of an authorization that doesn't exist", async () => {
    const { page } = await createBrowser().open(`${world.service.url}/oauth/authorize/${'x'.repeat(43)}`)
    expect(page.status).toBe(410)
    expect(page.text).toContain('no longer valid')
  })
})

describe('an authorization that fails', () => {
  it('issues no code if the consent page is skipped', async () => {
    const authorization = await openAuthorizationSignedIn()
    const { externalUrl } = await authorization.browser.open(
      authorization.page.url.replace('/connect/', '/oauth/authorize/'),
    )
    expect(new URL(externalUrl ?? '').searchParams.get('error')).toBe('access_denied')
  })

  it('expires after 15 minutes', async () => {
    const authorization = await openAuthorizationSignedIn()
    world.service.deps.clock.advance(15 * 60_000)
    const { page } = await allowAccess(authorization, 'Acme')
    expect(page.status).toBe(410)
  })

  it("isn't shown in a browser that didn't start it", async () => {
    const authorization = await openAuthorizationSignedIn()
    const { page } = await createBrowser().open(authorization.page.url)
    expect(page.status).toBe(410)
  })

  it("issues no code if the user's membership ends while the consent page is open", async () => {
    const kim = await seedUserWithWorkspaces(world.service.deps, 'Vandelay', 'Other')
    const authorization = await openAuthorizationSignedIn(kim)
    await endMembership(world.service.deps, kim.workspaces.Vandelay ?? 0, kim.userId)
    const { page, externalUrl } = await allowAccess(authorization, 'Vandelay')
    expect(externalUrl).toBeNull()
    expect(page.status).toBe(422)
  })

  it('returns access_denied to the app if the user allows access but loses the membership before the redirect', async () => {
    const kim = await seedUserWithWorkspaces(world.service.deps, 'Stark')
    const { browser, page } = await openAuthorizationSignedIn(kim)
    const workspaceId = kim.workspaces.Stark ?? 0
    const allowed = await fetch(`${page.url}/allow`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: browser.cookies().join('; ') },
      body: new URLSearchParams({
        _csrf: csrfTokenOf(page.html),
        user_id: String(kim.userId),
        workspace_id: String(workspaceId),
      }),
    })
    expect(allowed.status).toBe(303)
    await endMembership(world.service.deps, workspaceId, kim.userId)
    const { externalUrl } = await browser.open(allowed.headers.get('location') ?? '')
    expect(new URL(externalUrl ?? '').searchParams.get('error')).toBe('access_denied')
  })

  it.each([
    ['an unknown app', { client_id: 'odc_nobody' }, 'Unknown app'],
    [
      'an unregistered redirect URI',
      { redirect_uri: 'http://127.0.0.1:9/callback/' },
      'Unknown redirect URI',
    ],
    ['another loopback port', { redirect_uri: 'http://127.0.0.1:8/callback' }, 'Unknown redirect URI'],
    ['a missing redirect URI', { redirect_uri: null }, "request isn't valid"],
    ['a missing client ID', { client_id: null }, "request isn't valid"],
  ])(
    'with %s, shows an error page instead of redirecting to the app',
    async (_what, paramOverrides, title) => {
      const browser = createBrowser()
      const { page, externalUrl } = await browser.open((await newFlow(world.zapier, paramOverrides)).startUrl)
      expect(externalUrl).toBeNull()
      expect(page.status).toBe(400)
      expect(page.headers.get('content-type')).toContain('text/html')
      expect(page.text).toContain(title)
      expect(page.text).not.toMatch(/node_modules|\bat \w+ \(/)
    },
  )

  it.each(['sign-in', 'allow', 'cancel', 'sign-out'])(
    "rejects a %s request that lacks the form's CSRF token",
    async (action) => {
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
    },
  )
})
