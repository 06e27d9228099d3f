import { expect, it } from '@jest/globals'
import { emptyResult } from '../../../calling/dialer/attempt-result.ts'
import type { Caller } from '../../../platform/core/caller.ts'
import { eraseContact } from '../../../privacy/erase-contact.ts'
import { queueCallback } from '../../../queue/contacts/queue-callback.ts'
import { addContact, completeDialedCall, getCall, seedCall } from '../../support/calls.ts'
import { useImportWorld } from '../../support/contact-imports.ts'
import { seedSignedInOwner } from '../../support/dashboard.ts'
import { freshNumber, seedApiKeyCaller, seedAppCaller } from '../../support/factories.ts'

const { world, startWorker, waitUntilSettled, uploadAndCheck } = useImportWorld()

type User = Awaited<ReturnType<typeof seedSignedInOwner>>

const findOrigin = async ({ seed }: User, callId: number) =>
  (await getCall(world.service.deps, seed, callId)).origin

async function addCall({ seed }: User, caller: Caller): Promise<number> {
  const body = { phone_number: freshNumber(), campaign_id: seed.campaignId }
  return (await addContact(world.service.deps, caller, body)).call.id
}

const findLastCallId = async ({ seed }: User): Promise<number> => {
  const { id } = await world.database.db
    .selectFrom('call')
    .select((eb) => eb.fn.max('id').as('id'))
    .where('workspace_id', '=', seed.workspaceId)
    .executeTakeFirstOrThrow()
  return id
}

it('says which API key or app queued a call, and links an API key to the list of keys', async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const key = await seedApiKeyCaller(deps, user.seed)
  const byKey = await addCall(user, key)
  expect(await findOrigin(user, byKey)).toEqual({ kind: 'api_key', id: String(key.apiKeyId), call_id: null })
  const keyPage = await user.open(`/calls/${byKey}`)
  expect(keyPage.text).toContain('By API key “Test”')
  expect(keyPage.html).toContain(`href="/w/${user.seed.workspaceId}/settings/api-keys">API key “Test”</a>`)

  const byApp = await addCall(user, await seedAppCaller(deps, user.seed, 'Zapier'))
  expect(await findOrigin(user, byApp)).toEqual({ kind: 'app', id: 'Zapier', call_id: null })
  expect((await user.open(`/calls/${byApp}`)).text).toMatch(/By Zapier ?, connected by Robin/)
})

it('says which member queued a call, and which call was repeated with “Call again”', async () => {
  const user = await seedSignedInOwner(world.service)
  const { deps } = world.service
  const { contact } = await seedCall(deps, user.seed, freshNumber(), { test: true })
  const form = await user.open(`/contacts/${contact.id}/call`)
  const campaign = { campaign_id: String(user.seed.campaignId) }
  const { page: question } = await user.browser.press(form, 'Call now', campaign)
  await user.browser.press(question, 'Call now')
  const first = await findLastCallId(user)
  expect(await findOrigin(user, first)).toEqual({ kind: 'member', id: String(user.userId), call_id: null })
  await completeDialedCall(deps, user.seed, first, emptyResult('busy', 'line_busy'))

  const { page } = await user.browser.press(await user.open(`/calls/${first}`), 'Call again')
  const again = await findLastCallId(user)
  expect(await findOrigin(user, again)).toEqual({
    kind: 'call_again',
    id: String(user.userId),
    call_id: first,
  })
  expect(page.text).toContain(`By Robin, with “Call again” on call ${first}`)
})

it('names the call in which a scheduled callback was requested', async () => {
  const user = await seedSignedInOwner(world.service)
  const { agentId, workspaceId, campaignId } = user.seed
  const call = await seedCall(world.service.deps, user.seed, freshNumber())
  const current = {
    ...{ workspaceId, campaignId, agentId, callId: call.id, test: false },
    ...{ contactId: call.contact.id, phoneNumber: call.to_number },
  }
  await queueCallback(world.service.deps, current, { at: '2026-05-06T10:00', dryRun: false })
  const callback = await findLastCallId(user)
  const origin = { kind: 'scheduled_callback', id: String(agentId), call_id: call.id }
  expect(await findOrigin(user, callback)).toEqual(origin)
  expect((await user.open(`/calls/${callback}`)).text).toContain(`Scheduled callback from call ${call.id}`)
})

it('says which imported file a call came from, until the contact is erased', async () => {
  const user = await seedSignedInOwner(world.service)
  startWorker()
  const { path, page } = await uploadAndCheck(user, `Phone\n${freshNumber()}`, {}, 'maya.csv')
  await user.browser.press(page, 'Import contacts', { campaign_id: String(user.seed.campaignId) })
  await waitUntilSettled(user, path)
  const callId = await findLastCallId(user)
  expect(await findOrigin(user, callId)).toMatchObject({ kind: 'import', call_id: null })
  const shown = await user.open(`/calls/${callId}`)
  expect(shown.text).toMatch(/By import maya.csv ?, uploaded by Robin/)
  expect(shown.html).toContain(`href="/w/${user.seed.workspaceId}${path}">import maya.csv</a>`)

  const { contact } = await getCall(world.service.deps, user.seed, callId)
  await eraseContact(world.service.deps, user.seed.workspaceId, contact.id)
  expect((await user.open(`/calls/${callId}`)).text).toMatch(/By an import ?, uploaded by Robin/)
})
