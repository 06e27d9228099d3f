import { expect, it } from '@jest/globals'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { editCampaign } from '../../queue/campaigns/edit-campaign.ts'
import { setRules } from '../support/call-rules.ts'
import { completeDialedCall, dialCall, getCall, seedCall } from '../support/calls.ts'
import { seedSignedInOwner } from '../support/dashboard.ts'
import { freshNumber, noRetry } from '../support/factories.ts'
import { startRealService, useServiceWorld } from '../support/service.ts'

const world = useServiceWorld(startRealService)

it('if a number was already called as often as allowed, names the limit before a member calls it again', async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const { seed } = user
  await setRules(deps, seed, { max_attempts_per_day: '1' })
  await editCampaign(deps, seed.workspaceId, seed.campaignId, { retry: noRetry })
  const number = freshNumber()
  const { id } = await seedCall(deps, seed, number)
  await completeDialedCall(deps, seed, id, emptyResult('no_answer', 'ring_timeout'))

  const page = await user.open(`/calls/${id}`)
  expect(page.text).toContain(
    "This number was called as often as allowed: 1 call attempt in 24 hours. It's called anyway, and that counts.",
  )
  const { page: again } = await user.browser.press(page, 'Call anyway')
  const againId = Number(/\/calls\/(\d+)/.exec(again.url)?.[1])
  expect(await getCall(deps, seed, againId)).toMatchObject({ status: 'queued', waiting_for: null })
  await dialCall(deps, seed, againId)
  expect((await user.open(`/calls/${againId}`)).text).toContain(
    'The rules allowed the call: no consent stored, 1 call attempt in the 24 hours before, an area code of District of Columbia, confirmed by a member',
  )
})

it("if a contact lacks the required consent, tells a member who calls the contact that the call isn't placed", async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const { seed } = user
  const { id } = await seedCall(deps, seed, freshNumber())
  await completeDialedCall(deps, seed, id, emptyResult('no_answer', 'ring_timeout'))
  await setRules(deps, seed, { consent_required: 'any' })
  const { page } = await user.browser.press(await user.open(`/calls/${id}`), 'Call again')
  expect(page.text).toContain(
    "The call isn't placed. The contact hasn't given the consent that the campaign requires.",
  )
})
