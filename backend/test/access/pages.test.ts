import { isDeepStrictEqual } from 'node:util'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { removeMember } from '../../accounts/access/remove-member.ts'
import { endSession } from '../../accounts/identity/sessions.ts'
import { seedChatWithToken } from '../support/chats-with-tokens.ts'
import { seedSignedInMember, type SignedInUser } from '../support/dashboard.ts'
import {
  dumpRows,
  fieldsWith,
  findForeignObjects,
  getCsrfToken,
  isAction,
  isPage,
  type PageResponse,
  request,
  rowsOfWorkspace,
  workspacePath,
} from '../support/foreign-objects.ts'
import { findIdFields } from '../support/id-fields.ts'
import { listDashboardRoutes, type ListedRoute, pathFor } from '../support/page-paths.ts'
import { memberPaths, ownerPaths } from '../support/page-roles.ts'
import { type SeededObjects, seedEverything } from '../support/seed-everything.ts'
import { useServiceWorld } from '../support/service.ts'

// These tests call every route, including routes added later. A test fails if an action is in neither `ownerPaths` nor
// `memberPaths`.

let ours: SeededObjects
let theirs: SeededObjects
let routes: ListedRoute[]
/** A user who was removed from the other workspace, and is still signed in. */
let removedMember: SignedInUser
/** Members of our workspace whose sessions have ended or expired. */
let endedSession: SignedInUser
let expiredSession: SignedInUser
const world = useServiceWorld()
beforeAll(async () => {
  routes = listDashboardRoutes(world.service.deps)
  ours = await seedEverything(world.service, 'Ours')
  theirs = await seedEverything(world.service, 'Theirs')
  const { deps } = world.service
  removedMember = await seedSignedInMember(world.service, theirs.workspaceId, 'owner')
  await removeMember(deps, theirs.workspaceId, removedMember.userId)
  endedSession = await seedSignedInMember(world.service, ours.workspaceId, 'owner')
  await endSession(deps, endedSession.browser.cookies()[0]?.split('=')[1])
  expiredSession = await seedSignedInMember(world.service, ours.workspaceId, 'owner')
  await deps.db
    .updateTable('session')
    .set({ expires_at: deps.clock.now() })
    .where('user_id', '=', expiredSession.userId)
    .execute()
})

/** Requests every page and sends every form of a workspace, with valid values. */
async function requestAll(user: SignedInUser | null, of: SeededObjects, token: string) {
  const found: (PageResponse & { path: string })[] = []
  for (const route of routes) {
    const path = workspacePath(of, pathFor(route, of))
    if (isPage(route)) found.push({ path, ...(await request(world.service, user, path)) })
    if (!isAction(route)) continue
    found.push({ path, ...(await request(world.service, user, path, { ...fieldsWith(of), _csrf: token })) })
  }
  expect(found.length).toBeGreaterThan(routes.length)
  return found
}

it("returns 404 for a page or form of another workspace's object, and changes nothing", async () => {
  const before = await dumpRows(world.database)
  expect(await findForeignObjects(world.service, routes, { ours, theirs })).toEqual([])
  expect(await dumpRows(world.database)).toEqual(before)
}, 60_000)

it.each([
  ['never was', () => ours.user],
  ['is no longer', () => removedMember],
])(
  'returns 404 for every page and form of a workspace that the user %s a member of, and changes nothing',
  async (_when, getUser) => {
    const before = await dumpRows(world.database)
    const token = await getCsrfToken(getUser())
    const found = await requestAll(getUser(), theirs, token)
    expect(found.filter(({ status }) => status !== 404)).toEqual([])
    expect(await dumpRows(world.database)).toEqual(before)
  },
  60_000,
)

it.each([
  ['without a session', () => null],
  ['with a session that has ended', () => endedSession],
  ['with a session that has expired', () => expiredSession],
])(
  'redirects a browser %s to the sign-in page, and changes nothing',
  async (_what, getUser) => {
    const before = await dumpRows(world.database)
    const found = await requestAll(getUser(), ours, 'a token')
    const isSignInRedirect = ({ status, location, html }: PageResponse) =>
      status === 303 && /^\/sign-in(\?|$)/.test(location) && html === ''
    expect(found.filter((response) => !isSignInRedirect(response))).toEqual([])
    expect(await dumpRows(world.database)).toEqual(before)
  },
  60_000,
)

