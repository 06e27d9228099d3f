import { expect, it } from '@jest/globals'
import { emptyResult } from '../../../calling/dialer/attempt-result.ts'
import { addContact, completeDialedCall, getCall, seedCall } from '../../support/calls.ts'
import { itInChromium } from '../../support/chromium.ts'
import { expectAccessible, openTab, seedSignedInOwner, type SignedInUser } from '../../support/dashboard.ts'
import { freshNumber, seedCampaign } from '../../support/factories.ts'
import { useServiceWorld } from '../../support/service.ts'

const world = useServiceWorld()

const fields = {
  name: 'Website leads',
  time_zone: 'Europe/Berlin',
  'calling_hours.start': '18:00',
  'calling_hours.end': '02:00',
  max_concurrent_calls: '7',
  'retry.max_attempts': '2',
  'retry.delay_minutes': '15',
  consent_required: 'none',
}

const getCampaign = (user: SignedInUser, name: string) =>
  world.database.db
    .selectFrom('campaign')
    .innerJoin('membership', 'membership.workspace_id', 'campaign.workspace_id')
    .selectAll('campaign')
    .where('membership.user_id', '=', user.userId)
    .where('campaign.name', '=', name)
    .execute()

it('creates a campaign with the settings entered in its form', async () => {
  const user = await seedSignedInOwner(world.service)
  const { page } = await user.browser.press(await user.open('/campaigns/new'), 'Create campaign', fields)
  expect(page.status).toBe(200)
  expect(page.text).toContain('6:00 PM to 2:00 AM the next day')
  const [campaign] = await getCampaign(user, 'Website leads')
  expect(campaign).toMatchObject({
    agent_id: user.seed.agentId,
    phone_number_id: user.seed.phoneNumberId,
    time_zone: 'Europe/Berlin',
    calling_hours: { days: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '18:00', end: '02:00' },
    max_concurrent_calls: 7,
    retry: { max_attempts: 2, delay_minutes: 15, on: ['no_answer', 'busy'] },
  })
})

it('shows each issue of a campaign next to its field', async () => {
  const user = await seedSignedInOwner(world.service)
  const { page } = await user.browser.press(await user.open('/campaigns/new'), 'Create campaign', {
    ...fields,
    name: '',
    time_zone: 'Berlin',
    'calling_hours.end': '18:00',
    max_concurrent_calls: 'many',
  })
  expect(page.status).toBe(422)
  expect(page.html).toContain('id="f-max_concurrent_calls-issue"')
  const { page: next } = await user.browser.press(page, 'Create campaign', {
    max_concurrent_calls: '5',
  })
  expect(next.html).toContain('id="f-name-issue">This field is required.')
  expect(next.html).toContain(
    'id="f-time_zone-issue">This field isn&#39;t a valid time zone. Use an IANA time zone, for example Europe/Berlin.',
  )
  expect(next.html).toContain('id="f-calling_hours-end-issue">Calling hours start and end at the same time.')
  expect(next.html).toContain('value="Berlin"')
})

itInChromium(
  'keeps all columns of the list of campaigns visible, even if a campaign has a long name',
  async (chromium) => {
    const user = await seedSignedInOwner(world.service)
    await seedCampaign(world.service.deps, { ...user.seed, name: 'x'.repeat(190) })
    const tab = await openTab(world.service, chromium, user)
    await tab.setViewportSize({ width: 1440, height: 900 })
    await tab.goto(user.urlFor('/campaigns'))
    await tab.getByText('xxx').waitFor()
    const hidden =
      "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.table-scroll'))"
    expect(await tab.evaluate<number>(hidden)).toBe(0)
  },
)

it('if no calling day is chosen, asks for at least one day', async () => {
  const user = await seedSignedInOwner(world.service)
  const form = await user.open('/campaigns/new')
  const withoutDays = {
    ...form,
    html: form.html.replace(/(name="calling_hours.days"\s+value="\w+") checked/g, '$1'),
  }
  const { page } = await user.browser.press(withoutDays, 'Create campaign', fields)
  expect(page.status).toBe(422)
  expect(page.text).toContain('Choose at least one day.')
  expect(page.text).not.toContain('calling_hours.days')
  expect(page.html).toMatch(/<fieldset\s+class="checks checks-row"\s+aria-invalid="true"/)
  expect(await getCampaign(user, 'Website leads')).toEqual([])
})

it("doesn't create a campaign with another workspace's agent", async () => {
  const user = await seedSignedInOwner(world.service)
  const other = await seedSignedInOwner(world.service)
  const form = await user.open('/campaigns/new')
  const forged = {
    ...form,
    html: form.html.replace(`value="${user.seed.agentId}"`, `value="${other.seed.agentId}"`),
  }
  const { page } = await user.browser.press(forged, 'Create campaign', fields)
  expect(page.status).toBe(422)
  expect(page.html).toContain(
    'id="f-agent_id-issue">This workspace has no agent with this ID. Choose another agent.',
  )
})

