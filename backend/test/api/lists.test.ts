// cspell:ignore Über
import { beforeAll, describe, expect, it } from '@jest/globals'
import {
  AgentList,
  CallList,
  CampaignList,
  ContactAdded,
  ErrorResponse,
  PhoneNumberList,
} from '@outdial/contract'
import { seedAgent, seedCampaign, seedCompletedCall, seedPhoneNumber } from '../support/factories.ts'
import { apiPrefix, useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()
beforeAll(async () => {
  for (const name of ['Bea', '100% Ben', 'Über_uns', 'Zed', 'Yan']) {
    await seedAgent(api.deps, api.seed.workspaceId, { name })
  }
})

const agents = async (query: string) => {
  const response = await api.send({ path: `/agents/${query}` })
  expect(response.statusCode).toBe(200)
  return AgentList.parse(response.json())
}
const names = async (query: string) => (await agents(query)).results.map((agent) => agent.name)

/** Returns the path of a list's link, without the API prefix. */
const pathOfLink = (link: string | null) => {
  const url = new URL(link ?? '')
  expect(url.origin).toBe(new URL(api.deps.config.publicUrl).origin)
  expect(url.pathname.startsWith(apiPrefix)).toBe(true)
  return `${url.pathname.slice(apiPrefix.length)}${url.search}`
}

it('links each page to the next without repeating an item, and the last page back to the first', async () => {
  const agentNames: string[] = []
  let path: string | null = '/agents?limit=4'
  let last: AgentList | undefined
  while (path !== null) {
    const page: AgentList = AgentList.parse((await api.send({ path })).json())
    agentNames.push(...page.results.map((agent) => agent.name))
    last = page
    path = page.next && pathOfLink(page.next)
  }
  expect(agentNames).toEqual(['Ava', 'Bea', '100% Ben', 'Über_uns', 'Zed', 'Yan'])
  const first = AgentList.parse((await api.send({ path: pathOfLink(last?.previous ?? null) })).json())
  expect(first.results.map((agent) => agent.name)).toEqual(['Ava', 'Bea', '100% Ben', 'Über_uns'])
  expect(first.previous).toBeNull()
})

it('keeps filters in the links to other pages', async () => {
  const page = await agents('?search=e&limit=1&offset=1')
  expect(page.next).toBe(`${api.deps.config.publicUrl}${apiPrefix}/agents/?limit=1&offset=2&search=e`)
  expect(page.previous).toBe(`${api.deps.config.publicUrl}${apiPrefix}/agents/?limit=1&offset=0&search=e`)
  const calls = await api.send({ path: '/calls/?offset=1&outcome=busy&outcome=answered&status=completed' })
  expect(CallList.parse(calls.json()).previous).toBe(
    `${api.deps.config.publicUrl}${apiPrefix}/calls/?limit=50&offset=0&status=completed&outcome=busy&outcome=answered`,
  )
})

it("doesn't link to a next page after the last item", async () => {
  expect((await agents('?limit=6')).next).toBeNull()
  expect(await agents('?offset=9007199254740991')).toMatchObject({ results: [], next: null })
})

it.each([
  ['?search=BEA', ['Bea']],
  ['?search=%25', ['100% Ben']],
  ['?search=_', ['Über_uns']],
  ['?search=%C3%BCBER', ['Über_uns']],
  ['?search=%5C', []],
  ['?search=nobody', []],
])('finds agents by part of the name: %s', async (query, found) => {
  expect(await names(query)).toEqual(found)
})

it('treats blank parameters as absent', async () => {
  expect(await names('?search=&limit=&offset=')).toHaveLength(6)
})

it.each([
  ['limit=0', 'limit'],
  ['limit=201', 'limit'],
  ['limit=ten', 'limit'],
  ['limit=1.5', 'limit'],
  ['limit=1&limit=2', 'limit'],
  ['offset=-1', 'offset'],
  ['offset=9007199254740992', 'offset'],
  ['offset=1e99', 'offset'],
  [`search=${'x'.repeat(201)}`, 'search'],
])('rejects %s', async (query, field) => {
  const response = await api.send({ path: `/agents/?${query}` })
  expect(response.statusCode).toBe(422)
  expect(response.json()).toMatchObject({ error: { code: 'validation_failed', details: [{ field }] } })
})

it('lists Live agents only', async () => {
  await seedAgent(api.deps, api.seed.workspaceId, { name: 'Draft one', status: 'draft' })
  await seedAgent(api.deps, api.seed.workspaceId, { name: 'Paused one', status: 'paused' })
  expect(await names('?search=one')).toEqual([])
})

it('lists only active phone numbers, and finds one by its digits', async () => {
  await seedPhoneNumber(api.deps, api.seed.workspaceId, { label: 'Retired', status: 'retired' })
  await seedPhoneNumber(api.deps, api.seed.workspaceId, { label: 'Support' })
  const all = PhoneNumberList.parse((await api.send({ path: '/phone-numbers/' })).json())
  expect(all.results.map((number) => number.label)).toEqual(['Sales', 'Support'])
  const [sales] = all.results
  const found = await api.send({ path: `/phone-numbers?search=${sales?.phone_number.slice(1)}` })
  expect(PhoneNumberList.parse(found.json()).results).toEqual([sales])
})

it('lists campaigns of every status', async () => {
  const { workspaceId, agentId, phoneNumberId } = api.seed
  const id = await seedCampaign(api.deps, { workspaceId, agentId, phoneNumberId, name: 'Old' })
  await api.deps.db.updateTable('campaign').set({ status: 'archived' }).where('id', '=', id).execute()
  const list = CampaignList.parse((await api.send({ path: '/campaigns/?search=old' })).json())
  expect(list.results).toMatchObject([{ id, status: 'archived' }])
})

it('lists calls newest first, and filters them by campaign, agent, outcome, and status', async () => {
  const ids: number[] = []
  for (const digit of [1, 2, 3]) {
    const body = {
      phone_number: `+1202555018${digit}`,
      campaign_id: api.seed.campaignId,
      do_not_call: digit === 3,
    }
    const response = await api.send({ method: 'POST', path: '/contacts/', body })
    ids.unshift(response.json<{ call: { id: number } }>().call.id)
  }
  const list = async (query: string) =>
    CallList.parse((await api.send({ path: `/calls/${query}` })).json()).results.map((call) => call.id)
  expect(await list('')).toEqual(ids)
  expect(await list(`?campaign_id=${api.seed.campaignId}&agent_id=${api.seed.agentId}`)).toEqual(ids)
  expect(await list('?outcome=suppressed')).toEqual(ids.slice(0, 1))
  expect(await list('?outcome=suppressed&outcome=answered')).toEqual(ids.slice(0, 1))
  expect(await list('?status=queued')).toEqual(ids.slice(1))
  expect(await list('?campaign_id=999')).toEqual([])
})

describe('the filters for one contact', () => {
  const queueCall = async (phone_number: string, values: object = {}) => {
    const body = { phone_number, campaign_id: api.seed.campaignId, if_already_queued: 'queue', ...values }
    return ContactAdded.parse((await api.send({ method: 'POST', path: '/contacts/', body })).json())
  }
  const list = async (query: Record<string, string>, key = api.key) => {
    const path = `/calls/?${new URLSearchParams(query).toString()}`
    return CallList.parse((await api.send({ path, key })).json()).results.map((call) => call.id)
  }

  it("select the contact's calls by the contact's ID, phone number, or external ID", async () => {
    const first = await queueCall('+12025550191', { external_id: 'crm 191' })
    const second = await queueCall('+12025550191')
    await queueCall('+12025550192', { external_id: 'crm 192' })
    const ids = [second.call.id, first.call.id]
    expect(await list({ contact_id: String(first.contact.id) })).toEqual(ids)
    expect(await list({ phone_number: '+12025550191' })).toEqual(ids)
    expect(await list({ phone_number: '(202) 555-0191' })).toEqual(ids)
    expect(await list({ external_id: 'crm 191' })).toEqual(ids)
    const london = await queueCall('+442079460191')
    expect(await list({ phone_number: '020 7946 0191', country: 'GB' })).toEqual([london.call.id])
    expect(await list({ external_id: 'crm' })).toEqual([])
    expect(await list({ external_id: 'crm 191', phone_number: '+12025550192' })).toEqual([])
  })

  it("don't select the calls of another workspace's contact", async () => {
    const other = await api.seedOtherWorkspace()
    const { contact } = await queueCall('+12025550193', { external_id: 'crm 193' })
    expect(await list({ contact_id: String(contact.id) }, other.key)).toEqual([])
    expect(await list({ phone_number: '+12025550193' }, other.key)).toEqual([])
    expect(await list({ external_id: 'crm 193' }, other.key)).toEqual([])
  })

  it("reject a phone number that can't be read", async () => {
    const response = await api.send({ path: '/calls/?phone_number=12' })
    expect(response.statusCode).toBe(422)
    expect(ErrorResponse.parse(response.json()).error).toMatchObject({
      message: expect.stringContaining('Include the country code'),
      details: [{ field: 'phone_number', code: 'invalid_phone_number' }],
    })
  })

  it("treat a number without a country code as one in the workspace's country", async () => {
    const other = await api.seedOtherWorkspace()
    await api.deps.db
      .updateTable('workspace')
      .set({ country: 'GB' })
      .where('id', '=', other.seed.workspaceId)
      .execute()
    const body = { phone_number: '+442079460957', campaign_id: other.seed.campaignId }
    const response = await api.send({ method: 'POST', path: '/contacts/', body, key: other.key })
    const { call } = ContactAdded.parse(response.json())
    expect(await list({ phone_number: '020 7946 0957' }, other.key)).toEqual([call.id])
  })
})

it('filters calls by goal_met, and lists all calls, only real calls, or only test calls', async () => {
  const { seed, key } = await api.seedOtherWorkspace()
  const calls = new Map<string, number>()
  for (const [name, goal_met, test] of [
    ['met', true, false],
    ['not met', false, false],
    ['unknown', null, false],
    ['test', true, true],
  ] as const) {
    const { id } = await seedCompletedCall(api.deps, seed)
    await api.deps.db.updateTable('call').set({ goal_met, test }).where('id', '=', id).execute()
    calls.set(name, id)
  }
  const list = async (query: string) => {
    const { results } = CallList.parse((await api.send({ path: `/calls/?${query}`, key })).json())
    return results.map((call) => [...calls].find(([, id]) => id === call.id)?.[0])
  }
  expect(await list('goal_met=true')).toEqual(['test', 'met'])
  expect(await list('goal_met=false')).toEqual(['not met'])
  expect(await list('goal_met=')).toEqual(['test', 'unknown', 'not met', 'met'])
  expect(await list('test=include')).toEqual(['test', 'unknown', 'not met', 'met'])
  expect(await list('test=exclude')).toEqual(['unknown', 'not met', 'met'])
  expect(await list('test=only')).toEqual(['test'])
  expect(await list('test=exclude&goal_met=true&status=completed')).toEqual(['met'])
})

it('lists campaigns oldest or newest first, and filters them by status', async () => {
  const { key, seed } = await api.seedOtherWorkspace()
  const ids = { active: seed.campaignId, paused: 0, archived: 0 }
  for (const status of ['paused', 'archived'] as const) {
    ids[status] = await seedCampaign(api.deps, seed)
    await api.deps.db.updateTable('campaign').set({ status }).where('id', '=', ids[status]).execute()
  }
  const page = async (query: string) =>
    CampaignList.parse((await api.send({ path: `/campaigns/?${query}`, key })).json())
  const list = async (query: string) => (await page(query)).results.map(({ id }) => id)
  expect(await list('')).toEqual([ids.active, ids.paused, ids.archived])
  expect(await list('order=newest')).toEqual([ids.archived, ids.paused, ids.active])
  expect(await list('order=newest&status=active,paused')).toEqual([ids.paused, ids.active])
  expect(await list('status=archived&status=active')).toEqual([ids.active, ids.archived])
  const first = await page('order=newest&status=active,paused&limit=1')
  expect(new URL(first.next ?? '').search).toBe('?limit=1&offset=1&status=active&status=paused&order=newest')
})

it.each(['order=oldest', 'status=open', 'status=active,', 'status=active, paused'])(
  'rejects %s in the list of campaigns',
  async (query) => {
    const response = await api.send({ path: `/campaigns/?${query}` })
    expect(response.statusCode).toBe(422)
  },
)

it('filters calls by whether the contact opted out during the call', async () => {
  const { seed, key } = await api.seedOtherWorkspace()
  const { id: other } = await seedCompletedCall(api.deps, seed)
  const { id: optedOut } = await seedCompletedCall(api.deps, seed)
  await api.deps.db.updateTable('call').set({ opted_out: true }).where('id', '=', optedOut).execute()
  const list = async (query: string) => {
    const { results } = CallList.parse((await api.send({ path: `/calls/?${query}`, key })).json())
    return results.map((call) => ({ id: call.id, opted_out: call.opted_out }))
  }
  expect(await list('opted_out=true')).toEqual([{ id: optedOut, opted_out: true }])
  expect(await list('opted_out=false')).toEqual([{ id: other, opted_out: false }])
  expect((await list('opted_out=')).map(({ id }) => id)).toEqual([optedOut, other])
})

it("if a filter's value isn't accepted, lists the accepted values in the error", async () => {
  const response = await api.send({ path: '/calls/?outcome=unknown' })
  expect(response.statusCode).toBe(422)
  const [detail] = ErrorResponse.parse(response.json()).error.details
  expect(detail).toMatchObject({ field: 'outcome.0', code: 'invalid_value' })
  expect(detail?.message).toContain('Use one of these: answered, voicemail')
})
