import { expect, it } from '@jest/globals'
import { createBrowser, type Page } from '../../../demo/browser.ts'
import { addMember } from '../../identity/add-member.ts'
import { createApiKey } from '../../identity/create-api-key.ts'
import { dismissMember } from '../../identity/members/dismiss.ts'
import { itInChromium } from '../support/chromium.ts'
import type { TestDatabase } from '../support/database.ts'
import { linkOn, seedStranger, signIn } from './people-support.ts'
import {
  expectAccessible,
  type Guest,
  openTab,
  password,
  seedGuest,
  seedMember,
  type Service,
  useService,
} from './support.ts'

let database: TestDatabase
let service: Service
useService((opened) => ({ database, service } = opened))

const fresh = 'another long password'
const days = (count: number) => count * 86_400_000

const rolesIn = async (workspaceId: number) => {
  const rows = await database.db
    .selectFrom('membership')
    .select(['user_id', 'role'])
    .where('workspace_id', '=', workspaceId)
    .execute()
  return new Map(rows.map(({ user_id, role }) => [user_id, role]))
}

/** An owner with a second one: `seed`'s own user is an owner, too, who never signs in. */
async function seedOwner() {
  const owner = await seedGuest(service)
  const { workspaceId, userId } = owner.seed
  await dismissMember(service.deps)({ workspaceId, userId })
  return { ...owner, workspaceId }
}

let invited = 0

async function inviteBy(owner: Guest, role = 'member'): Promise<{ link: string; email: string; page: Page }> {
  invited += 1
  const email = `invited${invited}@example.com`
  const form = await owner.open('/settings/members/invite')
  const { page } = await owner.browser.press(form, 'Make the link', { email, role })
  return { link: linkOn(page), email, page }
}

async function join(link: string, change: Record<string, string> = {}) {
  const browser = createBrowser()
  const { page: form } = await browser.open(link)
  const fields = { name: 'Kim', password, ...change }
  const { page } = await browser.press(form, 'Create account and join', fields)
  return { browser, page }
}

it('invites a new person by a link that is shown once and kept as a hash', async () => {
  const owner = await seedOwner()
  const { link, email } = await inviteBy(owner)
  const token = link.split('/').at(-1) ?? ''
  const list = await owner.open('/settings/members')
  expect(list.text).toContain(email)
  expect(list.html).not.toContain(token)
  const { page } = await join(link, { email })
  expect(page.url).toContain(`/w/${owner.workspaceId}/`)
  expect(page.text).toContain(email)
  expect([...(await rolesIn(owner.workspaceId)).values()].sort()).toEqual(['member', 'owner'])
  expect((await owner.open('/settings/members')).text).toContain('None. Invite somebody')
})

it('lets who has an account join with it, after signing in on the way', async () => {
  const owner = await seedOwner()
  const stranger = await seedStranger(service)
  const { link } = await inviteBy(owner, 'owner')
  const browser = createBrowser()
  const { page } = await browser.open(link)
  const signInPath = /href="(\/sign-in\?next=[^"]*)"/.exec(page.html)?.[1] ?? ''
  const { page: door } = await browser.open(service.url + signInPath)
  const { page: back } = await browser.press(door, 'Sign in', { email: stranger.email, password })
  expect(back.url).toBe(link)
  await browser.press(back, 'Join the workspace')
  expect((await rolesIn(owner.workspaceId)).get(stranger.userId)).toBe('owner')
})

it('lets who is signed in as somebody else sign out and join as another', async () => {
  const owner = await seedOwner()
  const { link, email } = await inviteBy(owner)
  const { page } = await owner.browser.open(link)
  const { page: out } = await owner.browser.press(page, 'Not you? Sign out')
  expect(out.url).toBe(link)
  const joined = await owner.browser.press(out, 'Create account and join', { name: 'Kim', email, password })
  expect(joined.page.text).toContain(email)
})

