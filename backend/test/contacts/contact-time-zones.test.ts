import { expect, it } from '@jest/globals'
import { ContactAdded, ErrorResponse } from '@outdial/contract'
import { timeZoneCases } from '../../../test/support/time-zone-cases.ts'
import { replaceContactDetails, updateContact } from '../../queue/contacts/update-contact.ts'
import { toCaller } from '../support/calls.ts'
import { useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()

const post = (phoneNumber: string, timeZone: string) =>
  api.send({
    method: 'POST',
    path: '/contacts/',
    body: { phone_number: phoneNumber, campaign_id: api.seed.campaignId, time_zone: timeZone },
  })

it('the API accepts the same spellings of time zones as Zaps and imports do, and returns the IANA name', async () => {
  for (const { text, phoneNumber, timeZone } of timeZoneCases) {
    const response = await post(phoneNumber, text)
    if (timeZone === undefined) {
      expect([text, response.statusCode]).toEqual([text, 422])
      const { details } = ErrorResponse.parse(response.json()).error
      expect(details).toMatchObject([{ field: 'time_zone', code: 'invalid_time_zone' }])
    } else {
      const { contact } = ContactAdded.parse(response.json())
      expect([text, contact.time_zone]).toEqual([text, timeZone])
    }
  }
})

it("when an agent or a user enters an abbreviated time zone, reads it according to the country of the contact's number", async () => {
  const phoneNumber = '+16025570142'
  const { contact } = ContactAdded.parse((await post(phoneNumber, 'Europe/Berlin')).json())
  const read = async () =>
    (
      await api.deps.db
        .selectFrom('contact')
        .select('time_zone')
        .where('workspace_id', '=', api.seed.workspaceId)
        .where('id', '=', contact.id)
        .executeTakeFirstOrThrow()
    ).time_zone

  const agent = { kind: 'agent', id: api.seed.agentId, call_id: null } as const
  await updateContact(api.deps, api.seed.workspaceId, contact.id, { time_zone: 'MST' }, agent)
  expect(await read()).toBe('America/Phoenix')
  await replaceContactDetails(api.deps, toCaller(api.seed), contact.id, { time_zone: 'EST' })
  expect(await read()).toBe('America/New_York')
  await updateContact(api.deps, api.seed.workspaceId, contact.id, { first_name: 'Ada' }, agent)
  expect(await read()).toBe('America/New_York')
  await updateContact(api.deps, api.seed.workspaceId, contact.id, { time_zone: null }, agent)
  expect(await read()).toBeNull()
})

it('for a campaign, rejects time zones such as EST, Etc/GMT+5, and Eastern Time', async () => {
  const campaign = {
    name: 'Zones',
    agent_id: api.seed.agentId,
    phone_number_id: api.seed.phoneNumberId,
  }
  for (const timeZone of ['EST', 'MST', 'HST', 'Etc/GMT+5', 'Eastern Time', 'PST']) {
    const body = { ...campaign, time_zone: timeZone }
    const response = await api.send({ method: 'POST', path: '/campaigns/', body })
    expect(ErrorResponse.parse(response.json()).error.details).toMatchObject([{ code: 'invalid_time_zone' }])
  }
})
