import { describe, expect, it } from '@jest/globals'
import { claimTestCalls } from '../../calling/dialer/claim-calls.ts'
import { isCountryAllowed } from '../../queue/rules/call-rules.ts'
import { realConfig, realLease as lease, setRules } from '../support/call-rules.ts'
import { getCall, listEvents } from '../support/calls.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { freshNumber } from '../support/factories.ts'
import { parseError, postContact, queueOverApi, useApiWorld } from '../support/test-api.ts'

const api = useApiWorld({ config: realConfig })

const jamaican = '+18765550123'
const german = '+493090182012'
const satellite = '+881631234567'

const post = (phoneNumber: string, fields?: object) => postContact(api, phoneNumber, fields)
const queue = (phoneNumber: string, fields?: object) => queueOverApi(api, phoneNumber, fields)

/** Sets the rule for countries to a text that an owner types. */
const setCountries = (countries: string) => setRules(api.deps, api.seed, { countries })

it.each([
  ['+12025550100', ['US'], true],
  ['+14165550100', ['US'], false],
  [jamaican, ['US', 'CA'], false],
  [jamaican, ['JM'], true],
  [german, ['DE'], true],
  [satellite, ['US', 'DE'], false],
  [satellite, null, true],
])(
  'decides by all digits of %s, not only its country code, whether it can be called with the allowed countries %j',
  (phoneNumber, countries, isAllowed) => {
    expect(isCountryAllowed({ countries }, phoneNumber)).toBe(isAllowed)
  },
)

describe('when a call is queued', () => {
  it("rejects a call to a country that isn't allowed, names the country, and saves nothing", async () => {
    await setCountries('United States, Germany')
    const response = await post(jamaican)
    expect(response.statusCode).toBe(422)
    expect(parseError(response).details).toMatchObject([
      {
        field: 'phone_number',
        code: 'country_not_allowed',
        message: expect.stringContaining("doesn't call numbers in Jamaica"),
      },
    ])
    const contacts = api.deps.db.selectFrom('contact').select('id').where('phone_number', '=', jamaican)
    expect(await contacts.execute()).toEqual([])
  })

  it('queues a call to an allowed country, and to any country if none is listed', async () => {
    await setCountries('United States, Germany')
    expect((await queue(german)).status).toBe('queued')
    await setCountries('')
    expect((await queue(jamaican)).status).toBe('queued')
  })

  it('queues a test call to any country, because no phone rings', async () => {
    await setCountries('United States')
    expect((await queue(german, { test: true })).status).toBe('queued')
    expect(await claimTestCalls(api.deps, lease, 10)).toHaveLength(1)
  })

  it("accepts do-not-call and cancel requests for a number even if its country isn't allowed", async () => {
    await setCountries('United States')
    expect(await queue('+493090182097', { do_not_call: true })).toMatchObject({
      outcome: 'suppressed',
      ended_reason: 'do_not_call',
    })
    const body = { phone_number: jamaican }
    expect((await api.send({ method: 'POST', path: '/calls/cancel', body })).statusCode).toBe(200)
    expect((await api.send({ method: 'POST', path: '/do-not-call/', body })).statusCode).toBe(200)
  })
})

describe('when a call is claimed', () => {
  it("if a call's country is no longer allowed, completes the call as suppressed and publishes its event", async () => {
    await setCountries('')
    const { id } = await queue('+493090182099')
    const other = await queue(freshNumber())
    await setCountries('US')

    expect((await claimAndSettle(api.deps, lease, 10)).map(({ request }) => request.callId)).toEqual([
      other.id,
    ])
    const completed = await getCall(api.deps, api.seed, id)
    expect(completed).toMatchObject({
      status: 'completed',
      outcome: 'suppressed',
      ended_reason: 'destination_not_allowed',
      attempts: 0,
    })
    expect((await listEvents(api.deps, id)).map((event) => event.data)).toEqual([completed])
  })

  it("while calls are simulated, claims a call even if its country isn't allowed", async () => {
    const deps = { ...api.deps, config: { ...api.deps.config, telephony: 'simulated' as const } }
    await setCountries('')
    const { id } = await queue('+493090182098')
    await setCountries('US')
    const claimed = await claimAndSettle(deps, { ...lease, provider: 'simulated' }, 10)
    expect(claimed.map(({ request }) => request.callId)).toContain(id)
  })
})
