import { expect, it } from '@jest/globals'
import { createResetLink } from '../../../accounts/identity/password-resets.ts'
import { formatBrowser } from '../../../dashboard/account/account-pages.ts'
import { itInChromium } from '../../support/chromium.ts'
import { expectAccessible, password, seedSignedInOwner, signIn } from '../../support/dashboard.ts'
import { useServiceWorld } from '../../support/service.ts'

const world = useServiceWorld()

const fresh = 'another long password'

it('lets a user change their name, and their email only if they enter the current password', async () => {
  const { browser, open, email } = await seedSignedInOwner(world.service)
  const page = await open('/account')
  const { page: renamed } = await browser.press(page, 'Save', { name: 'Kim <i>', email })
  expect(renamed.html).toContain('Kim &lt;i&gt;')
  const newEmail = `new-${email}`
  const rejected = await browser.press(page, 'Save', {
    name: 'Kim',
    email: newEmail,
    current_password: 'wrong',
  })
  expect(rejected.page.status).toBe(422)
  expect(rejected.page.html).toMatch(/id="f-current_password-issue">Incorrect password/)
  await browser.press(page, 'Save', { name: 'Kim', email: newEmail, current_password: password })
  expect((await signIn(world.service, newEmail)).page.text).toContain(newEmail)
})

it('rejects an email that another user has, even if that user takes it at the same time', async () => {
  const [one, two] = [await seedSignedInOwner(world.service), await seedSignedInOwner(world.service)]
  const take = async (user: typeof one, email: string) => {
    const fields = { name: 'Kim', email, current_password: password }
    return (await user.browser.press(await user.open('/account'), 'Save', fields)).page
  }
  const taken = await take(one, two.email.toUpperCase())
  expect(taken.status).toBe(422)
  expect(taken.html).toMatch(/id="f-email-issue">The email /)
  const both = await Promise.all([take(one, 'wanted@example.com'), take(two, 'WANTED@example.com')])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 422])
})

it('changes the password after checking the current one, ends other sessions, and invalidates reset links', async () => {
  const user = await seedSignedInOwner(world.service)
  const otherBrowser = await signIn(world.service, user.email)
  const { link } = await createResetLink(world.service.deps, user.userId)
  const form = await user.open('/account/password')
  const wrong = await user.browser.press(form, 'Change password', {
    current_password: 'not this one',
    new_password: fresh,
  })
  expect(wrong.page.html).toMatch(/id="f-current_password-issue">Incorrect current password/)
  expect(wrong.page.html).not.toContain(fresh)
  const short = await user.browser.press(form, 'Change password', {
    current_password: password,
    new_password: 'short',
  })
  expect(short.page.html).toMatch(/id="f-new_password-issue">[^<]*at least 10/)
  const { page } = await user.browser.press(form, 'Change password', {
    current_password: password,
    new_password: fresh,
  })
  expect(page.text).toContain('Password changed')
  expect((await otherBrowser.browser.open(user.urlFor('/account'))).page.url).toContain('/sign-in')
  expect((await user.browser.open(link)).page.status).toBe(410)
  expect((await signIn(world.service, user.email)).page.status).toBe(422)
  expect((await signIn(world.service, user.email, fresh)).page.status).toBe(200)
})

it("limits password guesses in one session without locking the user's other sessions", async () => {
  const user = await seedSignedInOwner(world.service)
  const other = await signIn(world.service, user.email)
  const form = await user.open('/account/password')
  const guess = (current_password: string) =>
    user.browser.press(form, 'Change password', { current_password, new_password: fresh })
  for (let count = 0; count < 10; count += 1) expect((await guess(`wrong ${count}`)).page.status).toBe(422)
  const { page: stopped } = await guess(password)
  expect(stopped.status).toBe(429)
  expect(stopped.text).toContain('Too many attempts')
  const byAddress = await user.browser.press(await user.open('/account'), 'Save', {
    name: 'Kim',
    email: `x${user.email}`,
    current_password: password,
  })
  expect(byAddress.page.status).toBe(429)
  const { page: passwordPage } = await other.browser.open(user.urlFor('/account/password'))
  const changed = await other.browser.press(passwordPage, 'Change password', {
    current_password: password,
    new_password: fresh,
  })
  expect(changed.page.text).toContain('Password changed')
})

