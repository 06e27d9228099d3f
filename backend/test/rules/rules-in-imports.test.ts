import { beforeAll, expect, it } from '@jest/globals'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { setRules } from '../support/call-rules.ts'
import { completeDialedCall, seedCall } from '../support/calls.ts'
import { getStat, useImportWorld } from '../support/contact-imports.ts'
import { seedSignedInOwner } from '../support/dashboard.ts'
import { seedCampaign } from '../support/factories.ts'
import { startRealService } from '../support/service.ts'

const { world, startWorker, uploadAndCheck, importFile, waitUntilSettled, listContacts } =
  useImportWorld(startRealService)
beforeAll(() => void startWorker())

it("before an import, counts the contacts in countries that aren't allowed, and then saves them without queuing calls", async () => {
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

it("before an import, counts for each rule the contacts that won't be called, and then queues calls only to the others", async () => {
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
    // A number in Florida, where calls aren't allowed after 8 PM, when the campaign's hours begin.
    '+13055570134,Di,Form,2026-05-01',
  ].join('\n')
  const { path, page } = await uploadAndCheck(user, file)
  expect(page.text).toContain(
    "“Evenings”: 1 contact without the required consent, 1 contact with a consent that's too old, and 1 contact without a permitted hour within 7 days",
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

it("counts the contacts that can't be called within 7 days because of closed days", async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const today = deps.clock.now().getTime()
  const nineDays = Array.from({ length: 9 }, (_, day) => new Date(today + (day - 1) * 86_400_000))
  const closed_dates = nineDays.map((day) => day.toISOString().slice(0, 10)).join(' ')
  await setRules(deps, user.seed, { closed_dates })
  const { page } = await uploadAndCheck(user, 'Phone\n+12125570131\n+442071838750')
  expect(page.text).toContain('“Leads”: 2 contacts without a permitted hour within 7 days')
})

it("counts a contact who can't be called because of the hours by law in the number's other time zone", async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  await setRules(deps, user.seed, { hours_by_law: true })
  const callingHours = { days: ['mon' as const], start: '19:00', end: '20:00' }
  await seedCampaign(deps, { ...user.seed, name: 'Evenings', callingHours })
  const file = [
    'Phone,Time zone',
    // 850 is an area code of Florida that's in two time zones.
    '+18505570131,America/Chicago',
    '+18505570132,America/New_York',
    '+13055570133,',
  ].join('\n')
  const { page } = await uploadAndCheck(user, file)
  expect(page.text).toContain('“Evenings”: 1 contact without a permitted hour within 7 days')
})

it("before an import, shows exactly how many of the file's contacts lack the required consent", async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const { seed } = user
  await setRules(deps, seed, { consent_max_age_days: '30' })
  const day = (age: number) => new Date(deps.clock.now().getTime() - age * 86_400_000).toISOString()
  const ages = { none: null, new: day(29), old: day(31) }
  const kinds = ['written', 'oral', '']
  const of = (at: string | null, kind: string) => (at === null ? ',,' : `Form,${at},${kind}`)
  const rows = Object.values(ages).flatMap((stored) =>
    Object.values(ages).flatMap((sent) =>
      kinds.flatMap((storedKind) => kinds.map((kind) => [of(stored, storedKind), of(sent, kind)] as const)),
    ),
  )
  const toFile = (position: 0 | 1) =>
    [
      'Phone,Consent source,Consent date,Consent kind',
      ...rows.map((row, index) => `+1212555${String(1_000 + index)},${row[position]}`),
    ].join('\n')
  await importFile(user, toFile(0), { calls: false })
  for (const consent_required of ['any', 'written'] as const) {
    const name = `Requires ${consent_required}`
    const campaignId = await seedCampaign(deps, { ...seed, name })
    const { db } = world.database
    await db.updateTable('campaign').set({ consent_required }).where('id', '=', campaignId).execute()
    const { path, page } = await uploadAndCheck(user, toFile(1))
    const [, missing, old] =
      new RegExp(`“${name}”: (\\d+) contacts without the required consent and (\\d+) contacts with`).exec(
        page.text,
      ) ?? []
    await user.browser.press(page, 'Import contacts', { campaign_id: String(campaignId) })
    expect((await waitUntilSettled(user, path)).text).toContain(
      `${missing} not called (consent missing), ${old} not called (consent too old)`,
    )
    await importFile(user, toFile(0), { calls: false })
  }
})

it('checks a file again if the rules change before it is imported', async () => {
  const user = await seedSignedInOwner(world.service)
  const { path, page } = await uploadAndCheck(user, 'Phone\n+12125570131\n+493090182012')
  expect(getStat(page.html)).not.toHaveProperty('Country not called')
  await user.browser.press(await user.open('/settings/rules'), 'Save', { countries: 'United States' })
  const checked = await waitUntilSettled(user, path)
  expect(getStat(checked.html)).toMatchObject({ 'New contacts': 2, 'Country not called': 1 })
})

it('lists the rows in which a different consent without a kind clears the kind of the saved consent', async () => {
  const user = await seedSignedInOwner(world.service)
  const header = 'Phone,Consent source,Consent date,Consent kind'
  const file = [header, '+12125570131,Form,2026-05-01,written', '+12125570132,Form,2026-05-01,written']
  await importFile(user, file.join('\n'))
  const path = await importFile(
    user,
    [header, '+12125570131,Form,2026-05-01,', '+12125570132,Form,2026-05-02,'].join('\n'),
  )
  const [noted = '', ...others] = (await user.open(path)).text
    .split('The kind of the saved consent was cleared')
    .slice(1)
  expect(noted).toContain('because the new consent has another source or date, and no kind')
  expect(others).toEqual([])
  expect(await listContacts(user)).toMatchObject([{ consent_kind: 'written' }, { consent_kind: null }])
})
