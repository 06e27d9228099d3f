import { beforeAll, expect, it } from '@jest/globals'
import { removeMember } from '../../accounts/access/remove-member.ts'
import { disconnectApp, revokeApiKey } from '../../accounts/access/revoke-connection.ts'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { withdrawInvitation } from '../../accounts/identity/invitations.ts'
import { changeRole } from '../../accounts/identity/members.ts'
import { apiPrefix, routes as apiRoutes } from '../../api/routes.ts'
import { secondMs } from '../../platform/core/durations.ts'
import { attemptReportsPath } from '../../platform/core/runtime-paths.ts'
import { createAttemptToken } from '../../platform/secrets/attempt-tokens.ts'
import { inputFor } from '../support/api-requests.ts'
import { seedSignedInMember, type SignedInUser } from '../support/dashboard.ts'
import { getWidgetId, seedLiveCall } from '../support/factories.ts'
import { fillConsentForm, fillInvitation, fillNewPassword } from '../support/filled-forms.ts'
import { dumpRows, fieldsWith, getCsrfToken, isAction, workspacePath } from '../support/foreign-objects.ts'
import { beginRequest, type LateResponse } from '../support/late-request.ts'
import { secret } from '../support/mcp.ts'
import { connect, seedApp, type TestApp } from '../support/oauth.ts'
import { listDashboardRoutes, type ListedRoute, pathFor } from '../support/page-paths.ts'
import { ownerPaths } from '../support/page-roles.ts'
import { type SeededObjects, seedEverything } from '../support/seed-everything.ts'
import { useServiceWorld } from '../support/service.ts'
import { listApiRoutes, listRoutes } from '../support/service-routes.ts'

// These tests begin a request to each route that writes, take a right away, and then send the rest of the body. They include
// routes added later: a test fails if a route is neither in a table nor below.

interface Case {
  /** The route and the right that's taken away. */
  name: string
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer | string
  takeAway: () => Promise<unknown>
  isRejected: (response: LateResponse) => boolean
}

let ours: SeededObjects
let routes: ListedRoute[]
let app: TestApp
let runtimeSecrets: readonly string[] = [secret]
let widgetId: string
const world = useServiceWorld()

beforeAll(async () => {
  const { service } = world
  service.deps.runtimeSecrets = () => runtimeSecrets
  routes = listDashboardRoutes(service.deps).filter(isAction)
  ours = await seedEverything(service, 'Ours')
  app = await seedApp(service, 'confidential')
  widgetId = await getWidgetId(service.deps, ours.agent)
})

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }

const encode = (fields: Record<string, string>) => new URLSearchParams(fields).toString()

/** Adds an owner to our workspace, so that a test can take a right away from this owner. */
const seedOwner = ({ service } = world): Promise<SignedInUser> =>
  seedSignedInMember(service, ours.workspaceId, 'owner')

const cookiesOf = ({ browser }: SignedInUser) => ({ cookie: browser.cookies().join('; ') })

const endSessions = ({ userId }: SignedInUser) =>
  world.database.db.deleteFrom('session').where('user_id', '=', userId).execute()

const endMembership = ({ userId }: SignedInUser) => removeMember(world.service.deps, ours.workspaceId, userId)

const makeMember = ({ userId }: SignedInUser) =>
  changeRole(world.service.deps, ours.workspaceId, userId, 'member')

const isSignInRedirect = ({ status, location, text }: LateResponse) =>
  status === 303 && /^\/sign-in(\?|$)/.test(location) && text === ''

/** The rights that a user of the dashboard can lose, and how a form is rejected afterward. */
const losses = {
  session: { takeAway: endSessions, isRejected: isSignInRedirect },
  membership: { takeAway: endMembership, isRejected: ({ status }: LateResponse) => status === 404 },
  role: { takeAway: makeMember, isRejected: ({ status }: LateResponse) => status === 403 },
}

/** Returns the headers and body with which a browser sends a page's form, with valid values. */
async function encodeForm(route: ListedRoute, user: SignedInUser) {
  const fields = { ...fieldsWith(ours), _csrf: await getCsrfToken(user) }
  if (!('fileLimit' in route) || route.fileLimit === undefined) return { headers: form, body: encode(fields) }
  const parts = new FormData()
  for (const [name, value] of Object.entries(fields)) parts.set(name, value)
  parts.set('file', new File(['phone\n+12025550177\n'], 'contacts.csv', { type: 'text/csv' }))
  const encoded = new Response(parts)
  return {
    headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
    body: Buffer.from(await encoded.arrayBuffer()),
  }
}

