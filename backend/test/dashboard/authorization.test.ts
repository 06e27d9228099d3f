import { beforeAll, describe, expect, it } from '@jest/globals'
import { seedSignedInMember } from '../support/dashboard.ts'
import {
  dumpRows,
  fieldsWith,
  findForeignObjects,
  getCsrfToken,
  isAction,
  isPage,
  type PageResponse,
  request,
  workspacePath,
} from '../support/foreign-objects.ts'
import { listDashboardRoutes, type ListedRoute, pathFor } from '../support/page-paths.ts'
import { type SeededObjects, seedEverything } from '../support/seed-everything.ts'
import { useServiceWorld } from '../support/service.ts'

// These tests call every route, including routes added later. A route that isn't in either list fails a test.

let ours: SeededObjects
let theirs: SeededObjects
let routes: ListedRoute[]
const world = useServiceWorld()
beforeAll(async () => {
  routes = listDashboardRoutes(world.service.deps)
  ours = await seedEverything(world.service, 'Ours')
  theirs = await seedEverything(world.service, 'Theirs')
})

/** Returns the rows of one workspace, for tables that have a workspace ID. */
function rowsOfWorkspace(rows: Record<string, string[]>, workspaceId: number): Record<string, string[]> {
  const belongsToWorkspace = (row: string) => row.includes(`"workspace_id": ${workspaceId},`)
  return Object.fromEntries(Object.entries(rows).map(([name, all]) => [name, all.filter(belongsToWorkspace)]))
}

it("returns 404 for another workspace's objects and changes nothing", async () => {
  const before = await dumpRows(world.database)
  expect(await findForeignObjects(world.service, routes, { ours, theirs })).toEqual([])
  expect(await dumpRows(world.database)).toEqual(before)
}, 60_000)

it("returns 404 for a workspace that the user isn't a member of", async () => {
  const before = await dumpRows(world.database)
  const token = await getCsrfToken(ours.user)
  const found: string[] = []
  for (const route of routes) {
    const path = workspacePath(theirs, pathFor(route, theirs))
    const responses = [
      ...(isPage(route) ? [await request(world.service, ours.user, path)] : []),
      ...(isAction(route)
        ? [await request(world.service, ours.user, path, { _csrf: token, ...fieldsWith(theirs) })]
        : []),
    ]
    found.push(...responses.filter(({ status }) => status !== 404).map(({ status }) => `${path} ${status}`))
  }
  expect(found).toEqual([])
  expect(await dumpRows(world.database)).toEqual(before)
}, 60_000)

it('redirects signed-out users to the sign-in page', async () => {
  const before = await dumpRows(world.database)
  const wrong: string[] = []
  for (const route of routes) {
    const path = workspacePath(ours, pathFor(route, ours))
    const responses = [
      ...(isPage(route) ? [await request(world.service, null, path)] : []),
      ...(isAction(route) ? [await request(world.service, null, path, fieldsWith(ours))] : []),
    ]
    const isSignInRedirect = ({ status, location, html }: PageResponse) =>
      status === 303 && /^\/sign-in(\?|$)/.test(location) && html === ''
    wrong.push(
      ...responses.filter((response) => !isSignInRedirect(response)).map(({ status }) => `${path} ${status}`),
    )
  }
  expect(wrong).toEqual([])
  expect(await dumpRows(world.database)).toEqual(before)
}, 60_000)

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

/** Owner-only actions. Members can still take some of them on their own objects, such as their API keys. */
const ownerPaths = [
  '/settings/api-keys/:id/revoke',
  '/integrations/apps/:userId/:clientId/disconnect',
  '/integrations/webhooks/:id/rotate',
  '/integrations/callbacks/reveal-secret',
  '/integrations/callbacks/rotate-secret',
  '/settings',
  '/settings/retention',
  '/settings/retention/shorten',
  '/settings/retention/undo',
  '/settings/invitations/:id/withdraw',
  '/settings/members/invite',
  '/settings/members/:id/role',
  '/settings/members/:id/remove',
  '/settings/members/:id/reset-password',
  '/spreadsheets/google',
  '/spreadsheets/google/remove',
]

/** Actions that every member can take. Add each new route to one of these two lists. */
const memberPaths = [
  '/account',
  '/account/password',
  '/account/sessions/:id/end',
  '/account/sessions/end-others',
  '/agents/new',
  '/agents/:id/edit',
  '/agents/:id/pause',
  '/agents/:id/publish',
  '/agents/:id/resume',
  '/agents/:id/tools/:toolId',
  '/agents/:id/tools/:toolId/assign',
  '/agents/:id/tools/:toolId/try',
  '/agents/:id/tools/:toolId/unassign',
  '/calls/:id/cancel',
  '/calls/:id/queue-again',
  '/calls/:id/replay',
  '/campaigns/new',
  '/campaigns/:id/archive',
  '/campaigns/:id/edit',
  '/campaigns/:id/pause',
  '/campaigns/:id/resume',
  '/contacts/new',
  '/contacts/do-not-call',
  '/contacts/do-not-call/remove',
  '/contacts/import',
  '/contacts/import/:id/discard',
  '/contacts/import/:id/start',
  '/contacts/:id/add-to-campaign',
  '/contacts/:id/allow-again',
  '/contacts/:id/call',
  '/contacts/:id/do-not-call',
  '/contacts/:id/edit',
  '/contacts/:id/erase',
  '/contacts/:id/notes',
  '/settings/api-keys/new',
  '/integrations/callbacks/replay',
  '/integrations/deliveries/:id/replay',
  '/integrations/webhooks/:id/enable',
  '/integrations/webhooks/:id/remove',
  '/integrations/webhooks/:id/replay',
  '/integrations/webhooks/:id/test',
  '/knowledge/new',
  '/knowledge/:id/delete',
  '/knowledge/:id/edit',
  '/phone-numbers/new',
  '/phone-numbers/:id/activate',
  '/phone-numbers/:id/retire',
  '/settings/members/leave',
  '/spreadsheets/new',
  '/spreadsheets/:spreadsheetId/delete',
  '/tools/new-http',
  '/tools/new-server',
  '/tools/:id/choose',
  '/tools/:id/delete',
  '/tools/:id/edit-http',
  '/tools/:id/edit-server',
  '/tools/:id/refresh',
  '/tools/:id/switch-off',
  '/tools/:id/switch-on',
]

describe('the lists of owner and member actions', () => {
  it('contain every route that changes something, once', () => {
    const paths = routes.filter(isAction).map(({ path }) => path)
    expect([...ownerPaths, ...memberPaths].sort()).toEqual([...paths].sort())
  })

  it("don't let a member take owner-only actions", async () => {
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

  it('let owners open the owner-only forms, and members all other forms', async () => {
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

it("doesn't use another workspace's IDs from form fields or queries", async () => {
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