it("rejects forms without a CSRF token, or with another browser's token", async () => {
  const before = await dumpRows(world.database)
  const foreign = await getCsrfToken(theirs.user)
  const wrong: string[] = []
  for (const route of routes.filter(isAction)) {
    const path = workspacePath(ours, pathFor(route, ours))
    for (const fields of [fieldsWith(ours), { ...fieldsWith(ours), _csrf: foreign }]) {
      const { status } = await request(world.service, ours.user, path, fields)
      if (status !== 403) wrong.push(`${path} ${status}`)
    }
  }
  expect(wrong).toEqual([])
  expect(await dumpRows(world.database)).toEqual(before)
}, 60_000)

describe('owner and member roles', () => {
  it('each route that changes data is listed exactly once, either as owner-only or as open to members', () => {
    const paths = routes.filter(isAction).map(({ path }) => path)
    const listed = [...ownerPaths, ...memberPaths]
    const unlisted = paths.filter((path) => !listed.includes(path))
    expect(unlisted.map((path) => `Add ${path} to a list in test/support/page-roles.ts`)).toEqual([])
    expect(listed.sort()).toEqual(paths.sort())
  })

  it("members can press every button that isn't owner-only", async () => {
    const { deps } = world.service
    const of = await seedEverything(world.service, 'Roles')
    const rejected: string[] = []
    for (const route of listDashboardRoutes(deps)) {
      if (route.kind !== 'action' || !memberPaths.includes(route.path)) continue
      const member = await seedSignedInMember(world.service, of.workspaceId, 'member')
      const path = workspacePath(of, pathFor(route, of))
      const fields = { _csrf: await getCsrfToken(member), ...fieldsWith(of) }
      const { status } = await request(world.service, member, path, fields)
      if (status === 403) rejected.push(route.path)
    }
    expect(rejected).toEqual([])
  }, 60_000)

  it("members can't take owner-only actions", async () => {
    const before = await dumpRows(world.database)
    const token = await getCsrfToken(ours.member)
    const wrong: string[] = []
    for (const route of routes.filter((one) => isAction(one) && ownerPaths.includes(one.path))) {
      const path = workspacePath(ours, pathFor(route, ours))
      const { status } = await request(world.service, ours.member, path, {
        _csrf: token,
        ...fieldsWith(ours),
      })
      if (status !== 403) wrong.push(`${path} ${status}`)
      await request(world.service, ours.member, path, { _csrf: token })
    }
    expect(wrong).toEqual([])
    expect(await dumpRows(world.database)).toEqual(before)
  }, 60_000)

  it('owners can open the owner-only forms, and members can open all other forms', async () => {
    // The columns of a file can be mapped only after the file has been read.
    await world.database.db.updateTable('contact_import').set({ status: 'mapping' }).execute()
    const rejected: string[] = []
    for (const [user, list] of [
      [ours.user, ownerPaths],
      [await seedSignedInMember(world.service, ours.workspaceId, 'member'), memberPaths],
    ] as const) {
      for (const route of routes.filter(({ kind, path }) => kind === 'form' && list.includes(path))) {
        const { status } = await request(world.service, user, workspacePath(ours, pathFor(route, ours)))
        if (status !== 200) rejected.push(`${route.path} ${status}`)
      }
    }
    expect(rejected).toEqual([])
  }, 60_000)
})