async function createFormCase(route: ListedRoute, loss: keyof typeof losses): Promise<Case> {
  const user = await seedOwner()
  const { headers, body } = await encodeForm(route, user)
  const { takeAway, isRejected } = losses[loss]
  return {
    name: `POST ${route.path} without the ${loss}`,
    method: 'POST',
    path: workspacePath(ours, pathFor(route, ours)),
    headers: { ...headers, ...cookiesOf(user) },
    body,
    takeAway: () => takeAway(user),
    isRejected,
  }
}

const formCases = () =>
  routes.flatMap((route) =>
    (['session', 'membership', ...(ownerPaths.includes(route.path) ? (['role'] as const) : [])] as const).map(
      (loss) => () => createFormCase(route, loss),
    ),
  )

/** Connects our app for a user, with all scopes, and returns the tokens. */
const connectApp = (user: SignedInUser) =>
  connect(app, { ...user, workspaces: { Ours: ours.workspaceId } }, 'Ours', {
    browser: user.browser,
    paramOverrides: { scope: null },
  })

const disconnect = ({ userId }: SignedInUser) =>
  disconnectApp(world.service.deps, ours.workspaceId, userId, app.clientId)

/** The rights that a client of the API can lose. */
const apiLosses: Record<
  string,
  (user: SignedInUser) => Promise<{ token: string; takeAway: () => Promise<unknown> }>
> = {
  key: async ({ userId }) => {
    const { id, key } = await createApiKey(world.service.deps, ours.workspaceId, userId, 'Late')
    return { token: key, takeAway: () => revokeApiKey(world.service.deps, ours.workspaceId, id) }
  },
  membership: async (user) => {
    const { key } = await createApiKey(world.service.deps, ours.workspaceId, user.userId, 'Late')
    return { token: key, takeAway: () => endMembership(user) }
  },
  connection: async (user) => ({
    token: (await connectApp(user)).access_token,
    takeAway: () => disconnect(user),
  }),
}

const writingApiRoutes = apiRoutes.filter(({ method }) => method !== 'GET')

async function createApiCase(route: (typeof apiRoutes)[number], loss: string, isValid = true): Promise<Case> {
  const user = await seedOwner()
  const { id = '', body = {} } = inputFor(route, ours)
  const lose = apiLosses[loss]
  if (lose === undefined) throw new Error(`no loss ${loss}`)
  const { token, takeAway } = await lose(user)
  return {
    name: `${route.operationId}${isValid ? '' : ' with an invalid body'} without the ${loss}`,
    method: route.method,
    path: `${apiPrefix}${route.path.replace(':id', String(id))}`,
    headers: { ...json, authorization: `Bearer ${token}`, 'idempotency-key': `${route.operationId} ${loss}` },
    body: isValid ? JSON.stringify(body) : '{"unknown":',
    takeAway,
    isRejected: ({ status }) => status === 401,
  }
}

const apiCases = () =>
  writingApiRoutes.flatMap((route) => [
    ...Object.keys(apiLosses).map((loss) => () => createApiCase(route, loss)),
    ...(route.body.type === 'unknown' ? [] : [() => createApiCase(route, 'key', false)]),
  ])

/** Begins an authorization as a signed-in owner, and returns the case of the consent form. */
async function createConsentCase(loss: 'session' | 'membership'): Promise<Case> {
  const user = await seedOwner()
  const { path, fields } = await fillConsentForm(app, user, ours.workspaceId)
  return {
    name: `POST /connect/:uid/allow without the ${loss}`,
    method: 'POST',
    path,
    headers: { ...form, ...cookiesOf(user) },
    body: encode(fields),
    takeAway: () => losses[loss].takeAway(user),
    // The page shows the sign-in form, or the workspaces that the user still belongs to.
    isRejected: ({ status, text }) => (status === 200 || status === 422) && !text.includes('>Ours<'),
  }
}

async function createInvitationCase(loss: 'invitation' | 'role' | 'session'): Promise<Case> {
  const { deps } = world.service
  const inviter = await seedOwner()
  const invitee = await seedOwner()
  await endMembership(invitee)
  const people = { inviterId: inviter.userId, invitee }
  const { path, fields } = await fillInvitation(deps, ours.workspaceId, people)
  const withdraw = async () => {
    const { id } = await deps.db
      .selectFrom('invitation')
      .select('id')
      .where('invited_by', '=', inviter.userId)
      .executeTakeFirstOrThrow()
    await withdrawInvitation(deps, ours.workspaceId, id)
  }
  const takeAway = {
    invitation: withdraw,
    role: () => makeMember(inviter),
    session: () => endSessions(invitee),
  }
  return {
    name: `POST /invitations/:token without the ${loss}`,
    method: 'POST',
    path,
    headers: { ...form, ...cookiesOf(invitee) },
    body: encode(fields),
    takeAway: takeAway[loss],
    isRejected: ({ status }) => status === 410 || status === 422,
  }
}

