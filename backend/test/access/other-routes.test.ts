import { beforeAll, expect, it } from '@jest/globals'
import { type Browser, createBrowser } from '../../../support/browser.ts'
import { createInvitation } from '../../accounts/identity/invitations.ts'
import { createResetLink } from '../../accounts/identity/password-resets.ts'
import { endSession } from '../../accounts/identity/sessions.ts'
import { hourMs, secondMs } from '../../platform/core/durations.ts'
import { attemptReportsPath } from '../../platform/core/runtime-paths.ts'
import { csrfTokenOf } from '../support/csrf.ts'
import { seedSignedInMember } from '../support/dashboard.ts'
import { password } from '../support/factories.ts'
import { dumpRows, isAction, isPage } from '../support/foreign-objects.ts'
import { apiStatus, connect, newFlow, redirectUri, seedApp, type TestApp } from '../support/oauth.ts'
import { listDashboardRoutes } from '../support/page-paths.ts'
import { type SeededObjects, seedEverything } from '../support/seed-everything.ts'
import { useServiceWorld } from '../support/service.ts'
import { listApiRoutes, listRoutes, publicRoutes } from '../support/service-routes.ts'

// The routes outside the tables of the API, the dashboard, and the tool server: sign-in, OAuth, links, and public files. A test
// fails if a route of the service is neither in one of these tables nor below.

interface Attempt {
  fields?: Record<string, string>
  cookies?: string
}

/** Routes that `listRoutes` leaves out because of their wildcard. A test checks that they exist. */
const wildcardRoutes = ['GET /assets/*', 'GET /w/*']

/**
 * A route that Fastify serves for agent runtimes. Its tests are with those of the tool server's routes, which Fastify doesn't
 * serve.
 */
const runtimeRoutes = [`POST ${attemptReportsPath(':id')}`]

let ours: SeededObjects
let theirs: SeededObjects
let app: TestApp
let otherApp: TestApp
/** The tokens that `app` has for the other workspace. */
let tokens: { access_token: string; refresh_token: string }
/** Paths of authorizations: one begun by the other workspace's owner, one begun by our owner, and an expired one. */
let theirConnect: string
let ourConnect: string
let expiredConnect: string
/** The cookies and CSRF token of each visitor. Without the token, every form would be rejected. */
let visitors: { cookies: string; csrf: string }[]
/** Links that are no longer valid, because a newer link has replaced them or they have expired. */
let endedLinks: Record<'reset' | 'invitation', string[]>
const world = useServiceWorld()

/** Returns a browser's cookies, except the one that's only for the authorization that it began. */
const cookiesOf = (browser: Browser) =>
  browser
    .cookies()
    .filter((cookie) => !cookie.startsWith('oauth_resume'))
    .join('; ')

async function visit(browser: Browser, path: string) {
  const { page } = await browser.open(`${world.service.url}${path}`)
  return { cookies: cookiesOf(browser), csrf: csrfTokenOf(page.html) }
}

/** Begins an authorization, signs in, and returns the path of the consent page. */
async function beginAuthorization(email: string, browser = createBrowser()): Promise<string> {
  const { page } = await browser.open((await newFlow(app)).startUrl)
  const { page: consentPage } = await browser.press(page, 'Sign in', { email, password })
  return new URL(consentPage.url).pathname
}

beforeAll(async () => {
  const { service } = world
  const { deps } = service
  ours = await seedEverything(service, 'Ours')
  theirs = await seedEverything(service, 'Theirs')
  app = await seedApp(service, 'confidential')
  otherApp = await seedApp(service, 'confidential', 'Other')

  const invitation = { email: 'invited@example.com', role: 'owner' } as const
  const reset = await createResetLink(deps, theirs.owner)
  const usedReset = await createResetLink(deps, theirs.owner) // deletes the first link
  const invited = await createInvitation(deps, theirs.workspaceId, theirs.owner, invitation)
  expiredConnect = await beginAuthorization(theirs.user.email)
  deps.clock.advance(24 * 30 * hourMs)
  endedLinks = {
    reset: [reset.link, usedReset.link],
    invitation: [invited.link],
  }

  const member = await seedSignedInMember(service, theirs.workspaceId, 'owner')
  await endSession(deps, member.browser.cookies()[0]?.split('=')[1])
  const owner = { ...theirs.user, workspaces: { Theirs: theirs.workspaceId } }
  tokens = await connect(app, owner, 'Theirs')
  theirConnect = await beginAuthorization(theirs.user.email)
  const ourBrowser = createBrowser()
  ourConnect = await beginAuthorization(ours.user.email, ourBrowser)
  visitors = [
    await visit(createBrowser(), '/sign-in'),
    await visit(member.browser, '/sign-in'),
    await visit(ourBrowser, ourConnect),
  ]
})