it('edits, pauses, resumes, and archives a campaign', async () => {
  const user = await seedSignedInOwner(world.service)
  const { campaignId } = user.seed
  const queued = await addContact(
    world.service.deps,
    { workspaceId: user.seed.workspaceId, userId: user.userId, apiKeyId: null, clientId: null, scopes: [] },
    { phone_number: '+12025550100', campaign_id: campaignId, first_name: '<i>Maya</i>' },
  )
  const { page: edited } = await user.browser.press(
    await user.open(`/campaigns/${campaignId}/edit`),
    'Save',
    {
      name: 'Renamed',
      max_concurrent_calls: '2',
    },
  )
  expect(edited.text).toContain('Renamed')
  expect(edited.text).toContain('2 calls')
  expect(edited.html).toContain('&lt;i&gt;Maya')

  const { page: paused } = await user.browser.press(edited, 'Pause')
  expect(paused.text).toContain('New calls are queued and wait until you resume it')
  const { page: resumed } = await user.browser.press(paused, 'Resume campaign')
  expect(resumed.text).not.toContain('wait until you resume it')

  expect(resumed.html).toContain(`/campaigns/${campaignId}/archive"`)
  const confirmation = await user.open(`/campaigns/${campaignId}/archive`)
  expect(confirmation.text).toContain('1 waiting call will be canceled.')
  const { page: rejected } = await user.browser.press(confirmation, 'Archive campaign', {
    confirmation: 'no',
  })
  expect([rejected.status, rejected.text]).toEqual([
    422,
    expect.stringContaining("This doesn't match. Type “Renamed”."),
  ])
  const { page: archived } = await user.browser.press(rejected, 'Archive campaign', {
    confirmation: ' RENAMED',
  })
  expect(archived.text).toContain('Campaign archived. 1 waiting call was canceled.')
  expect(archived.html).not.toContain('/resume')
  const call = await world.database.db
    .selectFrom('call')
    .select(['outcome', 'ended_reason'])
    .where('id', '=', queued.call.id)
    .executeTakeFirstOrThrow()
  expect(call).toEqual({ outcome: 'canceled', ended_reason: 'campaign_archived' })
})

it('if a campaign has no waiting calls, archives the campaign without asking for a typed confirmation', async () => {
  const user = await seedSignedInOwner(world.service)
  const path = `/campaigns/${user.seed.campaignId}`
  const { page } = await user.browser.press(await user.open(`${path}/archive`), 'Archive campaign')
  expect(page.text).toContain('Campaign archived.')
  expect((await user.open(`${path}/archive`)).status).toBe(404)
})

it("doesn't archive a campaign if more calls are waiting than the page showed", async () => {
  const user = await seedSignedInOwner(world.service)
  const form = await user.open(`/campaigns/${user.seed.campaignId}/archive`)
  const { id } = await seedCall(world.service.deps, user.seed, freshNumber())
  const { page } = await user.browser.press(form, 'Archive campaign')
  expect([page.status, page.text]).toEqual([
    422,
    expect.stringContaining('1 call is waiting now, not 0. Nothing was archived.'),
  ])
  expect(await getCall(world.service.deps, user.seed, id)).toMatchObject({ status: 'queued' })
  const { page: archived } = await user.browser.press(page, 'Archive campaign', { confirmation: 'leads' })
  expect(archived.text).toContain('1 waiting call was canceled.')
})

it('finds campaigns by name and status', async () => {
  const user = await seedSignedInOwner(world.service)
  for (const name of ['Roofs', 'Solar']) {
    await user.browser.press(await user.open('/campaigns/new'), 'Create campaign', { ...fields, name })
  }
  const found = await user.open('/campaigns?search=sol&status=active')
  expect(found.text).toContain('Solar')
  expect(found.text).not.toContain('Roofs')
  const none = await user.open('/campaigns?status=archived')
  expect(none.text).toContain('No matching campaigns')
  expect((await user.open('/campaigns?status=nonsense&page=-1')).status).toBe(200)
})

