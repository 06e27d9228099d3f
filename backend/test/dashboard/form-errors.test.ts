import { expect, it } from '@jest/globals'
import { itInChromium } from '../support/chromium.ts'
import { expectAccessible, openTab, useOwnerWorld } from '../support/dashboard.ts'

const { world, user } = useOwnerWorld()

const badContact = {
  phone_number: '12',
  email: 'nobody',
  time_zone: 'Moon',
  variables: 'no value',
  'consent.at': '2026-05-04',
}

it('shows all issues of a new contact at once', async () => {
  const { page } = await user.browser.press(await user.open('/contacts/new'), 'Add contact', badContact)
  expect(page.status).toBe(422)
  expect(page.text).toContain('5 fields need attention')
  for (const field of ['phone_number', 'email', 'time_zone', 'variables', 'consent-source']) {
    expect(page.html).toContain(`href="#f-${field}"`)
    expect(page.html).toMatch(new RegExp(`id="f-${field}"[^>]*aria-invalid="true"`))
  }
})

it('shows a summary even for a single issue, and names the field', async () => {
  const { page } = await user.browser.press(await user.open('/contacts/new'), 'Add contact', {})
  expect(page.text).toMatch(/1 field needs attention Phone number is required/)
})

it('if a country is unknown, shows an issue only next to the country, not next to the number that depends on it', async () => {
  const fields = { phone_number: '030 123456', country: 'Narnia' }
  const { page } = await user.browser.press(await user.open('/contacts/new'), 'Add contact', fields)
  expect(page.text).toMatch(/1 field needs attention Country: This country isn't known/)
})

it('shows all issues of the arguments, headers, and secrets of a tool at once', async () => {
  const fields = {
    'param.1.name': '1st',
    'param.2.name': 'two words',
    headers: 'no colon',
    key_name_1: 'A',
    key_name_2: 'B',
  }
  const { page } = await user.browser.press(await user.open('/tools/new-http'), 'Add tool', fields)
  for (const name of ['Argument 1', 'Argument 2', 'Headers', 'Secret 1', 'Secret 2', 'Name: ', 'URL: '])
    expect(page.text).toContain(name)
})

it('the contact form accepts spellings of a consent date and a time zone that imports accept', async () => {
  const fields = {
    phone_number: '+14155550123',
    time_zone: 'Pacific',
    'consent.source': 'Website form',
    'consent.at': '11/01/2025',
  }
  const { page } = await user.browser.press(await user.open('/contacts/new'), 'Add contact', fields)
  expect(page.text).toContain('Contact added.')
  expect(page.text).toContain('America/Los_Angeles')
  expect(page.text).toMatch(/Website form Nov 1/)
})

it("says how to enter a consent date if the text isn't a date", async () => {
  const fields = { phone_number: '+14155550124', 'consent.source': 'Form', 'consent.at': 'soon' }
  const { page } = await user.browser.press(await user.open('/contacts/new'), 'Add contact', fields)
  expect(page.text).toContain("This isn't a valid date. Enter it as year, month, and day")
})

itInChromium(
  'moves the focus to the first field with an issue, and links to the others',
  async (chromium) => {
    const tab = await openTab(world.service, chromium, user)
    await tab.goto(user.urlFor('/contacts/new'))
    await tab.getByLabel('Phone number').fill('+12025550177')
    await tab.getByLabel('Email').fill('nobody')
    await tab.getByLabel('Consent date').fill('soon')
    await tab.getByRole('button', { name: 'Add contact' }).click()
    await tab.getByText('3 fields need attention').waitFor()
    const focused = () => tab.evaluate<string>('document.activeElement.id')
    expect(await focused()).toBe('f-email')
    await tab.getByRole('link', { name: /^Consent date: / }).click()
    expect(await focused()).toBe('f-consent-at')
    await expectAccessible(tab)
  },
)
