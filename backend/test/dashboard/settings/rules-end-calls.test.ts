import { expect, it } from '@jest/globals'
import { getCallRules } from '../../../rules/call-rules.ts'
import { followRules } from '../../support/call-rules.ts'
import { getCall, seedCall } from '../../support/calls.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'
import { startRealService, useServiceWorld } from '../../support/service.ts'

const world = useServiceWorld(startRealService)

it('saves rules that end waiting calls only if the owner says so, and says how many they are', async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const scheduledAt = new Date(deps.clock.now().getTime() + 30 * 86_400_000).toISOString()
  const { id: american } = await seedCall(deps, user.seed, '+12025550143', { scheduled_at: scheduledAt })
  const { id: british } = await seedCall(deps, user.seed, '+442071838750', { scheduled_at: scheduledAt })
  const form = await user.open('/settings/rules')
  const { page: asked } = await user.browser.press(form, 'Save', { countries: 'US' })
  expect(asked.status).toBe(422)
  expect(asked.text).toContain(
    "These rules don't allow 1 waiting call. To end it, check this box and save again.",
  )
  expect((await getCallRules(deps, user.seed.workspaceId)).countries).toBeNull()
  expect(await getCall(deps, user.seed, british)).toMatchObject({ status: 'queued' })

  const { page: saved } = await user.browser.press(asked, 'Save', {
    countries: 'US',
    ends_waiting_calls: 'yes',
  })
  expect(saved.text).toContain('Rules saved.')
  expect(saved.html).not.toMatch(/name="ends_waiting_calls"\s+value="yes" checked/)
  await followRules(deps, user.seed)
  expect(await getCall(deps, user.seed, british)).toMatchObject({ ended_reason: 'destination_not_allowed' })
  expect(await getCall(deps, user.seed, american)).toMatchObject({ status: 'queued' })
})