/** Returns three attempts: without a session, with an ended session, and as another workspace's owner in an authorization. */
const strangers = (fields?: Record<string, string>): Attempt[] =>
  visitors.map(({ cookies, csrf }) => ({ cookies, ...(fields && { fields: { ...fields, _csrf: csrf } }) }))

const signedOut = (fields?: Record<string, string>): Attempt[] => strangers(fields).slice(0, 2)

const withClient = ({ clientId, secret }: TestApp, fields: Record<string, string>): Attempt => ({
  fields: { client_id: clientId, client_secret: secret ?? '', ...fields },
})

const pathOf = (link: string) => new URL(link).pathname

/** For each route, the paths and the attempts that must not read or change anything. */
const guardedRoutes: Record<string, () => { path: string; attempts: Attempt[] }[]> = {
  'GET /connect/:uid': () => connectAttempts(''),
  'POST /connect/:uid/sign-in': () => connectAttempts('/sign-in', { email: theirs.user.email, password }),
  'POST /connect/:uid/allow': () => {
    const fields = { user_id: String(theirs.owner), workspace_id: String(theirs.workspaceId) }
    const ownFields = { ...fields, user_id: String(ours.owner) }
    return [
      ...connectAttempts('/allow', fields),
      // A user can't allow access to a workspace of another user, even in their own authorization.
      { path: `${ourConnect}/allow`, attempts: [...strangers(fields), ...strangers(ownFields)] },
    ]
  },
  'POST /connect/:uid/cancel': () => connectAttempts('/cancel', {}),
  'POST /connect/:uid/sign-out': () => connectAttempts('/sign-out', {}),
  'GET /oauth/authorize': () => [
    ...[
      { client_id: 'odc_unknown' },
      { redirect_uri: 'https://attacker.example/callback' },
      { redirect_uri: `${redirectUri}/other` },
    ].map((wrong) => ({
      path: `/oauth/authorize?${new URLSearchParams({ response_type: 'code', client_id: app.clientId, redirect_uri: redirectUri, ...wrong }).toString()}`,
      attempts: strangers(),
    })),
  ],
  'GET /oauth/authorize/:uid': () =>
    [theirConnect, expiredConnect].map((path) => ({
      path: path.replace('/connect/', '/oauth/authorize/'),
      attempts: strangers(),
    })),
  'POST /oauth/token': () => {
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    return [
      {
        path: '/oauth/token',
        attempts: [
          { fields: refresh },
          { fields: { ...refresh, client_id: app.clientId } },
          { fields: { ...refresh, client_id: app.clientId, client_secret: 'wrong' } },
          withClient(otherApp, refresh),
          withClient(app, { grant_type: 'refresh_token', refresh_token: tokens.access_token }),
          withClient(app, { grant_type: 'authorization_code', code: 'made-up', redirect_uri: redirectUri }),
          withClient(app, { grant_type: 'client_credentials' }),
          withClient(app, { grant_type: 'password', username: theirs.user.email, password }),
        ],
      },
    ]
  },
  'POST /oauth/revoke': () => [
    {
      path: '/oauth/revoke',
      attempts: Object.values(tokens)
        .filter((token) => typeof token === 'string')
        .flatMap((token) => [
          { fields: { token } },
          { fields: { token, client_id: app.clientId, client_secret: 'wrong' } },
          withClient(otherApp, { token }),
        ]),
    },
  ],
  'POST /sign-in': () => [
    {
      path: '/sign-in',
      attempts: signedOut({ email: theirs.user.email, password: 'a password that is wrong' }),
    },
  ],
  'POST /sign-out': () => [{ path: '/sign-out', attempts: signedOut({}) }],
  'POST /sign-up': () => [
    {
      path: '/sign-up',
      attempts: strangers({ name: 'Eve', email: theirs.user.email, password: 'a password of a stranger' }),
    },
  ],
  'GET /workspaces/new': () => [{ path: '/workspaces/new', attempts: signedOut() }],
  'POST /workspaces/new': () => [
    {
      path: '/workspaces/new',
      attempts: signedOut({ name: 'Eve', country: 'US', time_zone: 'America/New_York' }),
    },
  ],
  'GET /reset-password/:token': () => linkAttempts('/reset-password/made-up', endedLinks.reset),
  'POST /reset-password/:token': () =>
    linkAttempts('/reset-password/made-up', endedLinks.reset, { password: 'a password of a stranger' }),
  'GET /invitations/:token': () => linkAttempts('/invitations/made-up', endedLinks.invitation),
  'POST /invitations/:token': () =>
    linkAttempts('/invitations/made-up', endedLinks.invitation, {
      name: 'Eve',
      email: 'eve@example.com',
      password: 'a password of a stranger',
    }),
  'GET /w/:workspace': () => [{ path: `/w/${theirs.workspaceId}`, attempts: strangers() }],
  'GET /w/*': () => [{ path: `/w/${theirs.workspaceId}/unknown/page`, attempts: strangers() }],
}

