import { expect, it } from '@jest/globals'
import { CampaignCreated } from '@outdial/contract'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { setRules } from '../support/call-rules.ts'
import { seedSignedInOwner } from '../support/dashboard.ts'
import { startRealService, useServiceWorld } from '../support/service.ts'

const world = useServiceWorld(startRealService)

it('when a campaign is saved, names the settings that conflict with the rules', async () => {
  const user = await seedSignedInOwner(world.service)
  const { seed } = user
  await setRules(world.service.deps, seed, { hours_by_law: true, max_attempts_per_day: '2' })
  const edit = async (fields: Record<string, string>) => {
    const form = await user.open(`/campaigns/${seed.campaignId}/edit`)
    return (await user.browser.press(form, 'Save', fields)).page.text
  }
  const evening = { 'calling_hours.start': '20:00', 'calling_hours.end': '21:00', 'retry.max_attempts': '3' }
  const saved = await edit({ ...evening, 'retry.on': 'busy' })
  expect(saved).toContain(
    "Numbers in Alabama, Florida, Louisiana, and toll-free area codes aren't called: these calling hours and the hours by law don't overlap.",
  )
  expect(saved).toContain('The rules allow 2 call attempts per number in 24 hours, so later retries wait.')
  expect(await edit({ 'calling_hours.start': '20:30', 'calling_hours.end': '08:30' })).toContain(
    'toll-free area codes',
  )
  expect(await edit({ 'calling_hours.start': '22:00', 'calling_hours.end': '23:00' })).toContain(
    "Numbers in the United States aren't called",
  )
  await setRules(world.service.deps, seed, { hours_by_law: true, countries: 'Germany, Puerto Rico, Guam' })
  expect(await edit({})).toContain("Numbers in Puerto Rico and Guam aren't called")
  await setRules(world.service.deps, seed, { hours_by_law: true, countries: 'Germany' })
  expect(await edit({})).not.toContain("aren't called: these calling hours")
  await setRules(world.service.deps, seed, { max_attempts_per_30_days: '1' })
  expect(await edit({})).toContain(
    'The rules allow 1 call attempt per number in 30 days, so no call can have 3 attempts.',
  )
  await setRules(world.service.deps, seed, {})
  expect(await edit({})).not.toContain('rules allow')
})

it('warns an API client if the settings of a new campaign conflict with the rules', async () => {
  const { service } = world
  const { seed } = await seedSignedInOwner(service)
  const { key } = await createApiKey(service.deps, seed.workspaceId, seed.userId, 'Test')
  const post = async () => {
    const response = await service.app.inject({
      method: 'POST',
      url: '/api/public/v1/campaigns/',
      headers: { authorization: `Bearer ${key}` },
      payload: {
        name: 'Evening',
        agent_id: seed.agentId,
        phone_number_id: seed.phoneNumberId,
        calling_hours: { start: '22:00', end: '23:00' },
        retry: { max_attempts: 3, on: ['busy'] },
      },
    })
    return CampaignCreated.parse(response.json()).warnings
  }
  expect(await post()).toEqual([])
  await setRules(service.deps, seed, { hours_by_law: true, max_attempts_per_30_days: '2' })
  expect(await post()).toEqual([
    {
      field: 'calling_hours',
      code: 'no_permitted_hour',
      message:
        "Numbers in the United States aren't called: these calling hours and the hours by law don't overlap. Choose other calling hours.",
    },
    {
      field: 'retry.max_attempts',
      code: 'frequency',
      message:
        'The rules allow 2 call attempts per number in 30 days, so no call can have 3 attempts. Choose fewer attempts, or allow more under Settings → Who may be called.',
    },
  ])
})
