import { beforeAll, expect, it } from '@jest/globals'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { setRules } from '../support/call-rules.ts'
import { completeDialedCall, seedCall } from '../support/calls.ts'
import { getStat, useImportWorld } from '../support/contact-imports.ts'
import { seedSignedInOwner } from '../support/dashboard.ts'
import { seedCampaign } from '../support/factories.ts'
import { startRealService } from '../support/service.ts'

const { world, startWorker, uploadAndCheck, waitUntilSettled, listContacts } =
  useImportWorld(startRealService)
beforeAll(() => void startWorker())

it('counts the rows of countries that are not called before an import, and saves them without a call', async () => {
  const user = await seedSignedInOwner(world.service)
  const { seed } = user
  await setRules(world.service.deps, seed, { countries: 'United States' })
  const file = 'Phone,First name\n+12025570131,Ann\n+18765570132,Bo\n+18765570132,Again\n+493090182012,Cy'
  const { path, page } = await uploadAndCheck(user, file)
  expect(getStat(page.html)).toMatchObject({ 'New contacts': 3, 'Country not called': 2 })
  expect(page.text).toContain("The workspace doesn't call Jamaica. The contact is saved, but not called.")

  await user.browser.press(page, 'Import contacts', { campaign_id: String(seed.campaignId) })
  const done = await waitUntilSettled(user, path)
  expect(done.text).toContain('1 call queued, 2 not called (country)')
  expect(await listContacts(user)).toHaveLength(3)
  const calls = world.database.db.selectFrom('call').select('to_number')
  expect(await calls.where('workspace_id', '=', seed.workspaceId).execute()).toEqual([
    { to_number: '+12025570131' },
  ])
})

it("counts the contacts that a campaign wouldn't call, per rule, and saves those without consent but queues no calls to them", async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const { seed } = user
  await setRules(deps, seed, { hours_by_law: true, consent_required: 'any', consent_max_age_days: '365' })
  const early = { days: ['mon' as const], start: '20:00', end: '21:00' }
  const campaignId = await seedCampaign(deps, { ...seed, name: 'Evenings', callingHours: early })
  const file = [
    'Phone,First name,Consent source,Consent date',
    '+12125570131,Ann,Form,2026-05-01',
    '+12125570132,Bo,,',
    '+12125570133,Cy,Form,2024-05-01',
    // Florida
    '+13055570134,Di,Form,2026-05-01',
  ].join('\n')
  const { path, page } = await uploadAndCheck(user, file)
  expect(page.text).toContain(
    "“Evenings”: 1 contact without the required consent, 1 contact with a consent that's too old, and 1 contact in states whose hours by law are outside its calling hours",
  )
  await user.browser.press(page, 'Import contacts', { campaign_id: String(campaignId) })
  const done = await waitUntilSettled(user, path)
  expect(done.text).toContain(
    '1 call queued, 1 not called (consent missing), 1 not called (consent too old), 1 not called (no permitted hour)',
  )
  const calls = world.database.db
    .selectFrom('call')
    .select(['to_number', 'status', 'ended_reason'])
    .where('workspace_id', '=', seed.workspaceId)
    .orderBy('to_number')
  expect(await calls.execute()).toEqual([
    { to_number: '+12125570131', status: 'queued', ended_reason: null },
    { to_number: '+13055570134', status: 'completed', ended_reason: 'no_permitted_hour' },
  ])
})

it('lists the rows of numbers that were called as often as allowed', async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const { seed } = user
  await setRules(deps, seed, { max_attempts_per_30_days: '1' })
  const { id } = await seedCall(deps, seed, '+12125570141')
  await completeDialedCall(deps, seed, id, emptyResult('no_answer', 'ring_timeout'))
  const { page } = await uploadAndCheck(user, 'Phone\n+12125570141\n+12125570142')
  expect(getStat(page.html)).toMatchObject({ 'Not callable within 7 days': 1 })
  expect(page.text).toContain(
    "This number can't be called again within 7 days. The contact is saved, but not called.",
  )
})
