import { expect, it } from '@jest/globals'
import { itInChromium } from '../../support/chromium.ts'
import { csrfTokenOf } from '../../support/csrf.ts'
import { expectAccessible, openTab, seedSignedInMember, seedSignedInOwner } from '../../support/dashboard.ts'
import { useServiceWorld } from '../../support/service.ts'

const world = useServiceWorld()

const fields = {
  name: 'Globex',
  country: 'DE',
  time_zone: 'Europe/Berlin',
  'calling_hours.days': 'sat',
  'calling_hours.start': '22:00',
  'calling_hours.end': '06:30',
}

const getSettings = (workspaceId: number) =>
  world.database.db
    .selectFrom('workspace')
    .select(['name', 'country', 'time_zone', 'calling_hours'])
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow()

it("saves the workspace's settings and uses its calling hours for new campaigns", async () => {
  const user = await seedSignedInOwner(world.service)
  const form = await user.open('/settings')
  const { page } = await user.browser.press(form, 'Save', fields)
  expect(page.text).toContain('Settings saved.')
  expect(page.html).toContain('value="Globex"')
  expect(await getSettings(user.seed.workspaceId)).toEqual({
    name: 'Globex',
    country: 'DE',
    time_zone: 'Europe/Berlin',
    calling_hours: { days: ['sat'], start: '22:00', end: '06:30' },
  })
  const campaign = await user.open('/campaigns/new')
  expect(campaign.html).toContain('value="22:00"')
})

it.each([
  ['name', { name: '   ' }, 'Enter a name'],
  ['country', { country: 'Germany' }, 'a valid country code'],
  ['time_zone', { time_zone: 'Mars/Base' }, 'a valid time zone'],
  ['calling_hours.start', { 'calling_hours.start': '9' }, 'such as 09:00'],
  ['calling_hours.end', { 'calling_hours.end': '22:00' }, 'start and end at the same time'],
  ['calling_hours.days', { 'calling_hours.days': '' }, ''],
])('shows an issue next to %s if the input is %j', async (field, bad, message) => {
  const user = await seedSignedInOwner(world.service)
  const before = await getSettings(user.seed.workspaceId)
  const form = await user.open('/settings')
  const { page } = await user.browser.press(form, 'Save', { ...fields, ...bad })
  expect(page.status).toBe(422)
  expect(page.html).toMatch(new RegExp(`id="f-${field.replace('.', '-')}-issue">[^<]*${message}`))
  expect(await getSettings(user.seed.workspaceId)).toEqual(before)
})

it('shows all issues together, each next to its field', async () => {
  const user = await seedSignedInOwner(world.service)
  const form = await user.open('/settings')
  const wrong = { ...fields, country: 'Germany', 'calling_hours.end': '22:00' }
  const { page } = await user.browser.press(form, 'Save', wrong)
  const named = [...page.html.matchAll(/id="f-([a-z_-]+)-issue"/g)].map(([, field]) => field)
  expect(named).toEqual(['country', 'calling_hours-end'])
})

it('shows members the settings, but lets only owners change them', async () => {
  const owner = await seedSignedInOwner(world.service)
  const member = await seedSignedInMember(world.service, owner.seed.workspaceId, 'member')
  const seen = await member.open('/settings')
  expect(seen.text).toContain('Monday to Friday, 9:00 AM to 5:00 PM')
  const form = await owner.open('/settings')
  const csrf = csrfTokenOf(seen.html)
  const forged = {
    ...form,
    html: form.html.replace(/name="_csrf" value="[^"]*"/g, `name="_csrf" value="${csrf}"`),
  }
  const { page } = await member.browser.press(forged, 'Save', fields)
  expect(page.status).toBe(403)
  expect(page.text).toContain('Only an owner')
  expect((await getSettings(owner.seed.workspaceId)).name).not.toBe('Globex')
})

it("returns 404 for another workspace's settings", async () => {
  const [mine, theirs] = [await seedSignedInOwner(world.service), await seedSignedInOwner(world.service)]
  for (const path of ['/settings', '/settings/members', '/account']) {
    expect((await mine.browser.open(theirs.urlFor(path))).page.status).toBe(404)
  }
})

itInChromium(
  'in the browser, shows an issue for an invalid time zone on an accessible page, and saves a valid time zone',
  async (chromium) => {
    const user = await seedSignedInOwner(world.service)
    const tab = await openTab(world.service, chromium, user)
    await tab.goto(user.urlFor('/settings'))
    await expectAccessible(tab)
    await tab.getByLabel('Time zone').fill('Mars/Base')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.locator('.issue', { hasText: 'a valid time zone' }).waitFor()
    await expectAccessible(tab)
    await tab.getByLabel('Time zone').fill('Europe/Berlin')
    await tab.getByLabel('Saturday').check()
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByText('Settings saved.').waitFor()
    expect((await getSettings(user.seed.workspaceId)).calling_hours.days).toContain('sat')
  },
)
