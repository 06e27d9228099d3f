import { beforeAll, expect, it } from '@jest/globals'
import type { KyselyPlugin } from 'kysely'
import { removeMember } from '../../accounts/access/remove-member.ts'
import { changeRole } from '../../accounts/identity/members.ts'
import { seedSignedInMember, type SignedInUser } from '../support/dashboard.ts'
import {
  dumpRows,
  fieldsWith,
  getCsrfToken,
  isAction,
  request,
  workspacePath,
} from '../support/foreign-objects.ts'
import { listDashboardRoutes, type ListedRoute, pathFor } from '../support/page-paths.ts'
import { ownerPaths } from '../support/page-roles.ts'
import { type SeededObjects, seedEverything } from '../support/seed-everything.ts'
import { startService, useServiceWorld } from '../support/service.ts'

// These tests take a right away immediately after the service has read it, before the form's transaction or the first part of a
// download. They cover every route of the dashboard, including routes added later.

/** If set, takes the right away when the service has read the user's workspaces this many times. */
let loss: { after: number; takeAway: () => Promise<unknown> } | null = null

/** Returns true if a query reads a user's workspaces. Recognizes such queries by their table and column. */
const isReadOfWorkspaces = (node: unknown) => {
  const text = JSON.stringify(node)
  return /"membership"/.test(text) && /"timeZone"/.test(text)
}

const reads = new WeakSet<object>()
const takeAwayAfterRead: KyselyPlugin = {
  transformQuery: ({ node, queryId }) => {
    if (isReadOfWorkspaces(node)) reads.add(queryId)
    return node
  },
  transformResult: async ({ result, queryId }) => {
    if (loss === null || !reads.has(queryId)) return result
    loss.after -= 1
    if (loss.after > 0) return result
    const { takeAway } = loss
    loss = null
    await takeAway()
    return result
  },
}

let ours: SeededObjects
let routes: ListedRoute[]
const world = useServiceWorld((db) => startService(db.withPlugin(takeAwayAfterRead)))
beforeAll(async () => {
  routes = listDashboardRoutes(world.service.deps)
  ours = await seedEverything(world.service, 'Ours')
})

const seedOwner = () => seedSignedInMember(world.service, ours.workspaceId, 'owner')

const losses = {
  session: ({ userId }: SignedInUser) =>
    world.database.db.deleteFrom('session').where('user_id', '=', userId).execute(),
  membership: ({ userId }: SignedInUser) => removeMember(world.service.deps, ours.workspaceId, userId),
  role: ({ userId }: SignedInUser) => changeRole(world.service.deps, ours.workspaceId, userId, 'member'),
}

/** A route that saves nothing, because the tool's server can't be reached. */
const withoutTransaction = '/tools/:id/refresh'

/** Sends a request, and returns its response and the tables that have changed since the right was taken away. */
async function sendDuringLoss(
  user: SignedInUser,
  name: keyof typeof losses,
  { after, send }: { after: number; send: () => ReturnType<typeof request> },
) {
  let before: Awaited<ReturnType<typeof dumpRows>> = {}
  loss = {
    after,
    takeAway: async () => {
      await losses[name](user)
      before = await dumpRows(world.database)
    },
  }
  const response = await send().catch(() => null)
  expect(loss).toBeNull()
  const rows = await dumpRows(world.database)
  return {
    response,
    changed: Object.keys(rows).filter((table) => rows[table]?.join() !== before[table]?.join()),
  }
}

it("if a session, membership, or role ends between its check and the form's transaction, changes nothing and shows no secret", async () => {
  const wrong: string[] = []
  let rejected = 0
  for (const route of routes.filter((one) => isAction(one) && one.path !== withoutTransaction)) {
    const names = ownerPaths.includes(route.path) ? Object.keys(losses) : ['session', 'membership']
    for (const name of names as (keyof typeof losses)[]) {
      const user = await seedOwner()
      const fields = { ...fieldsWith(ours), _csrf: await getCsrfToken(user) }
      const send = () => request(world.service, user, workspacePath(ours, pathFor(route, ours)), fields)
      const { response, changed } = await sendDuringLoss(user, name, { after: 2, send })
      const status = response?.status ?? 0
      // Fields are validated before the transaction, so the service rejects some forms with 422 before it notices the loss.
      if (status === (name === 'role' ? 403 : 404)) rejected += 1
      else if (status !== 422 || changed.length > 0)
        wrong.push(`${route.path} without the ${name}: ${status} ${changed.join()}`)
      if (changed.length > 0 || /id="secret"|id="link"/.test(response?.html ?? ''))
        wrong.push(`${route.path} without the ${name}: ${changed.join()}`)
    }
  }
  expect(wrong).toEqual([])
  expect(rejected).toBeGreaterThan(130)
}, 300_000)

it.each(['session', 'membership'] as const)(
  'if the %s ends right after it was checked, returns 404 instead of starting a download',
  async (name) => {
    const downloads = routes.filter(({ kind }) => kind === 'download')
    expect(downloads.length).toBeGreaterThan(2)
    for (const route of downloads) {
      const user = await seedOwner()
      const path = workspacePath(ours, pathFor(route, ours))
      const send = () => request(world.service, user, path)
      const { response } = await sendDuringLoss(user, name, { after: 1, send })
      expect([route.path, response?.status]).toEqual([route.path, 404])
    }
  },
)