it('links from a campaign to its own calls only', async () => {
  const user = await seedSignedInOwner(world.service)
  const other = await seedCampaign(world.service.deps, { ...user.seed, name: 'Roofs' })
  for (const [campaign_id, ended, waiting] of [
    [user.seed.campaignId, 'Maya', 'Noor'],
    [other, 'Kai', 'Ines'],
  ] as const) {
    const { id } = await seedCall(world.service.deps, user.seed, freshNumber(), {
      campaign_id,
      first_name: ended,
    })
    await completeDialedCall(world.service.deps, user.seed, id, emptyResult('no_answer', 'ring_timeout'))
    // Scheduled for the next day, so that it isn't dialed during the test.
    const scheduled_at = new Date(world.service.deps.clock.now().getTime() + 86_400_000).toISOString()
    const later = { campaign_id, first_name: waiting, scheduled_at }
    await seedCall(world.service.deps, user.seed, freshNumber(), later)
  }
  const { html } = await user.open(`/campaigns/${user.seed.campaignId}`)
  const links = [...html.matchAll(/href="([^"]*\/calls\?[^"]*)"/g)].map(([, link = '']) =>
    link.replaceAll('&amp;', '&'),
  )
  const shown = await Promise.all(
    links.map(async (link) => {
      const { page } = await user.browser.open(new URL(link, world.service.url).href)
      return ['Maya', 'Noor', 'Kai', 'Ines'].filter((name) => page.text.includes(name))
    }),
  )
  // In this order: calls by outcome, all waiting calls, and all calls.
  expect(shown).toEqual([['Maya'], ['Noor'], ['Maya', 'Noor']])
})

it("doesn't show another workspace's campaign", async () => {
  const user = await seedSignedInOwner(world.service)
  const other = await seedSignedInOwner(world.service)
  for (const path of ['', '/edit']) {
    expect((await user.open(`/campaigns/${other.seed.campaignId}${path}`)).status).toBe(404)
  }
})

itInChromium(
  'filters campaigns while the user types, and updates them without a reload',
  async (chromium) => {
    const user = await seedSignedInOwner(world.service)
    const tab = await openTab(world.service, chromium, user)
    const consoleErrors: string[] = []
    tab.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()))
    await tab.goto(user.urlFor('/campaigns/new'))
    await expectAccessible(tab)
    await tab.getByLabel('Name').fill('Roofs')
    await tab.getByLabel('Required consent').selectOption('any')
    await tab.getByRole('button', { name: 'Create campaign' }).click()
    await tab.getByRole('heading', { name: 'Roofs' }).waitFor()
    await expectAccessible(tab)

    await tab.goto(user.urlFor('/campaigns'))
    await expectAccessible(tab)
    await tab.getByLabel('Search').pressSequentially('roo')
    await tab.getByRole('row').filter({ hasText: 'Roofs' }).waitFor()
    await tab.waitForURL(/search=roo/)
    expect(await tab.getByRole('row').count()).toBe(2)

    // Another user pauses the campaign: the row updates by itself.
    await world.database.db
      .updateTable('campaign')
      .set({ status: 'paused' })
      .where('name', '=', 'Roofs')
      .execute()
    await tab.getByRole('row').filter({ hasText: 'Roofs' }).getByText('Paused').waitFor()

    // The status and buttons on the campaign's page also update.
    await tab.getByRole('link', { name: 'Roofs' }).click()
    await tab.getByRole('button', { name: 'Resume' }).waitFor()
    await world.database.db
      .updateTable('campaign')
      .set({ status: 'active' })
      .where('name', '=', 'Roofs')
      .execute()
    await tab.getByRole('button', { name: 'Pause' }).click()
    await tab
      .getByText('Campaign paused. Waiting calls stay queued, and expire 7 days after they were due.')
      .waitFor()
    expect(consoleErrors).toEqual([])
  },
)

it('makes the user choose which consent a new campaign requires, and saves the choice and later changes', async () => {
  const user = await seedSignedInOwner(world.service)
  const form = await user.open('/campaigns/new')
  const { page } = await user.browser.press(form, 'Create campaign', { ...fields, consent_required: '' })
  expect(page.status).toBe(422)
  expect(page.html).toContain('id="f-consent_required-issue"')
  const { page: created } = await user.browser.press(page, 'Create campaign', {
    consent_required: 'written',
    consent_max_age_days: '90',
    one_conversation_per_day: 'yes',
  })
  expect(created.text).toContain('Campaign created.')
  expect(created.text).toContain('Written consent, at most 90 days old')
  expect(await getCampaign(user, 'Website leads')).toMatchObject([
    { consent_required: 'written', consent_max_age_days: 90, one_conversation_per_day: true },
  ])
  const [campaign] = await getCampaign(user, 'Website leads')
  const edit = await user.open(`/campaigns/${campaign?.id}/edit`)
  const less = { consent_max_age_days: '', consent_required: 'any', one_conversation_per_day: [] }
  const { page: edited } = await user.browser.press(edit, 'Save', less)
  expect(edited.text).toContain('Campaign saved.')
  expect(await getCampaign(user, 'Website leads')).toMatchObject([
    { consent_required: 'any', consent_max_age_days: null, one_conversation_per_day: false },
  ])
})
