import { expect, it } from '@jest/globals'
import { countryCodes, nameCountry } from '../../../platform/core/countries.ts'
import { getCallRules } from '../../../queue/rules/call-rules.ts'
import { setRules } from '../../support/call-rules.ts'
import { itInChromium } from '../../support/chromium.ts'
import { csrfTokenOf } from '../../support/csrf.ts'
import { expectAccessible, openTab, seedSignedInMember, seedSignedInOwner } from '../../support/dashboard.ts'
import { useServiceWorld } from '../../support/service.ts'

const world = useServiceWorld()

it('saves the countries to call, entered as names or codes, and shows who changed the rules', async () => {
  const user = await seedSignedInOwner(world.service)
  const form = await user.open('/settings/rules')
  expect(form.text).toContain('only the one about premium-rate and satellite numbers is checked.')
  const { page } = await user.browser.press(form, 'Save', { countries: 'Deutschland, us\nCanada, US' })
  expect(page.text).toContain('Rules saved.')
  expect(page.text).toContain('Changed by')
  expect(page.html).toContain('Canada, Germany, United States</textarea>')
  const { countries } = await getCallRules(world.service.deps, user.seed.workspaceId)
  expect(countries).toEqual(['CA', 'DE', 'US'])

  const { page: all } = await user.browser.press(page, 'Save', { countries: '' })
  expect(all.text).toContain('Rules saved.')
  expect((await getCallRules(world.service.deps, user.seed.workspaceId)).countries).toBeNull()
})

it('accepts the displayed name of every country', async () => {
  const { seed } = await seedSignedInOwner(world.service)
  const names = countryCodes.map(nameCountry).join(', ')
  await setRules(world.service.deps, seed, { countries: names })
  const { countries } = await getCallRules(world.service.deps, seed.workspaceId)
  expect(countries).toEqual(countryCodes.toSorted())
})

it.each(['Atlantis', '+1', 'US, Congo'])(
  "shows an issue if an entry isn't exactly one country: %s",
  async (countries) => {
    const user = await seedSignedInOwner(world.service)
    const { page } = await user.browser.press(await user.open('/settings/rules'), 'Save', { countries })
    expect(page.status).toBe(422)
    expect(page.html).toMatch(/id="f-countries-issue">[^<]*not a known country/)
    expect((await getCallRules(world.service.deps, user.seed.workspaceId)).changed).toBeNull()
  },
)

it('saves and clears the limits on call attempts and the required consent', async () => {
  const user = await seedSignedInOwner(world.service)
  const rules = {
    max_attempts_per_day: '3',
    max_attempts_per_30_days: '10',
    consent_required: 'written',
    consent_max_age_days: '365',
  }
  const { page } = await user.browser.press(await user.open('/settings/rules'), 'Save', rules)
  expect(page.text).toContain('Rules saved.')
  expect(await getCallRules(world.service.deps, user.seed.workspaceId)).toMatchObject({
    maxAttemptsPerDay: 3,
    maxAttemptsPer30Days: 10,
    consentRequired: 'written',
    consentMaxAgeDays: 365,
  })
  const off = { ...rules, max_attempts_per_day: '', max_attempts_per_30_days: '', consent_required: 'none' }
  const { page: saved } = await user.browser.press(page, 'Save', { ...off, consent_max_age_days: '' })
  expect(saved.text).toContain('Rules saved.')
  expect(await getCallRules(world.service.deps, user.seed.workspaceId)).toMatchObject({
    maxAttemptsPerDay: null,
    maxAttemptsPer30Days: null,
    consentRequired: 'none',
    consentMaxAgeDays: null,
  })
})

it.each([
  ['max_attempts_per_day', '11'],
  ['max_attempts_per_30_days', '0'],
  ['consent_max_age_days', '3651'],
])('shows an issue for a limit that is out of range: %s', async (name, value) => {
  const user = await seedSignedInOwner(world.service)
  const typed = { consent_required: 'any', [name]: value }
  const { page } = await user.browser.press(await user.open('/settings/rules'), 'Save', typed)
  expect(page.status).toBe(422)
  expect(page.html).toContain(`id="f-${name}-issue"`)
})

it('saves whether premium-rate and satellite numbers are called, which is off by default', async () => {
  const user = await seedSignedInOwner(world.service)
  const form = await user.open('/settings/rules')
  expect(form.html).toMatch(/name="calls_special_numbers"\s+value="yes"\s*>/)
  const { page } = await user.browser.press(form, 'Save', { calls_special_numbers: 'yes' })
  expect(page.html).toMatch(/name="calls_special_numbers"\s+value="yes" checked/)
  const { page: off } = await user.browser.press(page, 'Save', { calls_special_numbers: [] })
  expect(off.html).not.toMatch(/name="calls_special_numbers"\s+value="yes" checked/)
})

it('warns if seven days in a row are closed, because every waiting call then expires', async () => {
  const user = await seedSignedInOwner(world.service)
  const days = (count: number) =>
    Array.from({ length: count }, (_, index) => `2099-12-${String(index + 1).padStart(2, '0')}`).join(' ')
  const form = await user.open('/settings/rules')
  const { page: six } = await user.browser.press(form, 'Save', { closed_dates: days(6) })
  expect(six.text).toContain('Rules saved.')
  expect(six.text).not.toContain('all days are closed')
  const { page: seven } = await user.browser.press(six, 'Save', { closed_dates: days(7) })
  expect(seven.text).toContain('From 2099-12-01 to 2099-12-07, all days are closed.')
  const { page: apart } = await user.browser.press(seven, 'Save', { closed_dates: `${days(4)} 2099-12-10` })
  expect(apart.text).not.toContain('all days are closed')
})

it('shows members the rules, but lets only owners change them', async () => {
  const owner = await seedSignedInOwner(world.service)
  const member = await seedSignedInMember(world.service, owner.seed.workspaceId, 'member')
  const seen = await member.open('/settings/rules')
  expect(seen.text).toContain('Only owners can change these rules.')
  const form = await owner.open('/settings/rules')
  const csrf = csrfTokenOf(seen.html)
  const forged = {
    ...form,
    html: form.html.replace(/name="_csrf" value="[^"]*"/g, `name="_csrf" value="${csrf}"`),
  }
  const { page } = await member.browser.press(forged, 'Save', { countries: 'US' })
  expect(page.status).toBe(403)
  expect((await getCallRules(world.service.deps, owner.seed.workspaceId)).changed).toBeNull()
})

itInChromium('is accessible, with and without an issue', async (chromium) => {
  const user = await seedSignedInOwner(world.service)
  const tab = await openTab(world.service, chromium, user)
  await tab.goto(user.urlFor('/settings/rules'))
  await expectAccessible(tab)
  await tab.getByLabel('Countries').fill('Atlantis')
  await tab.getByRole('button', { name: 'Save' }).click()
  await tab.locator('.issue', { hasText: 'not a known country' }).waitFor()
  await expectAccessible(tab)
})
