import { beforeAll, expect, it } from '@jest/globals'
import { setCallRules } from '../../rules/call-rules.ts'
import { getStat, useImportWorld } from '../support/contact-imports.ts'
import { seedSignedInOwner } from '../support/dashboard.ts'
import { startRealService } from '../support/service.ts'

const { world, startWorker, uploadAndCheck, waitUntilSettled, listContacts } =
  useImportWorld(startRealService)
beforeAll(() => void startWorker())

it('counts the rows of countries that are not called before an import, and saves them without a call', async () => {
  const user = await seedSignedInOwner(world.service)
  const { seed } = user
  const rules = { countries: 'United States', hours_by_law: false, closed_dates: '' }
  const owner = { kind: 'member', id: seed.userId } as const
  await setCallRules(world.service.deps, seed.workspaceId, rules, owner)
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