async function createWorkspaceCase(): Promise<Case> {
  const user = await seedOwner()
  const _csrf = await getCsrfToken(user)
  const fields = { _csrf, name: 'New', country: 'US', time_zone: 'America/New_York' }
  return {
    name: 'POST /workspaces/new without the session',
    method: 'POST',
    path: '/workspaces/new',
    headers: { ...form, ...cookiesOf(user) },
    body: encode(fields),
    takeAway: () => endSessions(user),
    isRejected: isSignInRedirect,
  }
}

/** Creates a case: a user sets a password with a reset link, whose creator loses the owner role meanwhile. */
async function createResetCase(): Promise<Case> {
  const owner = await seedOwner()
  const user = await seedOwner()
  const people = { ownerId: owner.userId, user }
  const { path, fields } = await fillNewPassword(world.service.deps, ours.workspaceId, people)
  return {
    name: 'POST /reset-password/:token without the role',
    method: 'POST',
    path,
    headers: { ...form, ...cookiesOf(user) },
    body: encode(fields),
    takeAway: () => makeMember(owner),
    isRejected: ({ status }) => status === 410,
  }
}

async function createTokenCase(loss: 'connection' | 'membership'): Promise<Case> {
  const user = await seedOwner()
  const { refresh_token } = await connectApp(user)
  const client = { client_id: app.clientId, client_secret: app.secret ?? '' }
  return {
    name: `POST /oauth/token without the ${loss}`,
    method: 'POST',
    path: '/oauth/token',
    headers: form,
    body: encode({ ...client, grant_type: 'refresh_token', refresh_token }),
    takeAway: () => (loss === 'membership' ? endMembership(user) : disconnect(user)),
    isRejected: ({ status, text }) => status === 400 && text.includes('invalid_grant'),
  }
}

const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
})

/** Creates a case for a right that an agent runtime can lose. */
async function createRuntimeCase(
  name: string,
  loss: 'attempt' | 'runtime secret',
  toRequest: (attemptId: string) => { path: string; body: string },
): Promise<Case> {
  const { deps } = world.service
  const call = await seedLiveCall(deps, ours.user.seed)
  const { attemptId } = call
  await deps.db.updateTable('call_attempt').set({ provider: 'http' }).where('id', '=', attemptId).execute()
  const previousSecrets = runtimeSecrets
  const extraSecret = `${secret} of ${attemptId}`
  if (loss === 'runtime secret') runtimeSecrets = [...previousSecrets, extraSecret]
  const token = loss === 'attempt' ? createAttemptToken(deps.attemptTokenKey, attemptId) : extraSecret
  return {
    name: `${name} without the ${loss}`,
    method: 'POST',
    ...toRequest(attemptId),
    headers: { ...json, accept: 'application/json, text/event-stream', 'x-agent-secret': token },
    takeAway: async () => {
      if (loss === 'attempt') await call.end()
      else runtimeSecrets = previousSecrets
    },
    isRejected: ({ status }) => status === 401,
  }
}

const toReport = (attemptId: string) => ({
  path: attemptReportsPath(attemptId),
  body: JSON.stringify({ type: 'answered', sequence: 1, at: world.service.deps.clock.now().toISOString() }),
})

/** The cases for routes that are in no table. Routes without a case don't depend on a right that can be taken away. */
const otherRoutes: Record<string, (() => Promise<Case>)[]> = {
  'POST /connect/:uid/allow': [() => createConsentCase('session'), () => createConsentCase('membership')],
  'POST /workspaces/new': [createWorkspaceCase],
  'POST /invitations/:token': [
    () => createInvitationCase('invitation'),
    () => createInvitationCase('role'),
    () => createInvitationCase('session'),
  ],
  'POST /reset-password/:token': [createResetCase],
  'POST /oauth/token': [() => createTokenCase('connection'), () => createTokenCase('membership')],
  [`POST ${attemptReportsPath(':id')}`]: [
    () => createRuntimeCase('a report', 'attempt', toReport),
    () => createRuntimeCase('a report', 'runtime secret', toReport),
  ],
  // Requests to these routes have their credential in the body, or need no credential.
  'POST /connect/:uid/sign-in': [],
  'POST /connect/:uid/cancel': [],
  'POST /connect/:uid/sign-out': [],
  'POST /oauth/revoke': [],
  'POST /sign-in': [],
  'POST /sign-out': [],
  'POST /sign-up': [],
}

