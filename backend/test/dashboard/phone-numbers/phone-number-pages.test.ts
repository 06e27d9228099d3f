import { expect, it } from '@jest/globals'
import { itInChromium } from '../../support/chromium.ts'
import { expectAccessible, openTab, seedSignedInOwner } from '../../support/dashboard.ts'
import { useServiceWorld } from '../../support/service.ts'

const world = useServiceWorld()

it('redirects a user without a session to sign-in, with the path to return to', async () => {
  const { urlFor } = await seedSignedInOwner(world.service)
  const response = await fetch(urlFor('/phone-numbers'), { redirect: 'manual' })
  expect(response.status).toBe(303)
  expect(response.headers.get('location')).toBe(
    `/sign-in?next=${encodeURIComponent(new URL(urlFor('/phone-numbers')).pathname)}`,
  )
})

it('adds a number, retires it, and activates it again', async () => {
  const { browser, open } = await seedSignedInOwner(world.service)
  const form = await open('/phone-numbers/new')
  const { page: list } = await browser.press(form, 'Add number', {
    phone_number: '+1 (202) 555-0177',
    label: 'Sales <b>',
  })
  expect(list.text).toContain('Phone number added')
  expect(list.text).toContain('+12025550177')
  expect(list.html).toContain('Sales &lt;b&gt;')

  const { page: after } = await browser.press(list, 'Retire number')
  expect(after.text).toContain('Phone number retired')
  expect(after.text).toContain('Retired')

  const { page: again } = await browser.press(after, 'Activate')
  expect(again.text).toContain('Phone number activated')
  expect(again.text).not.toContain('Retired')
})

it('shows the issue of an invalid number next to its field, and keeps the entered values', async () => {
  const { browser, open } = await seedSignedInOwner(world.service)
  const form = await open('/phone-numbers/new')
  const { page } = await browser.press(form, 'Add number', { phone_number: '555', label: 'Sales' })
  expect(page.status).toBe(422)
  expect(page.html).toMatch(/<title>Error: /)
  expect(page.html).toContain('value="555"')
  expect(page.html).toContain('value="Sales"')
  expect(page.html).toMatch(/id="f-phone_number-issue">This phone number isn&#39;t valid/)
})

it('adds only one number when the same form is submitted twice', async () => {
  const { browser, open } = await seedSignedInOwner(world.service)
  const form = await open('/phone-numbers/new')
  const fields = { phone_number: '+12025550178', label: 'Once' }
  const sent = await Promise.all([
    browser.press(form, 'Add number', fields),
    browser.press(form, 'Add number', fields),
  ])
  expect(sent.map(({ page }) => page.status)).toEqual([200, 200])
  const numbers = await world.database.db
    .selectFrom('phone_number')
    .selectAll()
    .where('label', '=', 'Once')
    .execute()
  expect(numbers).toHaveLength(1)
})

it("returns the same 404 page for another workspace's pages as for pages that don't exist", async () => {
  const mine = await seedSignedInOwner(world.service)
  const theirs = await seedSignedInOwner(world.service)
  const { page: foreign } = await mine.browser.open(theirs.urlFor('/phone-numbers'))
  const nowhere = await mine.open('/nowhere')
  expect([foreign.status, nowhere.status]).toEqual([404, 404])
  expect(foreign.text).toBe(nowhere.text)
  expect(foreign.text).toContain('Page not found')
})

it("doesn't retire another workspace's number", async () => {
  const mine = await seedSignedInOwner(world.service)
  const theirs = await seedSignedInOwner(world.service)
  const list = await mine.open('/phone-numbers')
  const forged = {
    ...list,
    html: list.html.replaceAll(`/${mine.seed.phoneNumberId}/retire`, `/${theirs.seed.phoneNumberId}/retire`),
  }
  const { page } = await mine.browser.press(forged, 'Retire number')
  expect(page.status).toBe(404)
})

it('rejects a form with an invalid CSRF token', async () => {
  const { browser, open } = await seedSignedInOwner(world.service)
  const form = await open('/phone-numbers/new')
  const forged = { ...form, html: form.html.replace(/name="_csrf" value="[^"]*"/g, 'name="_csrf" value="x"') }
  const { page } = await browser.press(forged, 'Add number', { phone_number: '+12025550179', label: 'x' })
  expect(page.status).toBe(403)
})

itInChromium(
  'lets the user add and retire a number in the browser, on accessible pages',
  async (chromium) => {
    const user = await seedSignedInOwner(world.service)
    const tab = await openTab(world.service, chromium, user)
    await tab.goto(user.urlFor('/phone-numbers'))
    await expectAccessible(tab)
    await tab.getByRole('link', { name: 'Add number' }).first().click()
    await tab.getByLabel('Phone number').fill('+12025550180')
    await tab.getByLabel('Label').fill('Support')
    await expectAccessible(tab)
    await tab.getByRole('button', { name: 'Add number' }).click()
    const row = tab.getByRole('row').filter({ hasText: 'Support' })
    await row.getByRole('button', { name: 'Retire' }).click()
    await tab.getByRole('dialog').getByRole('button', { name: 'Retire number' }).click()
    await tab.getByText('Phone number retired').waitFor()
    await row.getByText('Retired').waitFor()
  },
)
