import { describe, expect, it } from '@jest/globals'
import { createBrowser, type Page } from '../../../../support/browser.ts'
import { createApiKey } from '../../../accounts/identity/api-keys.ts'
import { itInChromium } from '../../support/chromium.ts'
import { csrfTokenOf } from '../../support/csrf.ts'
import {
  expectAccessible,
  getLink,
  openTab,
  password,
  seedSignedInMember,
  seedSoleOwner,
  seedUserWithoutWorkspace,
  type SignedInUser,
} from '../../support/dashboard.ts'
import { useServiceWorld } from '../../support/service.ts'

const world = useServiceWorld()

const days = (count: number) => count * 86_400_000
const seedOwner = () => seedSoleOwner(world.service)

const listRoles = async (workspaceId: number) => {
  const rows = await world.database.db
    .selectFrom('membership')
    .select(['user_id', 'role'])
    .where('workspace_id', '=', workspaceId)
    .execute()
  return new Map(rows.map(({ user_id, role }) => [user_id, role]))
}

let invited = 0

async function inviteAs(
  owner: SignedInUser,
  role = 'member',
): Promise<{ link: string; email: string; page: Page }> {
  invited += 1
  const email = `invited${invited}@example.com`
  const form = await owner.open('/settings/members/invite')
  const { page } = await owner.browser.press(form, 'Create link', { email, role })
  return { link: getLink(page), email, page }
}

async function openInvitation(link: string) {
  const browser = createBrowser()
  const { page: form } = await browser.open(link)
  const accept = async (change: Record<string, string> = {}) => {
    const fields = { name: 'Kim', password, ...change }
    const { page } = await browser.press(form, 'Create account and join', fields)
    return { browser, page }
  }
  return { accept }
}

const acceptInvitation = async (link: string, change: Record<string, string> = {}) =>
  (await openInvitation(link)).accept(change)

