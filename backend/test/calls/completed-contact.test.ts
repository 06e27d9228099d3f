import { expect, it } from '@jest/globals'
import { emptyResult } from '../../calling/dialer/attempt-result.ts'
import { finishAnalysis, finishAttempt } from '../../calling/dialer/finish-attempt.ts'
import { listCalls } from '../../queue/calls/get-calls.ts'
import { updateContact } from '../../queue/contacts/update-contact.ts'
import { addContact, dialCall, getCall, listEvents, seedCall, toCaller } from '../support/calls.ts'
import { freshNumber } from '../support/factories.ts'
import { useCallsWorld } from '../support/world.ts'

const world = useCallsWorld()

it("shows a finished call with the contact's data from that time, including what the agent updated", async () => {
  const { deps, seed } = world
  const number = freshNumber()
  const { id, contact: added } = await seedCall(deps, seed, number, { email: 'maya@example.com' })
  const attempt = await dialCall(deps, seed, id)
  const agent = { kind: 'agent', id: seed.agentId, call_id: id } as const
  await updateContact(deps, seed.workspaceId, added.id, { last_name: 'Okafor' }, agent)
  await finishAttempt(deps, attempt, emptyResult('answered', 'agent_hung_up'))
  await finishAnalysis(deps, { workspaceId: seed.workspaceId, callId: id }, undefined)

  const caller = toCaller(seed)
  const renamed = { phone_number: number, campaign_id: seed.campaignId, first_name: 'Mia', email: null }
  const next = (await addContact(deps, caller, renamed)).call
  const contact = { first_name: 'Maya', last_name: 'Okafor', email: 'maya@example.com' }
  expect((await getCall(deps, seed, id)).contact).toMatchObject({ ...contact, id: next.contact.id })
  const [event] = await listEvents(deps, id)
  expect(event?.data.contact).toEqual((await getCall(deps, seed, id)).contact)
  const { items } = await listCalls(deps, caller, { limit: 10, offset: 0, outcome: undefined })
  expect(items.map((call) => call.contact.first_name)).toEqual(['Mia', 'Maya'])
  expect(next.contact).toMatchObject({ first_name: 'Mia', last_name: 'Okafor', email: null })
})
