import { expect, it } from '@jest/globals'
import { getCallRules, noRules } from '../../queue/rules/call-rules.ts'
import { createWorkspace } from '../../tools/onboarding/onboarding.ts'
import { seedSignedInOwner } from '../support/dashboard.ts'
import { startRealService, useServiceWorld } from '../support/service.ts'

const world = useServiceWorld(startRealService)

it('gives a new workspace the hours by law and three call attempts a day, and no other rule', async () => {
  const { deps } = world.service
  const { seed } = await seedSignedInOwner(world.service)
  const created = { name: 'New', country: 'US', timeZone: 'America/New_York', ownerId: seed.userId }
  const { id } = await createWorkspace(deps, created)
  const rules = await getCallRules(deps, id)
  expect(rules).toMatchObject({ ...noRules, hoursByLaw: true, maxAttemptsPerDay: 3 })
  expect(rules.changed?.by).toEqual({ kind: 'member', id: seed.userId })
})

it('asks the members of a workspace without rules to set them, until an owner has', async () => {
  const user = await seedSignedInOwner(world.service)
  expect((await user.open('/')).text).toContain('Set who may be called.')
  await user.browser.press(await user.open('/settings/rules'), 'Save', {})
  expect((await user.open('/')).text).not.toContain('Set who may be called.')
})
