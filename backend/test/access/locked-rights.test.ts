import { beforeAll, expect, it } from '@jest/globals'
import { removeMember } from '../../accounts/access/remove-member.ts'
import { changeRole } from '../../accounts/identity/members.ts'
import type { Deps } from '../../deps.ts'
import { inTransaction } from '../../platform/db/transaction.ts'
import { seedSignedInMember, type SignedInUser } from '../support/dashboard.ts'
import { fillConsentForm, fillInvitation, fillNewPassword } from '../support/filled-forms.ts'
import { dumpRows, fieldsWith, getCsrfToken, request, workspacePath } from '../support/foreign-objects.ts'
import { waitForLockWaiters } from '../support/locks.ts'
import { seedApp } from '../support/oauth.ts'
import { listDashboardRoutes, pathFor } from '../support/page-paths.ts'
import { ownerPaths } from '../support/page-roles.ts'
import { type SeededObjects, seedEverything } from '../support/seed-everything.ts'
import { useServiceWorld } from '../support/service.ts'

// A form that needs a session or a role waits for a transaction that ends the session or the role, and is then rejected.

let ours: SeededObjects
const world = useServiceWorld()
beforeAll(async () => {
  ours = await seedEverything(world.service, 'Ours')
})

const seedOwner = () => seedSignedInMember(world.service, ours.workspaceId, 'owner')

const endSessions = (tx: Deps, { userId }: SignedInUser) =>
  tx.db.deleteFrom('session').where('user_id', '=', userId).execute()

/** Sends a form while a transaction takes a right away. Commits the transaction when the form waits for it. */
async function sendDuring(takeAway: (tx: Deps) => Promise<unknown>, send: () => Promise<{ status: number }>) {
  let sending: Promise<{ status: number }> | undefined
  await inTransaction<Deps, void>(world.service.deps, async (tx) => {
    await takeAway(tx)
    sending = send()
    const early = await Promise.race([waitForLockWaiters(world.database.db), sending])
    if ('status' in early) throw new Error(`responded with ${early.status} without waiting for a lock`)
  })
  const before = await dumpRows(world.database)
  const response = await sending
  expect(await dumpRows(world.database)).toEqual(before)
  return response?.status
}

/** Returns a function that sends a form of the dashboard with valid values. */
async function createForm(user: SignedInUser, path: string) {
  const fields = { ...fieldsWith(ours), _csrf: await getCsrfToken(user) }
  const route = listDashboardRoutes(world.service.deps).find((one) => one.path === path)
  if (route === undefined) throw new Error(`no route ${path}`)
  return () => request(world.service, user, workspacePath(ours, pathFor(route, ours)), fields)
}

/** The paths of all forms that only owners can send, and of one that creates an API key, which would outlive the session. */
const lockingPaths = [...ownerPaths, '/settings/api-keys/new']

it.each(lockingPaths)(
  'if the session ends while a form sent to %s waits for a lock, rejects the form and changes nothing',
  async (path) => {
    const user = await seedOwner()
    const send = await createForm(user, path)
    expect(await sendDuring((tx) => endSessions(tx, user), send)).toBe(404)
  },
)

it.each(ownerPaths)(
  'if an owner loses that role while a form sent to %s waits for a lock, rejects the form and changes nothing',
  async (path) => {
    const user = await seedOwner()
    const send = await createForm(user, path)
    expect(await sendDuring((tx) => changeRole(tx, ours.workspaceId, user.userId, 'member'), send)).toBe(403)
  },
)

it('if a user is removed while the form for a new API key waits for a lock, creates no key', async () => {
  const user = await seedOwner()
  const send = await createForm(user, '/settings/api-keys/new')
  expect(await sendDuring((tx) => removeMember(tx, ours.workspaceId, user.userId), send)).toBe(404)
})

it.each([
  ['the session ends', endSessions, 403],
  [
    'the user is removed',
    (tx: Deps, { userId }: SignedInUser) => removeMember(tx, ours.workspaceId, userId),
    422,
  ],
])(
  "doesn't connect an app if %s while the consent form waits for a lock",
  async (_what, takeAway, status) => {
    const user = await seedOwner()
    const app = await seedApp(world.service, 'confidential')
    const { path, fields } = await fillConsentForm(app, user, ours.workspaceId)
    const send = () => request(world.service, user, path, fields)
    expect(await sendDuring((tx) => takeAway(tx, user), send)).toBe(status)
  },
)

it("doesn't add a signed-in user to a workspace if the session ends while the invitation form waits for a lock", async () => {
  const user = await seedOwner()
  await removeMember(world.service.deps, ours.workspaceId, user.userId)
  const people = { inviterId: ours.owner, invitee: user }
  const { path, fields } = await fillInvitation(world.service.deps, ours.workspaceId, people)
  const send = () => request(world.service, user, path, fields)
  expect(await sendDuring((tx) => endSessions(tx, user), send)).toBe(403)
})

it("doesn't create a workspace if the session ends while the form waits for a lock", async () => {
  const user = await seedOwner()
  const fields = {
    _csrf: await getCsrfToken(user),
    name: 'New',
    country: 'US',
    time_zone: 'America/New_York',
  }
  const send = () => request(world.service, user, '/workspaces/new', fields)
  expect(await sendDuring((tx) => endSessions(tx, user), send)).toBe(403)
})

it('rejects a new password if the owner who created the reset link loses that role while the form waits for a lock', async () => {
  const owner = await seedOwner()
  const user = await seedOwner()
  const people = { ownerId: owner.userId, user }
  const { path, fields } = await fillNewPassword(world.service.deps, ours.workspaceId, people)
  const send = () => request(world.service, user, path, fields)
  const makeMember = (tx: Deps) => changeRole(tx, ours.workspaceId, owner.userId, 'member')
  expect(await sendDuring(makeMember, send)).toBe(410)
})