it("if a form field or query contains the ID of another workspace's object, neither shows nor changes the object", async () => {
  const user = await seedSignedInMember(world.service, ours.workspaceId, 'owner')
  const before = rowsOfWorkspace(await dumpRows(world.database), theirs.workspaceId)
  const token = await getCsrfToken(user)
  const findings: string[] = []
  const record = (path: string, { status, html }: PageResponse) => {
    if (status >= 500 || /Theirs|theirs@/.test(html)) findings.push(`${path} ${status}`)
  }
  const ids = ['campaign', 'agent', 'contact', 'number', 'tool', 'document', 'subscription'] as const
  const query = new URLSearchParams(Object.fromEntries(ids.map((name) => [name, String(theirs[name])])))
  const ends = /archive|erase|delete|discard|remove|retire|unassign|revoke|disconnect|pause|switch-off/
  const endsAccess = ({ path }: ListedRoute) => Number(ends.test(path))
  for (const route of [...routes].sort((one, other) => endsAccess(one) - endsAccess(other))) {
    const path = workspacePath(ours, pathFor(route, ours))
    if (isPage(route)) record(path, await request(world.service, user, `${path}?${query.toString()}`))
    if (!isAction(route) || /leave|sessions|password$/.test(route.path)) continue
    record(path, await request(world.service, user, path, { ...fieldsWith(theirs), _csrf: token }))
  }
  expect(findings).toEqual([])
  expect(rowsOfWorkspace(await dumpRows(world.database), theirs.workspaceId)).toEqual(before)
}, 60_000)

describe('the ID fields of forms', () => {
  /** Fields with IDs from the customer's own systems. Forms don't look up contacts by these IDs. */
  const customerFields = ['external_id']

  const listFields = () =>
    routes.flatMap((route) =>
      'form' in route
        ? findIdFields(route.form)
            .filter((field) => !customerFields.includes(field))
            .map((field) => ({ route, field }))
        : [],
    )

  it("accept the IDs of the workspace's own objects, and reject the IDs of another workspace's objects", async () => {
    const mine = await seedEverything(world.service, 'Mine') // other tests have archived objects in our workspace
    const idle = await world.database.db
      .selectFrom('call')
      .select('contact_id')
      .where('id', '=', mine.completedCall)
      .executeTakeFirstOrThrow()
    const { workspaceId, agent: agentId, owner: userId } = mine
    const sampleChat = await seedChatWithToken(world.service.deps, { workspaceId, agentId, userId })
    /** For forms that don't accept every object of the workspace, the objects that they accept. */
    const accepted: Record<string, Partial<SeededObjects>> = {
      '/calls/:id/replay': { call: mine.completedCall },
      '/contacts/:id/add-to-campaign': { contact: idle.contact_id },
      '/agents/:id/chats/:chatId/test-event': { chat: sampleChat.id },
    }
    const pathOf = (route: ListedRoute) =>
      workspacePath(mine, pathFor(route, { ...mine, ...accepted[route.path] }))
    const ownFields = { ...fieldsWith(mine), scheduled_at: '', _csrf: await getCsrfToken(mine.user) }
    const foreign = fieldsWith(theirs)
    const fields = listFields()
    await world.database.db.updateTable('contact_import').set({ status: 'checked' }).execute()
    const before = await dumpRows(world.database)
    const wrong: string[] = []
    for (const { route, field } of fields) {
      const value = foreign[field]
      if (value === undefined) throw new Error(`fieldsWith() has no value for ${field} of ${route.path}`)
      const path = pathOf(route)
      const { status, html } = await request(world.service, mine.user, path, { ...ownFields, [field]: value })
      // A button's response redirects to the page that shows the error.
      const expected = route.kind === 'action' ? [303, 404] : [404, 422]
      if (!expected.includes(status) || /theirs/i.test(html)) wrong.push(`${route.path} ${field} ${status}`)
    }
    expect(wrong).toEqual([])
    expect(await dumpRows(world.database)).toEqual(before)
    expect(fields).toHaveLength(9)

    const rejected: string[] = []
    for (const route of new Set(fields.map((one) => one.route))) {
      const rows = await dumpRows(world.database)
      const { status } = await request(world.service, mine.user, pathOf(route), ownFields)
      const isUnchanged = isDeepStrictEqual(await dumpRows(world.database), rows)
      if (status !== 303 || (route.kind === 'action' && isUnchanged)) rejected.push(`${route.path} ${status}`)
    }
    expect(rejected).toEqual([])
  }, 60_000)
})
