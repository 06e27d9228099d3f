import { expect, it } from '@jest/globals'
import { emptyResult } from '../../../calling/dialer/attempt-result.ts'
import { eraseContact } from '../../../privacy/erase-contact.ts'
import { completeDialedCall, seedCall } from '../../support/calls.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'
import { useServiceWorld } from '../../support/service.ts'

const world = useServiceWorld()

const number = '+12025550173'
const person = {
  first_name: 'Zelda',
  last_name: 'Quine',
  variables: { product: 'Zelda-roof' },
  consent: { source: 'Zelda-form', at: '2026-05-01T09:00:00Z', kind: 'written' as const },
}

const getSnapshots = async (callId: number) => {
  const { db } = world.database
  const { queued_with: queuedWith } = await db
    .selectFrom('call')
    .select('queued_with')
    .where('id', '=', callId)
    .executeTakeFirstOrThrow()
  const attempts = await db
    .selectFrom('call_attempt')
    .select('dialed_with')
    .where('call_id', '=', callId)
    .orderBy('number')
    .execute()
  return { queuedWith, dialedWith: attempts.map((attempt) => attempt.dialed_with) }
}

const dial = (user: Awaited<ReturnType<typeof seedSignedInOwner>>, callId: number) =>
  completeDialedCall(world.service.deps, user.seed, callId, emptyResult('no_answer', 'ring_timeout'))

it('stores and shows the settings a call was queued with, and those that had changed when an attempt was dialed', async () => {
  const user = await seedSignedInOwner(world.service)
  const { db } = world.database
  const { agentId, campaignId } = user.seed
  await db.updateTable('agent').set({ greeting: 'Hello from Ava' }).where('id', '=', agentId).execute()
  const { id, contact } = await seedCall(world.service.deps, user.seed, number, person)
  expect((await getSnapshots(id)).queuedWith).toEqual({
    campaign_name: 'Leads',
    campaign_time_zone: 'America/New_York',
    calling_hours: { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], start: '00:00', end: '24:00' },
    retry: { max_attempts: 1, delay_minutes: 60, on: [] },
    max_concurrent_calls: expect.any(Number),
    agent_name: 'Ava',
    language: 'en-US',
    greeting: 'Hello from Ava',
    first_name: 'Zelda',
    last_name: 'Quine',
    variables: { product: 'Zelda-roof' },
    consent_source: 'Zelda-form',
    consent_at: '2026-05-01T09:00:00.000Z',
    consent_kind: 'written',
    time_zones: ['America/New_York'],
    time_zone_source: 'number',
  })

  await db.updateTable('agent').set({ greeting: 'Hi again' }).where('id', '=', agentId).execute()
  await db.updateTable('contact').set({ first_name: 'Zelda Maria' }).where('id', '=', contact.id).execute()
  await dial(user, id)
  expect((await getSnapshots(id)).dialedWith).toEqual([
    {
      greeting: 'Hi again',
      first_name: 'Zelda Maria',
      local_times: { 'America/New_York': '2026-05-04T11:00:00-04:00' },
    },
  ])

  await db.updateTable('campaign').set({ name: 'Renamed' }).where('id', '=', campaignId).execute()
  await db.updateTable('agent').set({ greeting: 'Changed later' }).where('id', '=', agentId).execute()
  const { text } = await user.open(`/calls/${id}`)
  expect(text).toContain('Dialed at 11:00 AM local time (America/New_York, from the phone number).')
  expect(text).toContain(
    'Changed since the call was queued: Greeting from “Hello from Ava” to “Hi again”; First name from “Zelda” to “Zelda Maria”.',
  )
  expect(text).toContain('Greeting Hello from Ava')
  expect(text).toContain('Time zone America/New_York, from the phone number')
  expect(text).toContain('Calling hours Every day, all day')
  expect(text).toContain(
    'Consent source Zelda-form Consent date May 1, 2026, 5:00:00 AM Consent kind Written',
  )
})

it('says whether the time zone comes from the contact or the campaign', async () => {
  const user = await seedSignedInOwner(world.service)
  const sources: [string, string, string | undefined][] = [
    ['+12025550174', 'America/Denver, from the contact', 'America/Denver'],
    ['+18005550175', 'America/New_York, from the campaign', undefined],
  ]
  for (const [to, shown, timeZone] of sources) {
    const zone = timeZone === undefined ? {} : { time_zone: timeZone }
    const { id } = await seedCall(world.service.deps, user.seed, to, zone)
    expect((await user.open(`/calls/${id}`)).text).toContain(`Time zone ${shown}`)
  }
})

it("when a contact is erased, deletes the contact's data from the stored settings of its calls", async () => {
  const user = await seedSignedInOwner(world.service)
  const { id, contact } = await seedCall(world.service.deps, user.seed, number, person)
  await world.database.db
    .updateTable('contact')
    .set({ last_name: 'Zelda-Smith', time_zone: 'America/Chicago' })
    .where('id', '=', contact.id)
    .execute()
  await dial(user, id)
  expect(JSON.stringify((await getSnapshots(id)).dialedWith)).toMatch(/Zelda-Smith.*America\/Chicago/)
  await eraseContact(world.service.deps, user.seed.workspaceId, contact.id)
  const snapshots = await getSnapshots(id)
  expect(JSON.stringify(snapshots)).not.toMatch(/Zelda|Quine|America\/Chicago|consent/)
  expect(snapshots.queuedWith).toMatchObject({ campaign_name: 'Leads', agent_name: 'Ava' })
  expect(snapshots.dialedWith).toEqual([{ time_zone_source: 'contact' }])
  const { text } = await user.open(`/calls/${id}`)
  expect(text).toContain('Maximum concurrent calls 5 Agent Ava')
  expect(text).not.toContain('local time')
})

it("shows a call even if its settings weren't stored when it was queued and dialed", async () => {
  const user = await seedSignedInOwner(world.service)
  const { id } = await seedCall(world.service.deps, user.seed, '+12025550176')
  await dial(user, id)
  const { db } = world.database
  await db.updateTable('call').set({ queued_with: null }).where('id', '=', id).execute()
  await db.updateTable('call_attempt').set({ dialed_with: null }).where('call_id', '=', id).execute()
  const { status, text } = await user.open(`/calls/${id}`)
  expect(status).toBe(200)
  expect(text).not.toMatch(/Settings for this call|local time/)
})
