import { expect, it } from '@jest/globals'
import type { Page } from '../../../support/browser.ts'
import { minuteMs } from '../../platform/core/durations.ts'
import { password, seedSignedInMember, seedSignedInOwner, type SignedInUser } from '../support/dashboard.ts'
import { useServiceWorld } from '../support/service.ts'

const world = useServiceWorld()

const endSessions = (userId: number) =>
  world.database.db.deleteFrom('session').where('user_id', '=', userId).execute()

const contact = { phone_number: '+12025550188', first_name: 'Quincy', variables: 'product = Roof' }

/** Fills in a form, and submits it after the session has ended. */
async function submitTooLate(user: SignedInUser, fields: Record<string, string> = contact): Promise<Page> {
  const form = await user.open('/contacts/new?campaign=7')
  await endSessions(user.userId)
  return (await user.browser.press(form, 'Add contact', fields)).page
}

/** Sends a form as a browser does, with additional headers. */
async function post(user: SignedInUser, path: string, fields: Record<string, string>, headers = {}) {
  const cookie = user.browser.cookies().join('; ')
  const response = await fetch(user.urlFor(path), {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, ...headers },
    body: new URLSearchParams(fields),
  })
  return { status: response.status, html: await response.text() }
}

const hiddenField = (page: Page, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(page.html)?.[1] ?? ''

const countContacts = async (user: { seed: { workspaceId: number } }) => {
  const rows = world.database.db.selectFrom('contact').select('id')
  return (await rows.where('workspace_id', '=', user.seed.workspaceId).execute()).length
}

it('if the session ends before a form is sent, shows the form filled in after sign-in, and saves nothing yet', async () => {
  const user = await seedSignedInOwner(world.service)
  const signIn = await submitTooLate(user)
  expect([signIn.status, signIn.html.includes('Quincy')]).toEqual([403, false])
  expect(signIn.text).toContain('What you entered is still there')
  const wrong = await user.browser.press(signIn, 'Sign in', { email: user.email, password: 'wrong' })
  const { page } = await user.browser.press(wrong.page, 'Sign in', { email: user.email, password })
  expect(page.text).toContain('Nothing was saved yet.')
  expect(page.html).not.toContain('<title>Error')
  for (const value of Object.values(contact)) expect(page.html).toContain(value)
  expect(await countContacts(user)).toBe(0)
  expect((await user.browser.press(page, 'Add contact')).page.text).toContain('Contact added.')
  expect(await countContacts(user)).toBe(1)
})

it('shows an empty form if a member other than the one who filled it in signs in', async () => {
  const user = await seedSignedInOwner(world.service)
  const other = await seedSignedInMember(world.service, user.seed.workspaceId, 'owner')
  const signIn = await submitTooLate(user)
  const { page } = await user.browser.press(signIn, 'Sign in', { email: other.email, password })
  expect([page.status, page.html.includes('Quincy')]).toEqual([200, false])
  expect(page.text).not.toContain('Nothing was saved yet.')
})

it.each([
  ['were changed', (sealed: string) => `${sealed.slice(0, -4)}AAAA`],
  ["weren't sealed by Outdial", () => 'x'],
])('shows an empty form if the sealed values %s', async (_what, change) => {
  const user = await seedSignedInOwner(world.service)
  const signIn = await submitTooLate(user)
  const fields = { email: user.email, password, _restore: change(hiddenField(signIn, '_restore')) }
  const { page } = await user.browser.press(signIn, 'Sign in', fields)
  expect([page.status, page.html.includes('Quincy')]).toEqual([200, false])
})

it('shows an empty form if the sealed values are from a form at another path', async () => {
  const user = await seedSignedInOwner(world.service)
  const sealed = hiddenField(await submitTooLate(user), '_restore')
  const again = await user.browser.open(user.urlFor('/agents/new'))
  const { page } = await user.browser.press(again.page, 'Sign in', {
    email: user.email,
    password,
    _restore: sealed,
  })
  expect([page.status, page.url.endsWith('/agents/new')]).toEqual([200, true])
  expect(page.html).not.toContain('Quincy')
})

it('shows an empty form if the user signs in more than an hour later', async () => {
  const user = await seedSignedInOwner(world.service)
  const signIn = await submitTooLate(user)
  world.service.deps.clock.advance(61 * minuteMs)
  const { page } = await user.browser.press(signIn, 'Sign in', { email: user.email, password })
  expect([page.status, page.html.includes('Quincy')]).toEqual([200, false])
})

it("after sign-in, doesn't restore a form that is larger than 32 KB", async () => {
  const user = await seedSignedInOwner(world.service)
  const signIn = await submitTooLate(user, { ...contact, variables: 'x'.repeat(33_000) })
  expect(signIn.text).toContain(
    "Your session expired and the form wasn't submitted. Sign in, then submit it again.",
  )
  expect(signIn.html).not.toContain('_restore')
})

it("after sign-in, doesn't restore the secrets in a form", async () => {
  const user = await seedSignedInOwner(world.service)
  const form = await user.open('/tools/new-http')
  await endSessions(user.userId)
  const fields = { description: 'Finds slots', key_name_1: 'API_KEY', key_secret_1: 'a-very-secret-value' }
  const signIn = await user.browser.press(form, 'Add tool', fields)
  const { page } = await user.browser.press(signIn.page, 'Sign in', { email: user.email, password })
  expect(page.html).toContain('Finds slots')
  expect(page.html).not.toContain('a-very-secret-value')
})

it('after sign-in, restores the text of a form with a file, but not the file', async () => {
  const user = await seedSignedInOwner(world.service)
  const form = await user.open('/knowledge/new')
  await endSessions(user.userId)
  const body = new FormData()
  for (const name of ['_csrf', '_once', '_by']) body.set(name, hiddenField(form, name))
  body.set('title', 'Opening hours')
  body.set('file', new Blob(['secret content']), 'hours.txt')
  const sent = await fetch(user.urlFor('/knowledge/new'), {
    method: 'POST',
    headers: { cookie: user.browser.cookies().join('; ') },
    body,
  })
  const signIn: Page = { ...form, html: await sent.text() }
  const { page } = await user.browser.press(signIn, 'Sign in', { email: user.email, password })
  expect(page.html).toContain('Opening hours')
  expect(page.html).not.toContain('secret content')
})

it.each([
  ['a form of another site', { 'sec-fetch-site': 'cross-site' }, {}, 303],
  ['a form of a sibling subdomain', { 'sec-fetch-site': 'same-site' }, {}, 303],
  ['a form from another origin', { origin: 'https://evil.example' }, {}, 303],
  ['a form with a wrong CSRF token', {}, { _csrf: 'x' }, 403],
  ['a form whose _by field is invalid', {}, { _by: 'x' }, 303],
])("after sign-in, doesn't restore %s", async (_what, headers, changes, status) => {
  const user = await seedSignedInOwner(world.service)
  const form = await user.open('/contacts/new')
  await endSessions(user.userId)
  const tokens = { _csrf: hiddenField(form, '_csrf'), _by: hiddenField(form, '_by') }
  const sent = await post(user, '/contacts/new', { ...contact, ...tokens, ...changes }, headers)
  expect([sent.status, sent.html.includes('_restore')]).toEqual([status, false])
})

it("doesn't restore a form that arrives without cookies, like a form that another site sends", async () => {
  const user = await seedSignedInOwner(world.service)
  const form = await user.open('/contacts/new')
  const tokens = { _csrf: hiddenField(form, '_csrf'), _by: hiddenField(form, '_by') }
  const sent = await post(user, '/contacts/new', { ...contact, ...tokens }, { cookie: '' })
  expect([sent.status, sent.html.includes('_restore')]).toEqual([303, false])
})

it("doesn't restore a form whose CSRF token belongs to one user and whose _by field names another", async () => {
  const user = await seedSignedInOwner(world.service)
  const attacker = await seedSignedInMember(world.service, user.seed.workspaceId, 'member')
  const attackersForm = await attacker.open('/contacts/new')
  const form = await user.open('/contacts/new')
  await endSessions(user.userId)
  const tokens = { _csrf: hiddenField(form, '_csrf'), _by: hiddenField(attackersForm, '_by') }
  const sent = await post(user, '/contacts/new', { ...contact, ...tokens })
  const signIn: Page = { ...form, html: sent.html }
  const { page } = await user.browser.press(signIn, 'Sign in', { email: user.email, password })
  expect(page.html).not.toContain('Quincy')
})
