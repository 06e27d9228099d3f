import { beforeAll, expect, it } from '@jest/globals'
import { countMissingValues } from '../../../queue/contacts/import/missing-values.ts'
import { seedCall } from '../../support/calls.ts'
import { useImportWorld } from '../../support/contact-imports.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'
import { seedAgent, seedCampaign } from '../../support/factories.ts'

const { world, startWorker, uploadAndCheck, waitUntilSettled } = useImportWorld()
beforeAll(() => void startWorker())

it("before an import, says how many contacts lack each value that a campaign's greeting needs", async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const { seed } = user
  const { db } = world.database
  const greeting = 'Hi {{name}}, your {{appointment}} on {{day|soon}} about {{topic}} in {{city}}'
  await db.updateTable('agent').set({ greeting }).where('id', '=', seed.agentId).execute()
  const otherAgentId = await seedAgent(deps, seed.workspaceId, { name: 'Ben' })
  await seedCampaign(deps, { ...seed, agentId: otherAgentId, name: 'Without a greeting' })
  await seedCall(deps, seed, '+12025570101', { variables: { appointment: 'roof' } })
  await seedCall(deps, seed, '+12025570102', { do_not_call: true })
  const { path, page } = await uploadAndCheck(
    user,
    [
      'Phone,First name,city,Do not call,Opt in',
      '+12025570101,,Rome,',
      '+12025570102,,,',
      '+12025570103,Ann,,',
      '+12025570104,,Bonn,',
      '+12025570105,,,yes',
      '+12025570103,Again,,',
      '12,,,',
      '+12025570106,,,,no',
    ].join('\n'),
    { 'Opt in': 'consent_given' },
  )
  expect(page.text).toContain(
    "Some contacts have no value that a campaign's greeting needs: “Leads”: name (1 contact), appointment (2 contacts), and city (1 contact)",
  )
  expect(page.text).not.toContain('“Without a greeting”')
  const campaign = { campaignId: seed.campaignId, campaign: 'Leads' }
  const importId = Number(/import\/(\d+)/.exec(path)?.[1])
  const inOtherWorkspace = await countMissingValues(db, seed.workspaceId + 1, importId)
  expect(inOtherWorkspace).toEqual([])
  expect(await countMissingValues(db, seed.workspaceId, importId)).toEqual([
    { ...campaign, name: 'name', contacts: 1 },
    { ...campaign, name: 'appointment', contacts: 2 },
    { ...campaign, name: 'city', contacts: 1 },
  ])
})

it("saves the column “Visit Date” as the agent's variable visit_date, so that the greeting has its value", async () => {
  const user = await seedSignedInOwner(world.service)
  const { seed } = user
  const { db } = world.database
  const agent = { greeting: 'Your visit on {{visit_date}}', variables: ['visit_date'] }
  await db.updateTable('agent').set(agent).where('id', '=', seed.agentId).execute()
  const file = 'Phone,Visit Date,Roof\n+12025570111,Friday,slate\n+12025570112,,slate'
  const { path, page } = await uploadAndCheck(user, file)
  expect(page.text).toContain('“Leads”: visit_date (1 contact)')
  await user.browser.press(page, 'Import contacts', { campaign_id: String(seed.campaignId) })
  await waitUntilSettled(user, path)
  const contacts = await db
    .selectFrom('contact')
    .select('variables')
    .where('workspace_id', '=', seed.workspaceId)
    .orderBy('phone_number')
    .execute()
  expect(contacts.map(({ variables }) => variables)).toEqual([
    { visit_date: 'Friday', Roof: 'slate' },
    { Roof: 'slate' },
  ])
})