it("lists the user's sessions, and ends one or all of the user's other sessions", async () => {
  const user = await seedSignedInOwner(world.service)
  const second = await signIn(world.service, user.email)
  const third = await signIn(world.service, user.email)
  await world.database.db
    .updateTable('session')
    .set({ user_agent: '<b>Mozilla</b>' })
    .where('user_id', '=', user.userId)
    .execute()
  const page = await user.open('/account')
  expect(page.text.match(/This session/g)).toHaveLength(1)
  expect(page.html).not.toContain('<b>')
  const ids = [...page.html.matchAll(/sessions\/(\d+)\/end"/g)].map(([, id]) => id)
  expect(ids).toHaveLength(2)
  const { page: after } = await user.browser.press(page, 'End session')
  expect(after.text).toContain('Session ended.')
  const isSignedIn = async ({ browser }: typeof second) =>
    !(await browser.open(user.urlFor('/account'))).page.url.includes('/sign-in')
  expect([await isSignedIn(second), await isSignedIn(third)].filter(Boolean)).toHaveLength(1)
  const { page: alone } = await user.browser.press(after, 'Sign out other sessions')
  expect(alone.html).not.toContain('End session')
  expect([await isSignedIn(second), await isSignedIn(third)]).toEqual([false, false])
})

it("doesn't end another user's session", async () => {
  const [mine, theirs] = [await seedSignedInOwner(world.service), await seedSignedInOwner(world.service)]
  await signIn(world.service, mine.email)
  const { id } = await world.database.db
    .selectFrom('session')
    .select('id')
    .where('user_id', '=', theirs.userId)
    .executeTakeFirstOrThrow()
  const page = await mine.open('/account')
  const forged = { ...page, html: page.html.replace(/sessions\/\d+\/end"/, `sessions/${id}/end"`) }
  expect((await mine.browser.press(forged, 'End session')).page.status).toBe(404)
  expect((await theirs.open('/account')).url).toBe(theirs.urlFor('/account'))
})

it.each([
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:139.0) Gecko/20100101 Firefox/139.0', 'Firefox on Windows'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/136.0.0.0 Safari/537.36 Edg/136.0.0.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Safari/605.1.15',
    'Safari on Mac',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/136.0.7103.56 Mobile/15E148 Safari/604.1',
    'Chrome on iPhone',
  ],
  [
    'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/136.0.0.0 Safari/537.36',
    'Chrome on ChromeOS',
  ],
  ['curl/8.5.0', 'curl'],
  ['', 'Unknown browser'],
])('shows a readable browser name for the user agent %j', (userAgent, words) => {
  expect(formatBrowser(userAgent)).toBe(words)
})

itInChromium(
  'the account pages sign out other sessions, reject a wrong current password, and are accessible in the browser',
  async (chromium) => {
    const user = await seedSignedInOwner(world.service)
    const tab = await chromium.newPage({ reducedMotion: 'reduce' })
    await tab.goto(`${world.service.url}/sign-in`)
    await tab.getByLabel('Email').fill(user.email)
    await tab.getByLabel('Password').fill(password)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.getByRole('navigation', { name: 'Workspace' }).waitFor()
    await tab.goto(user.urlFor('/account'))
    await expectAccessible(tab)
    await tab.getByText('Chrome on Linux').waitFor()
    await tab.getByRole('button', { name: 'Sign out everywhere else' }).click()
    await tab.getByRole('button', { name: 'Sign out other sessions' }).click()
    await tab.getByText('signed out everywhere else').waitFor()
    await tab.getByRole('link', { name: 'Change password' }).click()
    await tab.getByLabel('Current password').fill('wrong password')
    await tab.getByLabel('New password').fill(fresh)
    await tab.getByRole('button', { name: 'Change password' }).click()
    await tab.locator('.issue', { hasText: 'Incorrect current password' }).waitFor()
    await expectAccessible(tab)
  },
)
