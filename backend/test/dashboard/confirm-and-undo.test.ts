import { expect, it } from '@jest/globals'
import { setAgentStatus } from '../../queue/agents/agents.ts'
import { addToDoNotCallList } from '../../queue/calls/do-not-call.ts'
import { pauseCampaign } from '../../queue/campaigns/campaign-status.ts'
import { seedCall } from '../support/calls.ts'
import { seedSignedInOwner } from '../support/dashboard.ts'
import { freshNumber, seedCampaign } from '../support/factories.ts'
import { useServiceWorld } from '../support/service.ts'

const world = useServiceWorld()

const countCalls = async (contactId: number) => {
  const calls = world.database.db.selectFrom('call').select('id').where('contact_id', '=', contactId)
  return (await calls.execute()).length
}

async function seedContact() {
  const user = await seedSignedInOwner(world.service)
  const call = await seedCall(world.service.deps, user.seed, freshNumber(), { first_name: 'Luna' })
  await user.browser.press(await user.open(`/calls/${call.id}`), 'Cancel call')
  return { ...user, contactId: call.contact.id, contact: `/contacts/${call.contact.id}` }
}

it('“Call now” asks for confirmation before it queues a call that makes a phone ring', async () => {
  const user = await seedContact()
  const form = await user.open(`${user.contact}/call`)
  const { page: question } = await user.browser.press(form, 'Call now')
  expect(question.text).toContain('Call Luna now?')
  expect(await countCalls(user.contactId)).toBe(1)
  const { page } = await user.browser.press(question, 'Call now')
  expect(page.text).toContain('Call queued. Next in line.')
  expect(await countCalls(user.contactId)).toBe(2)
})

it('rejects a call to a number on the do-not-call list, even if the number is listed while the confirmation is shown', async () => {
  const user = await seedContact()
  const { deps } = world.service
  const form = await user.open(`${user.contact}/call`)
  const { page: question } = await user.browser.press(form, 'Call now')
  const [contact] = await world.database.db
    .selectFrom('contact')
    .select('phone_number')
    .where('id', '=', user.contactId)
    .execute()
  await deps.db.transaction().execute((db) =>
    addToDoNotCallList({ ...deps, db }, user.seed.workspaceId, {
      phoneNumbers: [contact?.phone_number ?? ''],
      source: 'dashboard',
      addedBy: null,
      now: deps.clock.now(),
    }),
  )
  const message = 'No call was queued, because this number is on the do-not-call list.'
  const { page: pressed } = await user.browser.press(form, 'Call now', { _once: 'other' })
  expect(pressed.status).toBe(422)
  expect(pressed.text).toContain(message)
  const { page: confirmed } = await user.browser.press(question, 'Call now')
  expect([confirmed.status, confirmed.text.includes(message)]).toEqual([422, true])
  expect(await countCalls(user.contactId)).toBe(1)
})

it("if the workspace doesn't call premium-rate numbers, rejects a call to one without asking for confirmation", async () => {
  const user = await seedContact()
  const [call] = await world.database.db
    .updateTable('call')
    .set({ to_number: '+19005550123' })
    .where('contact_id', '=', user.contactId)
    .returning('id')
    .execute()
  await world.database.db
    .updateTable('contact')
    .set({ phone_number: '+19005550123' })
    .where('id', '=', user.contactId)
    .execute()
  const { page } = await user.browser.press(await user.open(`${user.contact}/call`), 'Call now')
  expect(page.status).toBe(422)
  expect(page.text).toContain("This workspace doesn't call premium-rate")
  expect((await user.open(`/calls/${call?.id}`)).text).not.toContain('Call again')
})

it("if a call can't start yet, queues it without asking for confirmation, and says what it waits for", async () => {
  const user = await seedContact()
  await pauseCampaign(world.service.deps, user.seed.workspaceId, user.seed.campaignId)
  const form = await user.open(`${user.contact}/call`)
  const campaign = { campaign_id: String(user.seed.campaignId) }
  const { page } = await user.browser.press(form, 'Call now', campaign)
  expect(page.text).toContain('Call queued. The campaign is paused. Resume it to place this call.')
})

