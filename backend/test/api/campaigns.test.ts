import { expect, it } from '@jest/globals'
import { Campaign, CampaignList } from '@outdial/contract'
import { useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()

const create = (values: object = {}) =>
  api.send({
    method: 'POST',
    path: '/campaigns/',
    body: { name: 'Spring', agent_id: api.seed.agentId, phone_number_id: api.seed.phoneNumberId, ...values },
  })

it('uses defaults for fields that are missing, null, or blank', async () => {
  const expected = {
    name: 'Spring',
    status: 'active',
    time_zone: 'America/New_York',
    calling_hours: { days: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '17:00' },
    max_concurrent_calls: 5,
    retry: { max_attempts: 3, delay_minutes: 60, on: ['no_answer', 'busy'] },
    paused_reason: null,
    created_at: api.deps.clock.now().toISOString(),
  }
  const blank = { time_zone: '', calling_hours: { days: [''], start: '', end: '' }, retry: { on: [''] } }
  const nulls = { time_zone: null, calling_hours: null, max_concurrent_calls: null, retry: null }
  for (const values of [{}, nulls, blank]) {
    const response = await create(values)
    expect(response.statusCode).toBe(201)
    expect(Campaign.parse(response.json())).toMatchObject(expected)
  }
})

it("returns in opens_at the time when calling hours next begin in the campaign's time zone, or null during calling hours", async () => {
  const hours = { days: ['mon', 'tue'], start: '09:00', end: '12:00' }
  const open = Campaign.parse((await create({ calling_hours: hours })).json())
  expect(open.opens_at).toBeNull()
  const closed = await create({ calling_hours: hours, time_zone: 'Europe/London' })
  const { id, opens_at } = Campaign.parse(closed.json())
  expect(opens_at).toBe('2026-05-05T08:00:00.000Z')

  const list = async () => {
    const { results } = CampaignList.parse((await api.send({ path: '/campaigns/?limit=200' })).json())
    return results.find((campaign) => campaign.id === id)?.opens_at
  }
  expect(await list()).toBe(opens_at)
  // The last second of Tuesday's hours. After it, the hours next begin on Monday.
  api.deps.clock.advance(Date.parse('2026-05-05T10:59:59Z') - api.deps.clock.now().getTime())
  expect(await list()).toBeNull()
  api.deps.clock.advance(1_000)
  expect(await list()).toBe('2026-05-11T08:00:00.000Z')
})

it("returns the agent's name and variables, the phone number, and the URL of the campaign's page", async () => {
  const body = { name: 'Links', agent_id: api.seed.agentId, phone_number_id: api.seed.phoneNumberId }
  const response = await api.send({ method: 'POST', path: '/campaigns/', body })
  const created = Campaign.parse(response.json())
  expect(created).toMatchObject({
    agent_variables: ['product'],
    agent_name: 'Ava',
    phone_number: await api.deps.db
      .selectFrom('phone_number')
      .select('phone_number')
      .where('id', '=', api.seed.phoneNumberId)
      .executeTakeFirstOrThrow()
      .then((row) => row.phone_number),
    url: `${api.deps.config.publicUrl}/w/${api.seed.workspaceId}/campaigns/${created.id}`,
  })
  const list = CampaignList.parse((await api.send({ path: '/campaigns/?search=links' })).json())
  expect(list.results).toEqual([created])
})

it("fills in missing parts of calling hours from the workspace's calling hours", async () => {
  await api.deps.db
    .updateTable('workspace')
    .set({ calling_hours: JSON.stringify({ days: ['sat'], start: '10:00', end: '14:00' }) })
    .where('id', '=', api.seed.workspaceId)
    .execute()
  const response = await create({ calling_hours: { end: '24:00' }, retry: { max_attempts: 1 } })
  expect(response.json()).toMatchObject({
    calling_hours: { days: ['sat'], start: '10:00', end: '24:00' },
    retry: { max_attempts: 1, delay_minutes: 60 },
  })
})

it('accepts calling hours that span midnight', async () => {
  const calling_hours = { days: ['fri'], start: '22:00', end: '02:00' }
  expect((await create({ calling_hours })).json()).toMatchObject({ calling_hours })
})

it.each([
  [{ calling_hours: { start: '12:00', end: '12:00' } }, 'calling_hours.end', 'empty_calling_hours'],
  [{ calling_hours: { start: '24:00' } }, 'calling_hours.start', 'invalid_format'],
  [{ calling_hours: { days: ['mon', 'mon'] } }, 'calling_hours.days', 'invalid_value'],
  [{ calling_hours: { days: [] } }, 'calling_hours.days', 'too_small'],
  [{ max_concurrent_calls: 101 }, 'max_concurrent_calls', 'too_big'],
  [{ retry: { delay_minutes: 1441 } }, 'retry.delay_minutes', 'too_big'],
  [{ retry: { on: ['answered'] } }, 'retry.on.0', 'invalid_value'],
  [{ time_zone: 'UTC+2' }, 'time_zone', 'invalid_time_zone'],
])('rejects a campaign with %j', async (values, field, code) => {
  const response = await create(values)
  expect(response.statusCode).toBe(422)
  expect(response.json()).toMatchObject({ error: { details: [{ field, code }] } })
})

it('if the end time is filled in from the workspace, rejects an equal start time', async () => {
  const { calling_hours } = await api.deps.db
    .selectFrom('workspace')
    .select('calling_hours')
    .where('id', '=', api.seed.workspaceId)
    .executeTakeFirstOrThrow()
  const response = await create({ calling_hours: { start: calling_hours.end } })
  expect(response.statusCode).toBe(422)
  expect(response.json()).toMatchObject({
    error: { details: [{ field: 'calling_hours.end', code: 'empty_calling_hours' }] },
  })
})

it("returns 404 and names the field if the workspace doesn't have the agent or phone number", async () => {
  const { seed } = await api.seedOtherWorkspace()
  for (const id of [seed.agentId, 999_999, Number.MAX_SAFE_INTEGER]) {
    const response = await create({ agent_id: id })
    expect([response.statusCode, response.json()]).toMatchObject([
      404,
      { error: { details: [{ field: 'agent_id' }] } },
    ])
  }
  const response = await create({ phone_number_id: seed.phoneNumberId })
  expect([response.statusCode, response.json()]).toMatchObject([
    404,
    { error: { details: [{ field: 'phone_number_id' }] } },
  ])
})