it('lets in one person by one invitation, however many try at once', async () => {
  const owner = await seedOwner()
  const { link } = await inviteBy(owner)
  const all = await Promise.all(
    [1, 2, 3, 4].map((who) => join(link, { email: `crowd${who}-${owner.email}` })),
  )
  expect(all.map(({ page }) => page.status).sort()).toEqual([200, 410, 410, 410])
  expect(all.filter(({ page }) => page.text.includes('used already'))).toHaveLength(3)
  expect((await rolesIn(owner.workspaceId)).size).toBe(2)
})

it('is not spent by an owner who tries their own link, and changes no role', async () => {
  const owner = await seedOwner()
  const { link } = await inviteBy(owner)
  const { page } = await owner.browser.open(link)
  const { page: after } = await owner.browser.press(page, 'Join the workspace')
  expect(after.text).toContain('already')
  expect((await rolesIn(owner.workspaceId)).get(owner.userId)).toBe('owner')
  expect((await join(link)).page.status).toBe(200)
})

it('tells of an invitation that was used, has expired, was withdrawn, or never was', async () => {
  const owner = await seedOwner()
  const gone = async (link: string) => {
    const { page } = await createBrowser().open(link)
    expect(page.status).toBe(410)
    return page.text
  }
  const used = await inviteBy(owner)
  await join(used.link)
  expect(await gone(used.link)).toContain('used already')
  const withdrawn = await inviteBy(owner)
  await owner.browser.press(await owner.open('/settings/members'), 'Withdraw')
  expect(await gone(withdrawn.link)).toContain('not valid')
  expect(await gone(`${service.url}/invitations/none`)).toContain('not valid')
  const expired = await inviteBy(owner)
  const browser = createBrowser()
  const { page: form } = await browser.open(expired.link)
  service.deps.clock.advance(days(7))
  expect(await gone(expired.link)).toContain('has expired')
  const late = await browser.press(form, 'Create account and join', { name: 'Kim', password })
  expect(late.page.status).toBe(410)
})

it('says beside the field what is wrong with who joins', async () => {
  const owner = await seedOwner()
  const { link } = await inviteBy(owner)
  const taken = await join(link, { email: owner.email })
  expect(taken.page.html).toMatch(/id="f-email-problem">There is a user with the address/)
  expect((await join(link, { password: 'short' })).page.html).toMatch(/id="f-password-problem">[^<]*at least/)
  expect((await join(link, { name: '' })).page.html).toMatch(/id="f-name-problem">This is needed/)
})