it("preselects the campaign that last called the contact, or another if that one can't place calls, and says why it can't", async () => {
  const user = await seedContact()
  const { agentId, phoneNumberId, workspaceId, campaignId } = user.seed
  const other = await seedCampaign(world.service.deps, { ...user.seed, name: 'A first one' })
  const form = await user.open(`${user.contact}/call`)
  expect(form.html).toContain(`value="${campaignId}" selected`)
  await pauseCampaign(world.service.deps, workspaceId, campaignId)
  const onlyOne = await user.open(`${user.contact}/call`)
  expect(onlyOne.html).toContain(`value="${other}" selected`)
  expect(onlyOne.text).toContain('(paused)')
  await setAgentStatus(world.service.deps, workspaceId, agentId, 'paused')
  const none = await user.open(`${user.contact}/call`)
  expect(none.html).toContain('<option value="" selected>Choose a campaign</option>')
  expect(none.text).toContain('A first one (agent paused)')
  await setAgentStatus(world.service.deps, workspaceId, agentId, 'live')
  await world.database.db
    .updateTable('phone_number')
    .set({ status: 'retired' })
    .where('id', '=', phoneNumberId)
    .execute()
  expect((await user.open('/contacts/new')).text).toContain('A first one (number retired)')
})

it('never preselects a campaign that already has a call for the contact, and for “Call now” none outside its calling hours', async () => {
  const user = await seedContact()
  const { workspaceId, campaignId } = user.seed
  const weekend = { days: ['sat', 'sun'], start: '10:00', end: '20:00' }
  await world.database.db
    .updateTable('campaign')
    .set({ calling_hours: JSON.stringify(weekend) })
    .where('id', '=', campaignId)
    .execute()
  const closed = await user.open(`${user.contact}/call`)
  expect(closed.text).toContain('Leads (outside calling hours)')
  expect(closed.html).toContain('<option value="" selected>Choose a campaign</option>')
  const later = await user.open(`${user.contact}/add-to-campaign`)
  expect(later.html).toContain(`<option value="${campaignId}" selected>Leads</option>`)
  const other = await seedCampaign(world.service.deps, { ...user.seed, workspaceId, name: 'Every day' })
  await user.browser.press(closed, 'Call now', { campaign_id: String(campaignId) })
  for (const path of ['call', 'add-to-campaign']) {
    const page = await user.open(`${user.contact}/${path}`)
    expect(page.text).toContain('Leads (already has a call for this contact)')
    expect(page.html).toContain(`<option value="${other}" selected>Every day</option>`)
  }
})

it('asks for confirmation before it resumes a campaign, and says how many waiting calls can start', async () => {
  const user = await seedSignedInOwner(world.service)
  const { workspaceId, campaignId } = user.seed
  await pauseCampaign(world.service.deps, workspaceId, campaignId)
  expect((await user.open(`/campaigns/${campaignId}`)).text).not.toContain('Resume campaign')
  const first = await seedCall(world.service.deps, user.seed, freshNumber())
  await seedCall(world.service.deps, user.seed, freshNumber())
  await world.database.db
    .updateTable('call')
    .set({ next_attempt_at: new Date(world.service.deps.clock.now().getTime() + 3_600_000) })
    .where('id', '=', first.id)
    .execute()
  const page = await user.open(`/campaigns/${campaignId}`)
  expect(page.text).toMatch(/2 calls are waiting\. 1 of them can start right away\./)
  expect((await user.browser.press(page, 'Resume campaign')).page.text).toContain('Campaign resumed.')
})

it('after a tool is turned off, offers “Undo”, which turns it on again', async () => {
  const user = await seedSignedInOwner(world.service)
  const { page: off } = await user.browser.press(await user.open('/tools'), 'Turn off')
  expect(off.text).toContain('Tool turned off for all agents.')
  const { page: on } = await user.browser.press(off, 'Undo')
  expect(on.text).toContain('Tool turned on.')
  expect((await user.browser.open(on.url)).page.text).not.toContain('Undo')
})

it('the confirmation of “Cancel call” also offers “Keep call”', async () => {
  const user = await seedSignedInOwner(world.service)
  const call = await seedCall(world.service.deps, user.seed, freshNumber())
  const page = await user.open(`/calls/${call.id}`)
  expect(page.text).toContain('Keep call Cancel call')
})
