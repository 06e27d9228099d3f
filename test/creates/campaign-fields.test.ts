import { describe, expect, it } from '@jest/globals'
import { type Campaign, exampleContactAdded } from '@outdial/contract'
import type { PlainInputField } from 'zapier-platform-core'
import { sampleCampaign } from '../../src/generated.ts'
import {
  apiPath,
  errorBody,
  parseBody,
  run,
  runExpectingError,
  stubFailure,
  stubResponse,
} from '../support/connector.ts'

const steps = ['queue_call', 'queue_call_and_wait']

const campaigns = (...results: Partial<Campaign>[]) =>
  stubResponse('GET', apiPath('/campaigns/'), 200, {
    results: results.map((campaign) => ({ ...sampleCampaign, opens_at: null, ...campaign })),
  })

/** Returns the fields that the form shows for the chosen campaign. */
async function fieldsOf(campaign_id: unknown, step = 'queue_call'): Promise<PlainInputField[]> {
  const fields = await run<PlainInputField[]>(`creates.${step}.operation.inputFields`, {
    inputData: { campaign_id },
  })
  const keys = fields.map(({ key }) => key)
  const start = keys.indexOf('campaign_id') + 1
  const end = keys.indexOf('phone_number')
  expect([start, end]).toEqual([2, expect.any(Number)])
  expect(end).toBeGreaterThanOrEqual(start)
  return fields.slice(start, end)
}

describe("a variable of a campaign's script", () => {
  it.each(steps)('has a labeled field in the form of %s', async (step) => {
    campaigns({ id: 11, agent_variables: ['other'] }, { id: 12, agent_variables: ['product', 'roof_type'] })

    expect(await fieldsOf('12', step)).toEqual([
      {
        key: 'variables__product',
        label: 'Product',
        helpText: "The agent's script uses this value as `product`.",
        group: 'variables',
      },
      {
        key: 'variables__roof_type',
        label: 'Roof Type',
        helpText: "The agent's script uses this value as `roof_type`.",
        group: 'variables',
      },
    ])
  })

  it("has a field even if the campaign's name was typed instead of chosen", async () => {
    campaigns({ id: 11, name: 'Other leads' }, { id: 12, agent_variables: ['product'] })

    expect((await fieldsOf(' website leads ')).map(({ key }) => key)).toEqual(['variables__product'])
  })

  it("has a field even if the user typed the campaign's text from the dropdown", async () => {
    campaigns({ id: 11 }, { id: 12, agent_variables: ['product'] })

    expect((await fieldsOf('Website leads · ID 12')).map(({ key }) => key)).toEqual(['variables__product'])
  })

  it.each(steps)(
    'in %s, takes the value of its own field, even if the Variables dictionary has another value',
    async (step) => {
      const requests = stubResponse('POST', apiPath('/contacts/'), 201, exampleContactAdded)

      await run(`creates.${step}.operation.perform`, {
        inputData: {
          campaign_id: '12',
          phone_number: '+12025550100',
          variables: { product: 'Old', color: 'red', size: 'XL' },
          variables__product: ' New ',
          variables__floors: 4,
          variables__color: '',
          variables__size: null,
        },
        callbackUrl: 'https://zapier.com/hooks/callback/1/',
      })

      expect(parseBody(requests)).toMatchObject({
        variables: { product: ' New ', color: 'red', size: 'XL', floors: '4' },
      })
    },
  )

  it('is sent from its own field even if the Variables dictionary is blank', async () => {
    const requests = stubResponse('POST', apiPath('/contacts/'), 201, exampleContactAdded)
    const inputData = { campaign_id: '12', phone_number: '+12025550100', variables__product: 'Roof' }

    await run('creates.queue_call.operation.perform', { inputData })

    expect(parseBody(requests)).toMatchObject({ variables: { product: 'Roof' } })
  })

  it("in an error, is named by its field's label, but an entry of the Variables dictionary is named by its key", async () => {
    const details = ['product_name', 'color'].map((name) => ({
      field: `variables.${name}`,
      code: 'too_long',
      message: `variables.${name} is too long.`,
    }))
    const summary = details.map(({ message }) => message).join(' ')
    stubResponse('POST', apiPath('/contacts/'), 422, errorBody('validation_failed', summary, details))
    const inputData = {
      campaign_id: '12',
      phone_number: '+12025550100',
      variables: { color: 'red' },
      variables__product_name: 'Roof',
    }

    expect(await runExpectingError('creates.queue_call.operation.perform', { inputData })).toEqual({
      name: 'HaltedError',
      message: 'Product Name is too long. Variables "color" is too long. (Request ID: req_42)',
    })
  })

  it.each(['roof type', 'roof.type', 'roof{type}', '名前', '_roof', 'roof_', 'roof__type', '__proto__', ''])(
    "has no field if its name can't be part of a Zapier field's key: %j",
    async (name) => {
      campaigns({ id: 12, agent_variables: [name, 'product'] })

      expect((await fieldsOf('12')).map(({ key }) => key)).toEqual(['variables__product'])
    },
  )
})