const connectAttempts = (action: string, fields?: Record<string, string>) =>
  [theirConnect, expiredConnect, '/connect/made-up'].map((path) => ({
    path: `${path}${action}`,
    attempts: strangers(fields),
  }))

const linkAttempts = (madeUp: string, links: string[], fields?: Record<string, string>) =>
  [madeUp, ...links.map(pathOf)].map((path) => ({ path, attempts: strangers(fields) }))

const send = async (method: string, path: string, { fields, cookies = '' }: Attempt) => {
  world.service.deps.clock.advance(secondMs) // otherwise, the rate limit would reject the later requests
  const response = await fetch(`${world.service.url}${path}`, {
    method,
    redirect: 'manual',
    headers: { cookie: cookies },
    ...(method === 'POST' && { body: new URLSearchParams(fields) }),
  })
  return {
    status: response.status,
    location: response.headers.get('location') ?? '',
    cookies: response.headers.getSetCookie(),
    text: await response.text(),
  }
}

it('these tests cover every route of the service that no other access test covers', () => {
  const known = [
    ...listApiRoutes(),
    ...listDashboardRoutes(world.service.deps).flatMap((route) => [
      ...(isPage(route) ? [`GET /w/:workspace${route.path}`] : []),
      ...(isAction(route) ? [`POST /w/:workspace${route.path}`] : []),
    ]),
    ...publicRoutes,
    ...runtimeRoutes,
    ...Object.keys(guardedRoutes),
  ].filter((route) => !wildcardRoutes.includes(route))
  for (const route of wildcardRoutes) {
    const [, url = ''] = route.split(' ')
    expect([route, world.service.app.hasRoute({ method: 'GET', url })]).toEqual([route, true])
  }
  expect(listRoutes(world.service.app).sort()).toEqual(known.sort())
})

it("without a credential that's valid for the route, rejects a request, shows no data, and changes nothing", async () => {
  const before = await dumpRows(world.database)
  const wrong: string[] = []
  for (const [route, createAttempts] of Object.entries(guardedRoutes)) {
    const [method = ''] = route.split(' ')
    for (const { path, attempts } of createAttempts()) {
      for (const [index, attempt] of attempts.entries()) {
        const { status, location, cookies, text } = await send(method, path, attempt)
        const isRejected = status >= 400 || /^\/(sign-in|$)/.test(location) || path === '/oauth/revoke'
        const isSignedIn = cookies.some((cookie) => /^outdial_session=[^;]/.test(cookie))
        if (!isRejected || isSignedIn || /theirs/i.test(text))
          wrong.push(`${method} ${path} attempt ${index}: ${status} ${location} ${cookies.join()}`)
      }
    }
  }
  expect(wrong).toEqual([])
  expect(await dumpRows(world.database)).toEqual(before)
  expect(await apiStatus(world.service, tokens.access_token)).toBe(200)
})

it('a request to a public route shows no data of a workspace, and changes nothing', async () => {
  const before = await dumpRows(world.database)
  const wrong: string[] = []
  for (const route of [...publicRoutes, 'GET /assets/style.css', 'GET /docs/unknown']) {
    const [method = '', path = ''] = route.split(' ')
    for (const attempt of signedOut()) {
      const { status, text } = await send(method, path, attempt)
      if (status >= 500 || /theirs/i.test(text)) wrong.push(`${route} ${status}`)
    }
  }
  expect(wrong).toEqual([])
  expect(await dumpRows(world.database)).toEqual(before)
})
