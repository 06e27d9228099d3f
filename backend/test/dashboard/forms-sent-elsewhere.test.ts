import { beforeAll, expect, it } from '@jest/globals'
import type { Page } from '../../../support/browser.ts'
import { addMember } from '../../accounts/identity/members.ts'
import { addNumbersToDoNotCallList } from '../../queue/calls/do-not-call.ts'
import { itInChromium } from '../support/chromium.ts'
import { useImportWorld } from '../support/contact-imports.ts'
import {
  expectAccessible,
  openTab,
  password,
  seedSignedInMember,
  seedSignedInOwner,
  type SignedInUser,
} from '../support/dashboard.ts'
import { seedWorkspace } from '../support/factories.ts'
import { isPage, request, workspacePath } from '../support/foreign-objects.ts'
import { listDashboardRoutes, pathFor } from '../support/page-paths.ts'
import { seedEverything } from '../support/seed-everything.ts'

// These forms are sent to a path other than that of their page. The tests submit them after the session has ended.

const { world, startWorker, uploadFile, uploadAndCheck } = useImportWorld()
beforeAll(() => {
  startWorker()
})

type Owner = Awaited<ReturnType<typeof seedOwner>>

/** Seeds an owner of the workspaces First and Second. The form is in Second, but First is the one that users see by default. */
async function seedOwner() {
  const { deps } = world.service
  const user = await seedSignedInOwner(world.service, 'Second')
  const first = await seedWorkspace(deps, 'First')
  await addMember(deps, first.workspaceId, user.userId, 'owner')
  const contact = await deps.db
    .insertInto('contact')
    .values({ workspace_id: user.seed.workspaceId, phone_number: '+12025550188' })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { ...user, contactId: contact.id, firstId: first.workspaceId }
}

const listNumber = ({ seed }: Owner) =>
  addNumbersToDoNotCallList(
    world.service.deps,
    seed.workspaceId,
    { phoneNumber: '+12025550188' },
    { source: 'dashboard', reason: 'Asked by email' },
  )

const csv = 'Phone,Blue\n+12025550171,yes\n'

interface Case {
  what: string
  /** Returns the page with the form. */
  open: (user: Owner) => Promise<Page>
  button: string
  fields: (user: Owner) => Record<string, string>
  /** The text that the page shows after the user has signed in again. */
  shown: (user: Owner) => RegExp[]
  message: string
}

const reason = { reason: 'Agreed on the phone' }
const shownReason = () => [/name="reason"[^>]*value="Agreed on the phone"/]

const forms: Case[] = [
  {
    what: 'the columns of a file that was just uploaded',
    open: async (user) => (await uploadFile(user, csv)).page,
    button: 'Check file',
    fields: () => ({ use_1: 'consent_given', consent_source: 'Trade fair' }),
    shown: () => [/value="Trade fair"/, /<option value="consent_given" selected>/],
    message: '',
  },
  {
    what: 'the choice of a campaign for an import',
    open: async (user) => (await uploadAndCheck(user, csv)).page,
    button: 'Import contacts',
    fields: ({ seed }) => ({ campaign_id: String(seed.campaignId) }),
    shown: ({ seed }) => [new RegExp(`<option value="${seed.campaignId}" selected>`)],
    message: '',
  },
  {
    what: 'a note',
    open: (user) => user.open(`/contacts/${user.contactId}`),
    button: 'Add note',
    fields: () => ({ text: 'Prefers mornings' }),
    shown: () => [/>\s*Prefers mornings<\/textarea>/],
    message: 'Note added.',
  },
  {
    what: "the reason to put a contact's number on the do-not-call list",
    open: (user) => user.open(`/contacts/${user.contactId}`),
    button: 'Add to list',
    fields: () => reason,
    shown: shownReason,
    message: 'The number is now on the do-not-call list.',
  },
  {
    what: "the reason to remove a contact's number from the list",
    open: async (user) => {
      await listNumber(user)
      return user.open(`/contacts/${user.contactId}`)
    },
    button: 'Remove from list',
    fields: () => reason,
    shown: shownReason,
    message: 'The number was removed from the do-not-call list.',
  },
  {
    what: 'the reason to remove a number from the list',
    open: async (user) => {
      await listNumber(user)
      return user.open('/contacts/do-not-call?number=%2B12025550188')
    },
    button: 'Remove number',
    fields: () => reason,
    shown: shownReason,
    message: 'The number was removed from the do-not-call list.',
  },
]

const endSessions = ({ userId }: SignedInUser) =>
  world.database.db.deleteFrom('session').where('user_id', '=', userId).execute()

async function submitTooLate(user: Owner, { open, button, fields }: Case): Promise<Page> {
  const page = await open(user)
  await endSessions(user)
  return (await user.browser.press(page, button, fields(user))).page
}

it.each(forms)(
  'if the session ends before the form is sent, shows $what again after sign-in, but saves nothing yet',
  async (form) => {
    const user = await seedOwner()
    const signIn = await submitTooLate(user, form)
    expect(signIn.text).toContain('What you entered is still there')
    const { page } = await user.browser.press(signIn, 'Sign in', { email: user.email, password })
    expect(page.status).toBe(200)
    expect(page.url).toContain(`/w/${user.seed.workspaceId}/`)
    expect(page.text.split('Nothing was saved yet.')).toHaveLength(2)
    for (const text of form.shown(user)) expect(page.html).toMatch(text)
    const { page: saved } = await user.browser.press(page, form.button)
    expect([saved.status, saved.text]).toEqual([200, expect.stringContaining(form.message)])
  },
)

