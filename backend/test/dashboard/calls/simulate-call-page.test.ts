import { expect, it } from '@jest/globals'
import { seedSignedInOwner } from '../../support/dashboard.ts'
import { freshNumber, seedCampaign } from '../../support/factories.ts'
import { useServiceWorld } from '../../support/service.ts'

const world = useServiceWorld()

it('queues a test call to the entered number, and says that no phone rings', async () => {
  const { browser, seed, open } = await seedSignedInOwner(world.service)
  const fields = { phone_number: freshNumber() }
  const { page } = await browser.press(await open('/calls/simulate'), 'Simulate call', fields)
  expect(page.text).toContain('The call is being simulated. No phone rings.')
  const calls = await world.database.db
    .selectFrom('call')
    .select(['test', 'campaign_id'])
    .where('workspace_id', '=', seed.workspaceId)
    .execute()
  expect(calls).toEqual([{ test: true, campaign_id: seed.campaignId }])
  expect((await open('/overview')).text).toContain('Calls are simulated, so no phone rings.')
})

it("says which numbers don't answer or are busy, and that retries make calls to those numbers take longer", async () => {
  const { open } = await seedSignedInOwner(world.service)
  const form = await open('/calls/simulate')
  expect(form.text).toContain("Numbers that end in 0101 don't answer, and those that end in 0102 are busy.")
  expect(form.text).toContain('If the campaign retries such calls, they take longer to complete.')
  const firstSteps = (await open('/overview')).text
  expect(firstSteps).toContain(
    'With a number that ends in 0100, that takes about a minute, or a few seconds in a trial.',
  )
})

it('offers only campaigns that can place calls', async () => {
  const { seed, open } = await seedSignedInOwner(world.service)
  const paused = await seedCampaign(world.service.deps, seed)
  const pause = (id: number) =>
    world.database.db.updateTable('campaign').set({ status: 'paused' }).where('id', '=', id).execute()
  await pause(paused)
  const { html } = await open('/calls/simulate')
  expect(html).toContain(`<option value="${seed.campaignId}" selected>`)
  expect(html).not.toContain(`<option value="${paused}"`)
  await pause(seed.campaignId)
  expect((await open('/calls/simulate')).text).toContain('No campaign can call yet.')
})

it('shows an issue next to the field if the phone number is invalid', async () => {
  const { browser, open } = await seedSignedInOwner(world.service)
  const fields = { phone_number: '12' }
  const { page } = await browser.press(await open('/calls/simulate'), 'Simulate call', fields)
  expect(page.html).toContain('id="f-phone_number-issue"')
})
