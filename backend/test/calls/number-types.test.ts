import { describe, expect, it } from '@jest/globals'
import { claimTestCalls } from '../../calling/dialer/claim-calls.ts'
import { isSpecialNumber } from '../../platform/core/phone.ts'
import { getCall, listEvents } from '../support/calls.ts'
import { claimAndSettle } from '../support/claim-and-settle.ts'
import { freshNumber } from '../support/factories.ts'
import { parseError, postContact, queueOverApi, useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()

const premiumRate = '+19005550100'

const lease = { provider: 'simulated', workerId: crypto.randomUUID(), leaseMs: 60_000 }

const post = (phoneNumber: string, fields?: object) => postContact(api, phoneNumber, fields)
const queue = (phoneNumber: string, fields?: object) => queueOverApi(api, phoneNumber, fields)

const allow = (allowed: boolean) =>
  api.deps.db
    .updateTable('workspace')
    .set({ calls_special_numbers: allowed })
    .where('id', '=', api.seed.workspaceId)
    .execute()

const findContacts = () =>
  api.deps.db.selectFrom('contact').select('id').where('workspace_id', '=', api.seed.workspaceId).execute()

it.each([
  ['premium-rate', '+19005550100'],
  ['premium-rate', '+449098790000'],
  ['shared-cost', '+448431230000'],
  ['personal', '+447012345678'],
  ['pager', '+447640123456'],
  ['satellite', '+881631234567'],
  ['satellite', '+870773111632'],
  ['global', '+882161234567'],
])('treats a %s number as special: %s', (_, phoneNumber) => {
  expect(isSpecialNumber(phoneNumber)).toBe(true)
})

it.each(['+12025550100', '+442079460018', '+447911123456', '+18005550100', '+4930901820', '+5215512345678'])(
  "doesn't treat a number with ordinary costs as special: %s",
  (phoneNumber) => {
    expect(isSpecialNumber(phoneNumber)).toBe(false)
  },
)

describe('when a call is queued', () => {
  it('rejects a number type that the workspace does not allow, and saves nothing', async () => {
    const response = await post(premiumRate)
    expect(response.statusCode).toBe(422)
    expect(parseError(response).details).toMatchObject([
      { field: 'phone_number', code: 'number_type_not_allowed' },
    ])
    expect(await findContacts()).toEqual([])
  })

  it('queues the call if the workspace allows the number type', async () => {
    await allow(true)
    expect((await queue(premiumRate)).status).toBe('queued')
  })

  it("queues a test call even if the number type isn't allowed, because no phone rings", async () => {
    expect((await queue(premiumRate, { test: true })).status).toBe('queued')
    expect(await claimTestCalls(api.deps, lease, 10)).toHaveLength(1)
  })

  it('if the contact is on the do-not-call list, suppresses the call instead of rejecting its number type', async () => {
    for (const fields of [{ do_not_call: true }, {}]) {
      const response = await post(premiumRate, fields)
      expect(response.json()).toMatchObject({ call: { outcome: 'suppressed', ended_reason: 'do_not_call' } })
    }
  })

  it("accepts requests to cancel calls to a number whose type isn't allowed, and to add it to the do-not-call list", async () => {
    const body = { phone_number: premiumRate }
    expect((await api.send({ method: 'POST', path: '/calls/cancel', body })).statusCode).toBe(200)
    expect((await api.send({ method: 'POST', path: '/do-not-call/', body })).statusCode).toBe(200)
  })
})

describe('when a call is claimed', () => {
  it('if the number type of a call is no longer allowed, completes the call as suppressed, and publishes its event', async () => {
    await allow(true)
    const { id } = await queue('+19005550101')
    const other = await queue(freshNumber())
    await allow(false)

    expect((await claimAndSettle(api.deps, lease, 10)).map(({ request }) => request.callId)).toEqual([
      other.id,
    ])
    const call = await getCall(api.deps, api.seed, id)
    expect(call).toMatchObject({
      status: 'completed',
      outcome: 'suppressed',
      ended_reason: 'number_type_not_allowed',
      attempts: 0,
    })
    expect((await listEvents(api.deps, id)).map((event) => event.data)).toEqual([call])
  })
})