const toInitialize = () => ({ path: `/api/mcp/?widget_id=${widgetId}`, body: initialize })

const toolCases = () => [
  () => createRuntimeCase('POST /api/mcp/', 'attempt', () => ({ path: '/api/mcp/', body: initialize })),
  () => createRuntimeCase('POST /api/mcp/', 'runtime secret', toInitialize),
]

/**
 * Sends a request, and takes the right away before the end of the body unless `keepsRights`. Returns the response and the
 * changed tables.
 */
async function finishLate(one: Case, keepsRights = false) {
  world.service.deps.clock.advance(secondMs) // otherwise, the rate limit would reject the later requests
  const begun = await beginRequest(world.service, one)
  if (!keepsRights) await one.takeAway()
  const before = await dumpRows(world.database)
  const response = await begun.finish()
  const after = await dumpRows(world.database)
  const changed = Object.keys(after).filter((table) => after[table]?.join() !== before[table]?.join())
  return { response, changed }
}

async function findLateDeeds(cases: (() => Promise<Case>)[]): Promise<string[]> {
  const wrong: string[] = []
  for (const create of cases) {
    const one = await create()
    const { response, changed } = await finishLate(one)
    const { status, location, text } = response
    if (!one.isRejected(response) || changed.length > 0 || /id="secret"|id="link"/.test(text))
      wrong.push(`${one.name}: ${status} ${location} ${changed.join()}`)
  }
  return wrong
}

const isWriting = (route: string) => !route.startsWith('GET ')

it('these tests cover every route that writes data', () => {
  const known = [
    ...listApiRoutes().filter(isWriting),
    ...routes.map(({ path }) => `POST /w/:workspace${path}`),
    ...Object.keys(otherRoutes),
  ]
  expect(listRoutes(world.service.app).filter(isWriting).sort()).toEqual(known.sort())
  const counts = {
    dashboard: formCases(),
    API: apiCases(),
    'links, OAuth, and reports': Object.values(otherRoutes).flat(),
    'tool sessions': toolCases(),
  }
  for (const [name, { length }] of Object.entries(counts))
    process.stdout.write(`${length} rights taken away from requests: ${name}\n`)
})

it("rejects a form if a session, membership, or role ends before the form's body has arrived", async () => {
  expect(await findLateDeeds(formCases())).toEqual([])
}, 300_000)

it("rejects an API request if a key, membership, or connection ends before the request's body has arrived", async () => {
  expect(await findLateDeeds(apiCases())).toEqual([])
}, 300_000)

it("rejects a request to any other route that writes data if the sender's rights end before the body has arrived", async () => {
  expect(await findLateDeeds(Object.values(otherRoutes).flat())).toEqual([])
}, 300_000)

it("doesn't open a tool session if the credential becomes invalid before the request's body has arrived", async () => {
  expect(await findLateDeeds(toolCases())).toEqual([])
})

// This test comes last, because it changes the workspace. It proves that the requests are valid: if they were always rejected,
// the tests above would prove nothing.
it("accepts a request whose body arrives late if the sender's rights haven't ended", async () => {
  const firstLoss = [
    ...Object.values(otherRoutes).flatMap(([first]) => first ?? []),
    ...toolCases().slice(0, 1),
    ...writingApiRoutes
      .filter(({ method }) => method === 'POST')
      .map((route) => () => createApiCase(route, 'key')),
    ...routes
      .filter(({ path }) => !pathsWithoutObject.includes(path))
      .toSorted(byDestructiveness)
      .map((route) => () => createFormCase(route, 'session')),
  ]
  const wrong: string[] = []
  let changes = 0
  for (const create of firstLoss) {
    const one = await create()
    const { response, changed } = await finishLate(one, true)
    if ([401, 403, 404, 410].includes(response.status) || isSignInRedirect(response))
      wrong.push(`${one.name}: ${response.status} ${response.location}`)
    if (changed.length > 0) changes += 1
  }
  expect(wrong).toEqual([])
  expect(changes).toBeGreaterThan(firstLoss.length / 2)
}, 300_000)

/** Forms for objects that these owners don't have. */
const pathsWithoutObject = ['/calls/:id/replay', '/spreadsheets/google/remove', '/account/sessions/:id/end']

/** Sorts forms that remove an object after all others, which may need the object. */
const byDestructiveness = (one: ListedRoute, other: ListedRoute) =>
  Number(isDestructive(one)) - Number(isDestructive(other))

const isDestructive = ({ path }: ListedRoute) =>
  /\/(delete|erase|remove|discard|disconnect|revoke|archive|retire|withdraw|unassign|cancel)$/.test(path)
