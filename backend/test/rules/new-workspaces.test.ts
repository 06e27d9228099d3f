import { expect, it } from '@jest/globals'
import { listFirstSteps } from '../../dashboard/overview/overview-notices.ts'
import { type CallRules, getCallRules, noRules } from '../../queue/rules/call-rules.ts'
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

it('names the active call rules in the list of first steps', () => {
  const describe = (rules: Partial<CallRules>) => {
    const none = { number: false, agent: false, campaign: false, call: false, connection: false }
    return listFirstSteps(none, { ...noRules, ...rules }).map(({ why }) => why)[2]
  }
  expect(describe({})).not.toContain('call attempts')
  expect(describe({ maxAttemptsPerDay: 5 })).toContain(
    'a number has at most 5 call attempts in 24 hours. An owner',
  )
  expect(describe({ hoursByLaw: true, maxAttemptsPerDay: 1 })).toContain(
    'a number has at most 1 call attempt in 24 hours, and numbers in the United States are only called in the hours by law.',
  )
})

it('asks the members of a workspace to set its call rules until an owner has saved them', async () => {
  const user = await seedSignedInOwner(world.service)
  expect((await user.open('/')).text).toContain('Set who may be called.')
  await user.browser.press(await user.open('/settings/rules'), 'Save', {})
  expect((await user.open('/')).text).not.toContain('Set who may be called.')
})