describe('an invitation', () => {
  it('lets a new user join with a link that is shown only once', async () => {
    const owner = await seedOwner()
    const { link, email } = await inviteAs(owner)
    const token = link.split('/').at(-1) ?? ''
    const list = await owner.open('/settings/members')
    expect(list.text).toContain(email)
    expect(list.html).not.toContain(token)
    const { page } = await acceptInvitation(link, { email })
    expect(page.url).toContain(`/w/${owner.workspaceId}/`)
    expect(page.text).toContain(email)
    expect([...(await listRoles(owner.workspaceId)).values()].sort()).toEqual(['member', 'owner'])
    expect((await owner.open('/settings/members')).text).toContain('No pending invitations.')
  })

  it('is shown as expiring in 7 days, even a second after it was created', async () => {
    const owner = await seedOwner()
    const { email } = await inviteAs(owner)
    world.service.deps.clock.advance(1_000)
    expect((await owner.open('/settings/members')).text).toMatch(new RegExp(`${email}.* in 7 days`))
  })

  it('lets an existing user sign in and join', async () => {
    const owner = await seedOwner()
    const stranger = await seedUserWithoutWorkspace(world.service)
    const { link } = await inviteAs(owner, 'owner')
    const browser = createBrowser()
    const { page } = await browser.open(link)
    const signInPath = /href="(\/sign-in\?next=[^"]*)"/.exec(page.html)?.[1] ?? ''
    const { page: signInPage } = await browser.open(world.service.url + signInPath)
    const { page: back } = await browser.press(signInPage, 'Sign in', { email: stranger.email, password })
    expect(back.url).toBe(link)
    await browser.press(back, 'Join workspace')
    expect((await listRoles(owner.workspaceId)).get(stranger.userId)).toBe('owner')
  })

  it('lets a signed-in user sign out and join as a different user', async () => {
    const owner = await seedOwner()
    const { link, email } = await inviteAs(owner)
    const { page } = await owner.browser.open(link)
    const { page: out } = await owner.browser.press(page, 'Not you? Sign out')
    expect(out.url).toBe(link)
    const joined = await owner.browser.press(out, 'Create account and join', { name: 'Kim', email, password })
    expect(joined.page.text).toContain(email)
  })

  it('lets only one person join, even if several use it at the same time', async () => {
    const owner = await seedOwner()
    const { link } = await inviteAs(owner)
    // Everyone opens the form before the first person submits it.
    const forms = await Promise.all([1, 2, 3, 4].map(() => openInvitation(link)))
    const all = await Promise.all(
      forms.map((form, index) => form.accept({ email: `crowd${index}-${owner.email}` })),
    )
    expect(all.map(({ page }) => page.status).sort()).toEqual([200, 410, 410, 410])
    expect(all.filter(({ page }) => page.text.includes('already used'))).toHaveLength(3)
    expect((await listRoles(owner.workspaceId)).size).toBe(2)
  })

  it("stays valid if its creator uses it, and doesn't change the creator's role", async () => {
    const owner = await seedOwner()
    const { link } = await inviteAs(owner)
    const { page } = await owner.browser.open(link)
    const { page: after } = await owner.browser.press(page, 'Join workspace')
    expect(after.text).toContain('already')
    expect((await listRoles(owner.workspaceId)).get(owner.userId)).toBe('owner')
    expect((await acceptInvitation(link)).page.status).toBe(200)
  })

  it("shows whether its link was already used, has expired, or isn't valid", async () => {
    const owner = await seedOwner()
    const openGoneLink = async (link: string) => {
      const { page } = await createBrowser().open(link)
      expect(page.status).toBe(410)
      return page.text
    }
    const used = await inviteAs(owner)
    await acceptInvitation(used.link)
    expect(await openGoneLink(used.link)).toContain('already used')
    const withdrawn = await inviteAs(owner)
    await owner.browser.press(await owner.open('/settings/members'), 'Withdraw')
    expect(await openGoneLink(withdrawn.link)).toContain("isn't valid")
    expect(await openGoneLink(`${world.service.url}/invitations/none`)).toContain("isn't valid")
    const expired = await inviteAs(owner)
    const browser = createBrowser()
    const { page: form } = await browser.open(expired.link)
    world.service.deps.clock.advance(days(7))
    expect(await openGoneLink(expired.link)).toContain('has expired')
    const late = await browser.press(form, 'Create account and join', { name: 'Kim', password })
    expect(late.page.status).toBe(410)
  })

  it('shows an issue next to a taken email, a short password, or a missing name', async () => {
    const owner = await seedOwner()
    const { link } = await inviteAs(owner)
    const taken = await acceptInvitation(link, { email: owner.email })
    expect(taken.page.html).toMatch(/id="f-email-issue">The email /)
    expect((await acceptInvitation(link, { password: 'short' })).page.html).toMatch(
      /id="f-password-issue">[^<]*at least/,
    )
    expect((await acceptInvitation(link, { name: '' })).page.html).toMatch(
      /id="f-name-issue">This field is required/,
    )
  })

  it('is revoked when the owner who created it becomes a member or is removed', async () => {
    const owner = await seedOwner()
    const kim = await seedSignedInMember(world.service, owner.workspaceId, 'owner')
    const first = await inviteAs(kim, 'owner')
    await owner.browser.press(await owner.open('/settings/members'), 'Change role')
    expect((await createBrowser().open(first.link)).page.status).toBe(410)
    await owner.browser.press(await owner.open('/settings/members'), 'Change role')
    const second = await inviteAs(kim, 'owner')
    await owner.browser.press(await owner.open('/settings/members'), 'Remove from workspace')
    expect((await createBrowser().open(second.link)).page.status).toBe(410)
  })
})

