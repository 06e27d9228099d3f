import { expect, it } from '@jest/globals'
import { createBrowser, type Page } from '../../../../support/browser.ts'
import { removeMember } from '../../../accounts/access/remove-member.ts'
import { addMember } from '../../../accounts/identity/members.ts'
import {
  getLink,
  seedSignedInMember,
  seedSoleOwner,
  seedUserWithoutWorkspace,
  type SignedInUser,
  signIn,
} from '../../support/dashboard.ts'
import { useServiceWorld } from '../../support/service.ts'

const world = useServiceWorld()

const fresh = 'another long password'
const days = (count: number) => count * 86_400_000
const seedOwner = () => seedSoleOwner(world.service)

async function createResetLink(owner: SignedInUser, userId: number): Promise<{ page: Page }> {
  const form = await owner.open(`/settings/members/${userId}/reset-password`)
  return owner.browser.press(form, 'Create link')
}

it("a reset link changes a member's password only once, and signs the member out everywhere", async () => {
  const owner = await seedOwner()
  const kim = await seedSignedInMember(world.service, owner.workspaceId, 'member')
  const link = getLink((await createResetLink(owner, kim.userId)).page)
  const browser = createBrowser()
  const { page: form } = await browser.open(link)
  expect(form.text).toContain(kim.email)
  const short = await browser.press(form, 'Set password', { new_password: 'short' })
  expect(short.page.html).toMatch(/id="f-new_password-issue">[^<]*at least/)
  const both = await Promise.all([
    browser.press(form, 'Set password', { new_password: fresh }),
    createBrowser()
      .open(link)
      .then(() => browser.press(form, 'Set password', { new_password: 'a third long password' })),
  ])
  expect(both.map(({ page }) => page.status).sort()).toEqual([200, 410])
  expect((await kim.open('/account')).url).toContain('/sign-in')
  expect((await signIn(world.service, kim.email)).page.status).toBe(422)
  expect((await createBrowser().open(link)).page.text).toContain('already used')
})

it('invalidates a reset link after 24 hours, or when a newer one is created', async () => {
  const owner = await seedOwner()
  const kim = await seedSignedInMember(world.service, owner.workspaceId, 'member')
  const older = getLink((await createResetLink(owner, kim.userId)).page)
  const newer = getLink((await createResetLink(owner, kim.userId)).page)
  expect((await createBrowser().open(older)).page.status).toBe(410)
  expect((await createBrowser().open(newer)).page.status).toBe(200)
  world.service.deps.clock.advance(days(1))
  expect((await createBrowser().open(newer)).page.text).toContain('has expired')
})

it("rejects a reset link for a user who is also in a workspace that the owner doesn't own", async () => {
  const owner = await seedOwner()
  const other = await seedOwner()
  const kim = await seedSignedInMember(world.service, owner.workspaceId, 'member')
  const link = getLink((await createResetLink(owner, kim.userId)).page)
  const browser = createBrowser()
  const { page: form } = await browser.open(link)
  await addMember(world.service.deps, other.workspaceId, kim.userId, 'member')
  expect((await createBrowser().open(link)).page.text).toContain('no longer works')
  const { page: late } = await browser.press(form, 'Set password', { new_password: fresh })
  expect(late.status).toBe(410)
  const { page: rejected } = await createResetLink(owner, kim.userId)
  expect(rejected.status).toBe(422)
  expect(rejected.text).toContain("also a member of a workspace that you don't own")
  expect((await signIn(world.service, kim.email)).page.status).toBe(200)
  // Once the owner also owns the other workspace, they can reset the password.
  await addMember(world.service.deps, other.workspaceId, owner.userId, 'owner')
  expect((await createResetLink(owner, kim.userId)).page.status).toBe(200)
})

it("invalidates a reset link when the owner who created it or the member it's for leaves the workspace", async () => {
  const owner = await seedOwner()
  const boss = await seedSignedInMember(world.service, owner.workspaceId, 'owner')
  const kim = await seedSignedInMember(world.service, owner.workspaceId, 'member')
  const link = getLink((await createResetLink(boss, kim.userId)).page)
  await removeMember(world.service.deps, owner.workspaceId, boss.userId)
  expect((await createBrowser().open(link)).page.status).toBe(410)
  // An owner must not take over the account of a user who left all workspaces.
  const again = getLink((await createResetLink(owner, kim.userId)).page)
  await removeMember(world.service.deps, owner.workspaceId, kim.userId)
  expect((await createBrowser().open(again)).page.status).toBe(410)
})

it('creates a reset link only if an owner requests it for another member of the workspace', async () => {
  const owner = await seedOwner()
  const member = await seedSignedInMember(world.service, owner.workspaceId, 'member')
  const stranger = await seedUserWithoutWorkspace(world.service)
  expect((await createResetLink(owner, owner.userId)).page.text).toContain('change your own password')
  expect((await owner.open(`/settings/members/${stranger.userId}/reset-password`)).status).toBe(404)
  expect((await member.open(`/settings/members/${owner.userId}/reset-password`)).status).toBe(403)
})