it.each(forms)("if the session ends and another member signs in, doesn't show them $what", async (form) => {
  const user = await seedOwner()
  const other = await seedSignedInMember(world.service, user.seed.workspaceId, 'owner')
  const signIn = await submitTooLate(user, form)
  const { page } = await user.browser.press(signIn, 'Sign in', { email: other.email, password })
  expect(page.url).toContain(`/w/${user.seed.workspaceId}/`)
  expect(page.text).not.toContain('Nothing was saved yet.')
  for (const text of form.shown(user)) expect(page.html).not.toMatch(text)
})

it("after sign-in, doesn't restore a form whose path was changed to another contact or another workspace", async () => {
  const user = await seedOwner()
  const note = forms.find(({ button }) => button === 'Add note')
  if (note === undefined) throw new Error('no form for a note')
  const page = await user.open(`/contacts/${user.contactId}`)
  await endSessions(user)
  const html = page.html.replace(`/contacts/${user.contactId}/notes`, `/contacts/${user.contactId + 1}/notes`)
  const rejected = await user.browser.press({ ...page, html }, 'Add note', note.fields(user))
  expect(rejected.page.html).not.toContain('_restore')

  const signIn = (await user.browser.press(page, 'Add note', note.fields(user))).page
  const next = encodeURIComponent(`/w/${user.firstId}/contacts/new`)
  const elsewhere = { ...signIn, html: signIn.html.replace(/\?next=[^"]*/, `?next=${next}`) }
  const { page: other } = await user.browser.press(elsewhere, 'Sign in', { email: user.email, password })
  expect([other.status, other.url.endsWith('/contacts/new')]).toEqual([200, true])
  expect(other.text).not.toContain('Nothing was saved yet.')
})

it("if a colleague starts an import before the user signs in again, doesn't claim “Nothing was saved yet.”", async () => {
  const user = await seedOwner()
  const { path, page } = await uploadAndCheck(user, csv)
  await endSessions(user)
  const signIn = await user.browser.press(page, 'Import contacts')
  const colleague = await seedSignedInMember(world.service, user.seed.workspaceId, 'member')
  await colleague.browser.press(await colleague.open(path), 'Import contacts')
  const { page: after } = await user.browser.press(signIn.page, 'Sign in', { email: user.email, password })
  expect(after.status).toBe(200)
  expect(after.text).not.toContain('Nothing was saved yet.')
})

it('if a button is pressed after the session has ended, changes nothing, and shows the same page after sign-in', async () => {
  const user = await seedOwner()
  const page = await user.open(`/campaigns/${user.seed.campaignId}`)
  await endSessions(user)
  const signIn = await user.browser.press(page, 'Pause')
  expect(signIn.page.text).toContain("the form wasn't submitted")
  const { page: after } = await user.browser.press(signIn.page, 'Sign in', { email: user.email, password })
  expect([after.status, after.url]).toEqual([200, user.urlFor(`/campaigns/${user.seed.campaignId}`)])
  const { status } = await world.database.db
    .selectFrom('campaign')
    .select('status')
    .where('id', '=', user.seed.campaignId)
    .executeTakeFirstOrThrow()
  expect(status).toBe('active')
})

it('every form with fields contains the user, encrypted and valid only for the path that the form is sent to', async () => {
  const of = await seedEverything(world.service, 'Forms')
  await world.database.db
    .updateTable('contact_import')
    .set({ status: 'mapping' })
    .where('workspace_id', '=', of.workspaceId)
    .execute()
  const wrong: string[] = []
  let count = 0
  for (const route of listDashboardRoutes(world.service.deps).filter(isPage)) {
    const path = workspacePath(of, pathFor(route, of))
    const { html } = await request(world.service, of.user, path)
    for (const [, tag = '', form = ''] of html.matchAll(/<form method="post"([^>]*)>([\s\S]*?)<\/form>/g)) {
      const sealed = /name="_by" value="([^"]*)"/.exec(form)?.[1]
      if (sealed === undefined) {
        if (/<(textarea|select|input(?! type="hidden"))/.test(form)) wrong.push(`${path} has no _by: ${form}`)
        continue
      }
      count += 1
      const [sentTo = path] = (/action="([^"]*)"/.exec(tag)?.[1] ?? path).split('?')
      const open = () => world.service.deps.secretBox.open(sealed, ['form_author', sentTo])
      if (catchError(open) !== undefined) wrong.push(`${path} → ${sentTo}`)
    }
  }
  expect(wrong).toEqual([])
  expect(count).toBeGreaterThan(40)
}, 60_000)

function catchError(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
}

itInChromium(
  "if the session ends before a dialog's form is sent, shows the form again after sign-in, with a link to cancel",
  async (chromium) => {
    const user = await seedOwner()
    const tab = await openTab(world.service, chromium, user)
    await tab.goto(user.urlFor(`/contacts/${user.contactId}`))
    await tab.getByRole('button', { name: 'Add to do-not-call list' }).click()
    await tab.getByLabel('Reason').fill('Agreed on the phone')
    await endSessions(user)
    await tab.getByRole('button', { name: 'Add to list' }).click()
    await tab.getByLabel('Email').fill(user.email)
    await tab.getByLabel('Password', { exact: true }).fill(password)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.getByText('Nothing was saved yet.').waitFor()
    expect(await tab.getByLabel('Reason').inputValue()).toBe('Agreed on the phone')
    await expectAccessible(tab)
    await tab.getByRole('link', { name: 'Cancel' }).click()
    await tab.getByRole('button', { name: 'Add to do-not-call list' }).waitFor()
    expect(await tab.getByLabel('Reason').isVisible()).toBe(false)
  },
)
