import { expect, it } from '@jest/globals'
import { countCallsToEnd } from '../../../queue/calls/reschedule-calls.ts'
import { getCallRules, noRules } from '../../../queue/rules/call-rules.ts'
import { followRules, setRules } from '../../support/call-rules.ts'
import { getCall, seedCall } from '../../support/calls.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'
import { seedCampaign } from '../../support/factories.ts'
import { startRealService, useServiceWorld } from '../../support/service.ts'

const world = useServiceWorld(startRealService)

it('asks for confirmation before it saves rules that end waiting calls, and says how many calls they end', async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const scheduledAt = new Date(deps.clock.now().getTime() + 30 * 86_400_000).toISOString()
  const { id: american } = await seedCall(deps, user.seed, '+12025550143', { scheduled_at: scheduledAt })
  const { id: british } = await seedCall(deps, user.seed, '+442071838750', { scheduled_at: scheduledAt })
  const form = await user.open('/settings/rules')
  const { page: asked } = await user.browser.press(form, 'Save', { countries: 'US' })
  expect(asked.status).toBe(422)
  expect(asked.text).toContain(
    "This change doesn't allow 1 waiting call. To end it, check this box and save again.",
  )
  expect(form.html).not.toContain('ends_waiting_calls')
  expect((await getCallRules(deps, user.seed.workspaceId)).countries).toBeNull()
  expect(await getCall(deps, user.seed, british)).toMatchObject({ status: 'queued' })

  const { page: saved } = await user.browser.press(asked, 'Save', {
    countries: 'US',
    ends_waiting_calls: 'yes',
  })
  expect(saved.text).toContain('Rules saved.')
  expect(saved.html).not.toContain('ends_waiting_calls')
  await followRules(deps, user.seed)
  expect(await getCall(deps, user.seed, british)).toMatchObject({ ended_reason: 'destination_not_allowed' })
  expect(await getCall(deps, user.seed, american)).toMatchObject({ status: 'queued' })
})

it('checks a limited number of waiting calls, and if there are more, says that the count is a minimum', async () => {
  const { seed } = await seedSignedInOwner(world.service)
  const { deps } = world.service
  for (const digit of [1, 2, 3]) await seedCall(deps, seed, `+44207183875${digit}`)
  const count = (countries: string[], maxChecked: number) =>
    countCallsToEnd(deps, seed.workspaceId, { rules: { ...noRules, countries } }, { maxChecked })
  expect(await count(['US'], 4)).toEqual({ count: 3, isAtLeast: false })
  expect(await count(['US'], 2)).toEqual({ count: 2, isAtLeast: true })
  expect(await count(['GB'], 2)).toEqual({ count: 0, isAtLeast: true })
})

it('asks for confirmation before it saves rules that end waiting calls to premium-rate numbers', async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const form = await user.open('/settings/rules')
  const { page } = await user.browser.press(form, 'Save', { calls_special_numbers: 'yes' })
  const { id } = await seedCall(deps, user.seed, '+19005550143')
  const { page: asked } = await user.browser.press(page, 'Save', { calls_special_numbers: [] })
  expect(asked.text).toContain("This change doesn't allow 1 waiting call.")
  const off = { calls_special_numbers: [], ends_waiting_calls: 'yes' }
  expect((await user.browser.press(asked, 'Save', off)).page.text).toContain('Rules saved.')
  expect(await getCall(deps, user.seed, id)).toMatchObject({ status: 'queued' })
})

it('asks for confirmation before it saves a campaign change that ends waiting calls', async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const { campaignId } = user.seed
  const otherCampaign = await seedCampaign(deps, user.seed)
  const { id } = await seedCall(deps, user.seed, '+12025550143', { campaign_id: campaignId })
  const { id: otherId } = await seedCall(deps, user.seed, '+12025550144', { campaign_id: otherCampaign })
  // The workspace's rules don't allow this call, but the sweeper hasn't ended it yet. The change to the campaign isn't the
  // reason, so the page must not count it.
  await seedCall(deps, user.seed, '+442071838750', { campaign_id: campaignId })
  await setRules(deps, user.seed, { countries: 'US' })
  const form = await user.open(`/campaigns/${campaignId}/edit`)
  const { page: asked } = await user.browser.press(form, 'Save', { consent_required: 'any' })
  expect(asked.status).toBe(422)
  expect(asked.text).toContain("This change doesn't allow 1 waiting call.")

  const edit = { consent_required: 'any', ends_waiting_calls: 'yes' }
  const { page: saved } = await user.browser.press(asked, 'Save', edit)
  expect(saved.text).toContain('Campaign saved.')
  await followRules(deps, user.seed)
  expect(await getCall(deps, user.seed, id)).toMatchObject({ ended_reason: 'consent_missing' })
  expect(await getCall(deps, user.seed, otherId)).toMatchObject({ status: 'queued' })
})