it('changes roles and removes members, with what acted in their name', async () => {
  const owner = await seedOwner()
  const { workspaceId } = owner
  const kim = await seedMember(service, workspaceId, 'member')
  const { key } = await createApiKey(service.deps)({ workspaceId, userId: kim.userId, name: 'CRM' })
  const list = await owner.open('/settings/members')
  await owner.browser.press(list, 'Change the role')
  expect((await rolesIn(workspaceId)).get(kim.userId)).toBe('owner')
  await owner.browser.press(await owner.open('/settings/members'), 'Change the role')
  expect((await rolesIn(workspaceId)).get(kim.userId)).toBe('member')
  await owner.browser.press(await owner.open('/settings/members'), 'Remove from the workspace')
  expect((await rolesIn(workspaceId)).has(kim.userId)).toBe(false)
  expect((await kim.open('/account')).status).toBe(404)
  const api = await fetch(`${service.url}/api/public/v1/calls/`, {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(api.status).toBe(401)
})

it('always has an owner, also where two leave at once', async () => {
  const owner = await seedOwner()
  const { workspaceId } = owner
  expect((await owner.open('/settings/members')).html).not.toContain('Leave the workspace')
  const kim = await seedMember(service, workspaceId, 'owner')
  const both = [owner, kim]
  const opened = await Promise.all(both.map((guest) => guest.open('/settings/members')))
  const pages = await Promise.all(
    both.map(({ browser }, index) => browser.press(opened[index] as Page, 'Leave the workspace')),
  )
  expect([...(await rolesIn(workspaceId)).values()]).toEqual(['owner'])
  expect(pages.filter(({ page }) => page.text.includes('the last owner'))).toHaveLength(1)
})

it('does not make its last owner a member', async () => {
  const owner = await seedOwner()
  const { workspaceId } = owner
  const kim = await seedMember(service, workspaceId, 'owner')
  const both = [owner, kim]
  const opened = await Promise.all(both.map((guest) => guest.open('/settings/members')))
  await Promise.all(both.map(({ browser }, index) => browser.press(opened[index] as Page, 'Change the role')))
  expect([...(await rolesIn(workspaceId)).values()].sort()).toEqual(['member', 'owner'])
})

it('lets members look, and owners alone decide', async () => {
  const owner = await seedOwner()
  const member = await seedMember(service, owner.workspaceId, 'member')
  const seen = await member.open('/settings/members')
  expect(seen.text).toContain(owner.email)
  expect(seen.html).not.toContain('Remove from the workspace')
  expect((await member.open('/settings/members/invite')).status).toBe(403)
  const { userId } = await seedMember(service, owner.workspaceId, 'member')
  const forge = async (what: string, fields: Record<string, string>) => {
    const form = await owner.open('/settings/members')
    const own = await member.open('/settings/members')
    const csrf = /name="_csrf" value="([^"]*)"/.exec(own.html)?.[1] ?? ''
    const html = form.html
      .replace(/name="_csrf" value="[^"]*"/g, `name="_csrf" value="${csrf}"`)
      .replaceAll(/members\/\d+\//g, `members/${userId}/`)
    return (await member.browser.press({ ...form, html }, what, fields)).page.status
  }
  expect(await forge('Change the role', { role: 'owner' })).toBe(403)
  expect(await forge('Remove from the workspace', {})).toBe(403)
  expect((await rolesIn(owner.workspaceId)).get(userId)).toBe('member')
})

it('ends the invitations of an owner who is one no longer: they could come back by them', async () => {
  const owner = await seedOwner()
  const kim = await seedMember(service, owner.workspaceId, 'owner')
  const first = await inviteBy(kim, 'owner')
  await owner.browser.press(await owner.open('/settings/members'), 'Change the role')
  expect((await createBrowser().open(first.link)).page.status).toBe(410)
  await owner.browser.press(await owner.open('/settings/members'), 'Change the role')
  const second = await inviteBy(kim, 'owner')
  await owner.browser.press(await owner.open('/settings/members'), 'Remove from the workspace')
  expect((await createBrowser().open(second.link)).page.status).toBe(410)
})

async function resetLinkBy(owner: Guest, userId: number): Promise<{ page: Page }> {
  const form = await owner.open(`/settings/members/${userId}/reset-password`)
  return owner.browser.press(form, 'Make the link')
}

it('resets a member’s password once, and signs them out everywhere', async () => {
  const owner = await seedOwner()
  const kim = await seedMember(service, owner.workspaceId, 'member')
  const link = linkOn((await resetLinkBy(owner, kim.userId)).page)
  const browser = createBrowser()
  const { page: form } = await browser.open(link)
  expect(form.text).toContain(kim.email)
  const short = await browser.press(form, 'Set the password', { new_password: 'short' })
  expect(short.page.html).toMatch(/id="f-new_password-problem">[^<]*at least/)
  const both = await Promise.all([
    browser.press(form, 'Set the password', { new_password: fresh }),
    createBrowser()
      .open(link)
      .then(() => browser.press(form, 'Set the password', { new_password: 'a third long password' })),
  ])
  expect(both.map(({ page }) => page.status).sort()).toEqual([200, 410])
  expect((await kim.open('/account')).url).toContain('/sign-in')
  expect((await signIn(service, kim.email)).page.status).toBe(422)
  expect((await createBrowser().open(link)).page.text).toContain('used already')
})

it('ends a reset link after 24 hours, and when a newer one is made', async () => {
  const owner = await seedOwner()
  const kim = await seedMember(service, owner.workspaceId, 'member')
  const older = linkOn((await resetLinkBy(owner, kim.userId)).page)
  const newer = linkOn((await resetLinkBy(owner, kim.userId)).page)
  expect((await createBrowser().open(older)).page.status).toBe(410)
  expect((await createBrowser().open(newer)).page.status).toBe(200)
  service.deps.clock.advance(days(1))
  expect((await createBrowser().open(newer)).page.text).toContain('has expired')
})

it('makes no link that would open an account which works for others, too', async () => {
  const owner = await seedOwner()
  const other = await seedOwner()
  const kim = await seedMember(service, owner.workspaceId, 'member')
  const link = linkOn((await resetLinkBy(owner, kim.userId)).page)
  const browser = createBrowser()
  const { page: form } = await browser.open(link)
  await addMember(service.deps)({ workspaceId: other.workspaceId, userId: kim.userId, role: 'member' })
  expect((await createBrowser().open(link)).page.text).toContain('does not work any more')
  const { page: late } = await browser.press(form, 'Set the password', { new_password: fresh })
  expect(late.status).toBe(410)
  const { page: refused } = await resetLinkBy(owner, kim.userId)
  expect(refused.status).toBe(422)
  expect(refused.text).toContain('also works in a workspace that you do not own')
  expect((await signIn(service, kim.email)).page.status).toBe(200)
  // In a workspace of the same owner it is theirs to decide.
  await addMember(service.deps)({ workspaceId: other.workspaceId, userId: owner.userId, role: 'owner' })
  expect((await resetLinkBy(owner, kim.userId)).page.status).toBe(200)
})

it('makes a reset link of one who is an owner no longer worth nothing', async () => {
  const owner = await seedOwner()
  const boss = await seedMember(service, owner.workspaceId, 'owner')
  const kim = await seedMember(service, owner.workspaceId, 'member')
  const link = linkOn((await resetLinkBy(boss, kim.userId)).page)
  await dismissMember(service.deps)({ workspaceId: owner.workspaceId, userId: boss.userId })
  expect((await createBrowser().open(link)).page.status).toBe(410)
  // Nor is an account without any workspace an owner's to take.
  const again = linkOn((await resetLinkBy(owner, kim.userId)).page)
  await dismissMember(service.deps)({ workspaceId: owner.workspaceId, userId: kim.userId })
  expect((await createBrowser().open(again)).page.status).toBe(410)
})

it('makes no reset link for oneself, for strangers, or by members', async () => {
  const owner = await seedOwner()
  const member = await seedMember(service, owner.workspaceId, 'member')
  const stranger = await seedStranger(service)
  expect((await resetLinkBy(owner, owner.userId)).page.text).toContain('Change your own password')
  expect((await owner.open(`/settings/members/${stranger.userId}/reset-password`)).status).toBe(404)
  expect((await member.open(`/settings/members/${owner.userId}/reset-password`)).status).toBe(403)
})

itInChromium('is used by hand, by who invites and who joins', async (chromium) => {
  const owner = await seedOwner()
  await seedMember(service, owner.workspaceId, 'member')
  const tab = await openTab(service, chromium, owner)
  await tab.goto(owner.at('/settings/members'))
  await expectAccessible(tab)
  await tab.getByRole('link', { name: 'Invite somebody' }).click()
  await expectAccessible(tab)
  await tab.getByLabel('E-mail address').fill('by-hand@example.com')
  await tab.getByRole('button', { name: 'Make the link' }).click()
  await expectAccessible(tab)
  const link = await tab.locator('#link').textContent()
  const guest = await (await chromium.newContext()).newPage()
  await guest.goto(link ?? '')
  await expectAccessible(guest)
  await guest.getByLabel('Your name').fill('Kim')
  await guest.getByLabel('Password').fill(password)
  await guest.getByRole('button', { name: 'Create account and join' }).click()
  await guest.getByRole('navigation', { name: 'Workspace' }).waitFor()
  await tab.goto(owner.at('/settings/members'))
  const row = tab.getByRole('row').filter({ hasText: 'by-hand@example.com' })
  await row.getByRole('button', { name: 'Make an owner' }).click()
  await tab.getByRole('button', { name: 'Change the role' }).filter({ visible: true }).click()
  await row.getByText('Owner', { exact: true }).waitFor()
  await row.getByRole('link', { name: 'New password for Kim' }).click()
  await tab.getByRole('button', { name: 'Make the link' }).click()
  const reset = await tab.locator('#link').textContent()
  await guest.goto(reset ?? '')
  await expectAccessible(guest)
})