describe('the form has only its usual fields', () => {
  it.each(['', null, undefined, '{{123__id}}', ['12'], { id: 12 }])(
    'and the connector sends no request if Campaign is %j',
    async (campaign_id) => {
      expect(await fieldsOf(campaign_id)).toEqual([])
    },
  )

  it.each(['Other leads', '12abc', '1e3', '012'])(
    'if no campaign has the ID or name %s',
    async (campaign_id) => {
      campaigns({ id: 12 })

      expect(await fieldsOf(campaign_id)).toEqual([])
    },
  )

  it('if two campaigns have the typed name', async () => {
    campaigns({ id: 12 }, { id: 13 })

    expect(await fieldsOf(sampleCampaign.name)).toEqual([])
  })

  it("if no page of the API's list of campaigns contains the chosen campaign", async () => {
    campaigns(...Array.from({ length: 200 }, (_, index) => ({ id: 1000 + index })))
    const second = campaigns({ id: 2000 })

    expect(await fieldsOf('12')).toEqual([])
    expect(second[0]?.url.searchParams.get('offset')).toBe('200')
  })

  it.each([
    [403, errorBody('insufficient_scope', 'The token has no scope.')],
    [429, errorBody('rate_limited', 'Too many requests.')],
    [502, '<p>Bad gateway</p>'],
    [200, { results: [{ id: 12 }] }],
    [200, { results: [{ ...sampleCampaign, id: 12, time_zone: 'Mars/Olympus' }] }],
    [200, '<p>Maintenance</p>'],
  ])('if the API responds with status %i and the body %j', async (status, body) => {
    stubResponse('GET', apiPath('/campaigns/'), status, body)

    expect(await fieldsOf('12')).toEqual([])
  })

  it('if the API cannot be reached', async () => {
    stubFailure('GET', apiPath('/campaigns/'), 'ECONNREFUSED')

    expect(await fieldsOf('12')).toEqual([])
  })
})

it('asks Zapier to refresh the token if it has expired when the form loads', async () => {
  stubResponse('GET', apiPath('/campaigns/'), 401, errorBody('invalid_token', 'The token has expired.'))

  const method = 'creates.queue_call.operation.inputFields'
  expect(await runExpectingError(method, { inputData: { campaign_id: '12' } })).toMatchObject({
    name: 'RefreshAuthError',
  })
})

describe('a notice in the form', () => {
  it('says that the campaign is archived', async () => {
    campaigns({ id: 12, status: 'archived', agent_variables: [] })

    expect(await fieldsOf(12)).toEqual([
      {
        key: 'about_campaign',
        type: 'copy',
        helpText: "**This campaign is archived**, so calls can't be queued in it. Choose another campaign.",
      },
    ])
  })

  it.each([
    [null, ''],
    ['10 calls failed in a row.', ' Reason: 10 calls failed in a row.'],
  ])(
    "says that the campaign is paused, and adds the API's reason if there is one: %j",
    async (paused_reason, reason) => {
      campaigns({ id: 12, status: 'paused', paused_reason, agent_variables: ['product'] })

      const [notice, ...others] = await fieldsOf('12')

      expect(notice).toEqual({
        key: 'about_campaign',
        type: 'copy',
        helpText: `**This campaign is paused.** Calls are queued, but not placed until the campaign is resumed.${reason}`,
      })
      expect(others.map(({ key }) => key)).toEqual(['variables__product'])
    },
  )

  it('says until when the campaign is outside its calling hours', async () => {
    const time_zone = 'America/New_York'
    campaigns({ id: 12, agent_variables: [], time_zone, opens_at: '2026-11-30T14:30:00.000Z' })

    const [notice] = await fieldsOf('12')

    expect(notice?.helpText).toBe(
      "**This campaign is outside its calling hours** until Monday, November 30 at 9:30 AM in New York (America/New_York). Calls are queued, and placed within calling hours in the contact's time zone.",
    )
  })

  it.each([null, undefined])(
    "isn't shown if the API doesn't say when calling hours begin (opens_at is %s)",
    async (opens_at) => {
      campaigns({ id: 12, agent_variables: [], opens_at })

      expect(await fieldsOf('12')).toEqual([])
    },
  )
})