describe('the members of a workspace', () => {
  it("can get another role or be removed by an owner, and a removed member's API keys stop working", async () => {
    const owner = await seedOwner()
    const { workspaceId } = owner
    const kim = await seedSignedInMember(world.service, workspaceId, 'member')
    const { key } = await createApiKey(world.service.deps, workspaceId, kim.userId, 'CRM')
    const list = await owner.open('/settings/members')
    await owner.browser.press(list, 'Change role')
    expect((await listRoles(workspaceId)).get(kim.userId)).toBe('owner')
    await owner.browser.press(await owner.open('/settings/members'), 'Change role')
    expect((await listRoles(workspaceId)).get(kim.userId)).toBe('member')
    await owner.browser.press(await owner.open('/settings/members'), 'Remove from workspace')
    expect((await listRoles(workspaceId)).has(kim.userId)).toBe(false)
    expect((await kim.open('/account')).status).toBe(404)
    const api = await fetch(`${world.service.url}/api/public/v1/calls/`, {
      headers: { authorization: `Bearer ${key}` },
    })
    expect(api.status).toBe(401)
  })

  it('always include an owner, even if two owners leave at the same time', async () => {
    const owner = await seedOwner()
    const { workspaceId } = owner
    expect((await owner.open('/settings/members')).html).not.toContain('Leave workspace')
    const kim = await seedSignedInMember(world.service, workspaceId, 'owner')
    // Both pages are open before either button is pressed.
    const users = [owner, kim]
    const opened = await Promise.all(users.map((user) => user.open('/settings/members')))
    const pages = await Promise.all(
      users.map(({ browser }, index) => browser.press(opened[index] as Page, 'Leave workspace')),
    )
    expect([...(await listRoles(workspaceId)).values()]).toEqual(['owner'])
    expect(pages.filter(({ page }) => page.text.includes('the last owner'))).toHaveLength(1)
  })

  it('always include an owner, even if two owners make each other members at the same time', async () => {
    const owner = await seedOwner()
    const { workspaceId } = owner
    const kim = await seedSignedInMember(world.service, workspaceId, 'owner')
    const users = [owner, kim]
    const opened = await Promise.all(users.map((user) => user.open('/settings/members')))
    await Promise.all(users.map(({ browser }, index) => browser.press(opened[index] as Page, 'Change role')))
    expect([...(await listRoles(workspaceId)).values()].sort()).toEqual(['member', 'owner'])
  })

  it('can all see the list of members, but only owners can change it', async () => {
    const owner = await seedOwner()
    const member = await seedSignedInMember(world.service, owner.workspaceId, 'member')
    const seen = await member.open('/settings/members')
    expect(seen.text).toContain(owner.email)
    expect(seen.html).not.toContain('Remove from workspace')
    expect((await member.open('/settings/members/invite')).status).toBe(403)
    const { userId } = await seedSignedInMember(world.service, owner.workspaceId, 'member')
    const submitForged = async (what: string, fields: Record<string, string>) => {
      const form = await owner.open('/settings/members')
      const ownPage = await member.open('/settings/members')
      const csrf = csrfTokenOf(ownPage.html)
      const html = form.html
        .replace(/name="_csrf" value="[^"]*"/g, `name="_csrf" value="${csrf}"`)
        .replaceAll(/members\/\d+\//g, `members/${userId}/`)
      return (await member.browser.press({ ...form, html }, what, fields)).page.status
    }
    expect(await submitForged('Change role', { role: 'owner' })).toBe(403)
    expect(await submitForged('Remove from workspace', {})).toBe(403)
    expect((await listRoles(owner.workspaceId)).get(userId)).toBe('member')
  })
})

itInChromium(
  "lets an owner invite a user and change the user's role in the browser, on accessible pages",
  async (chromium) => {
    const owner = await seedOwner()
    await seedSignedInMember(world.service, owner.workspaceId, 'member')
    const tab = await openTab(world.service, chromium, owner)
    await tab.goto(owner.urlFor('/settings/members'))
    await expectAccessible(tab)
    await tab.getByRole('link', { name: 'Invite member' }).click()
    await expectAccessible(tab)
    await tab.getByLabel('Email').fill('by-hand@example.com')
    await tab.getByRole('button', { name: 'Create link' }).click()
    await expectAccessible(tab)
    const link = await tab.locator('#link').textContent()
    const user = await (await chromium.newContext()).newPage()
    await user.goto(link ?? '')
    await expectAccessible(user)
    await user.getByLabel('Your name').fill('Kim')
    await user.getByLabel('Password').fill(password)
    await user.getByRole('button', { name: 'Create account and join' }).click()
    await user.getByRole('navigation', { name: 'Workspace' }).waitFor()
    await tab.goto(owner.urlFor('/settings/members'))
    const row = tab.getByRole('row').filter({ hasText: 'by-hand@example.com' })
    await row.getByRole('button', { name: 'Make owner' }).click()
    await tab.getByRole('button', { name: 'Change role' }).filter({ visible: true }).click()
    await row.getByText('Owner', { exact: true }).waitFor()
    await row.getByRole('link', { name: 'Reset password for Kim' }).click()
    await tab.getByRole('button', { name: 'Create link' }).click()
    const reset = await tab.locator('#link').textContent()
    await user.goto(reset ?? '')
    await expectAccessible(user)
  },
)
