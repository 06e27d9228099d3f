import { expect, it } from '@jest/globals'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { editCampaign } from '../../queue/campaigns/edit-campaign.ts'
import { realLease, setRules } from '../support/call-rules.ts'
import { seedCall } from '../support/calls.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { seedSignedInOwner } from '../support/dashboard.ts'
import { freshNumber, noRetry, type Seed } from '../support/factories.ts'
import { startRealService, useServiceWorld } from '../support/service.ts'

const world = useServiceWorld(startRealService)

/** Uses up the day's calls of the number. */
async function useUpDay(seed: Seed): Promise<void> {
  const { deps } = world.service
  await setRules(deps, seed, { max_attempts_per_own_number: '1' })
  await editCampaign(deps, seed.workspaceId, seed.campaignId, { retry: noRetry })
  await seedCall(deps, seed, freshNumber())
  const [attempt, ...others] = await claim(seed.workspaceId)
  if (attempt === undefined) throw new Error('no call was claimed')
  expect(others).toEqual([])
  await finishAttempt(deps, attempt, emptyResult('no_answer', 'ring_timeout'))
}

/** Uses up the day's calls of the number, and queues a call that then waits. */
async function stopForDay(seed: Seed): Promise<void> {
  await useUpDay(seed)
  await seedCall(world.service.deps, seed, freshNumber())
  expect(await claim(seed.workspaceId)).toEqual([])
}

const claim = async (workspaceId: number) =>
  (await claimAndSettle(world.service.deps, realLease, 50)).filter((each) => each.workspaceId === workspaceId)

it("when a member chooses a campaign for a call to a contact, names the limit that's used up", async () => {
  const user = await seedSignedInOwner(world.service)
  const { contact } = await seedCall(world.service.deps, user.seed, freshNumber())
  await world.service.deps.db.deleteFrom('call').where('contact_id', '=', contact.id).execute()
  const before = await user.open(`/contacts/${contact.id}/call`)
  expect(before.text).not.toContain('used up')
  await useUpDay(user.seed)
  const form = await user.open(`/contacts/${contact.id}/call`)
  expect(form.text).toContain('(calls of the day used up)')
  // The call must wait, so no phone rings now. The page queues it without asking for confirmation.
  const { page } = await user.browser.press(form, 'Call now', { campaign_id: String(user.seed.campaignId) })
  expect(page.url).toMatch(/\/calls\/\d+$/)
  expect(await claim(user.seed.workspaceId)).toEqual([])
  const { page: waiting } = await user.browser.open(page.url)
  expect(waiting.text).toContain("The day's calls from the campaign's phone number are used up.")
})

it("checks the limits again when the workspace's time zone changes", async () => {
  const user = await seedSignedInOwner(world.service)
  await stopForDay(user.seed)
  const stop = () =>
    world.service.deps.db
      .selectFrom('campaign_queue')
      .select(['limited_by', 'limited_until'])
      .where('campaign_id', '=', user.seed.campaignId)
      .executeTakeFirstOrThrow()
  const before = await stop()
  expect(before.limited_by).toBe('number_limit')
  await user.browser.press(await user.open('/settings'), 'Save', { time_zone: 'Europe/Berlin' })
  expect(await stop()).toEqual({ limited_by: null, limited_until: null })
  expect(await claim(user.seed.workspaceId)).toEqual([])
  const after = await stop()
  expect(after.limited_by).toBe('number_limit')
  // The next day begins earlier in Berlin.
  expect(after.limited_until?.getTime()).toBeLessThan(before.limited_until?.getTime() ?? 0)
})

it("when the workspace changes to a time zone where it's still yesterday, still counts the calls already placed", async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const { workspaceId } = user.seed
  const setZone = async (zone: string) => {
    await user.browser.press(await user.open('/settings'), 'Save', { time_zone: zone })
  }
  // The first time zone is always a day ahead of the second.
  await setZone('Pacific/Kiritimati')
  await stopForDay(user.seed)
  await setZone('Pacific/Honolulu')
  expect(await claim(workspaceId)).toEqual([])
  const used = deps.db.selectFrom('limit_use').select('used').where('workspace_id', '=', workspaceId)
  expect(await used.where('phone_number_id', '=', user.seed.phoneNumberId).executeTakeFirst()).toEqual({
    used: 1,
  })
})
