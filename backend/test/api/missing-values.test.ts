import { beforeEach, describe, expect, it } from '@jest/globals'
import { ContactAdded } from '@outdial/contract'
import { addToDoNotCallList } from '../../queue/calls/do-not-call.ts'
import { freshNumber } from '../support/factories.ts'
import { useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()

const setAgent = (values: { greeting?: string; variables?: string[] }) =>
  api.deps.db.updateTable('agent').set(values).where('workspace_id', '=', api.seed.workspaceId).execute()

async function add(fields: object, headers?: Record<string, string>): Promise<ContactAdded> {
  const response = await api.send({
    method: 'POST',
    path: '/contacts/',
    body: { phone_number: freshNumber(), campaign_id: api.seed.campaignId, ...fields },
    ...(headers && { headers }),
  })
  expect(response.statusCode).toBeLessThan(300)
  return ContactAdded.parse(response.json())
}

const missing = (name: string) => ({
  field: `variables.${name}`,
  code: 'missing_value',
  message: `The agent's greeting uses variables.${name}, but the contact has no value for it. Send a value, or give the greeting a fallback.`,
})

const greeting = 'Hi {{first_name}}, your {{appointment}} on {{day|the day we agreed}} about {{topic}}?'

describe('a request without a value that the greeting needs', () => {
  beforeEach(() => setAgent({ greeting, variables: ['appointment', 'day', 'notes'] }))

  it("causes a warning for each variable that the greeting uses without a fallback, but not for the agent's other variables", async () => {
    expect((await add({})).warnings).toEqual([missing('appointment')])
    expect((await add({ variables: { appointment: ' ' } })).warnings).toEqual([missing('appointment')])
    expect((await add({ variables: { appointment: 'inspection' } })).warnings).toEqual([])
  })

  it("causes a warning even if the greeting uses a name that isn't one of the agent's variables", async () => {
    await setAgent({ greeting: '{{day}}, {{nope}}, {{name}}', variables: ['day'] })
    expect((await add({})).warnings).toEqual([missing('day'), missing('nope')])
  })

  it('causes no warning if the value is already stored with the contact', async () => {
    const phone_number = freshNumber()
    await add({ phone_number, variables: { appointment: 'inspection' } })
    expect((await add({ phone_number, if_already_queued: 'queue' })).warnings).toEqual([])
  })

  it("causes a warning even if no call is queued, and again when it's repeated", async () => {
    const [phone_number, key] = [freshNumber(), { 'idempotency-key': freshNumber() }]
    expect((await add({ phone_number }, key)).warnings).toEqual([missing('appointment')])
    expect((await add({ phone_number }, key)).warnings).toEqual([missing('appointment')])
    const again = await add({ phone_number })
    expect(again).toMatchObject({ call_queued: false, warnings: [missing('appointment')] })
  })

  it("causes two warnings if the variable's name is written differently, and none if the request is also lenient", async () => {
    expect((await add({ variables: { Appointment: 'x' } })).warnings.map(({ code }) => code)).toEqual([
      'unknown_variable',
      'missing_value',
    ])
    expect((await add({ lenient: true, variables: { Appointment: 'x' } })).warnings).toEqual([])
  })

  it('causes no warning if the call is suppressed, or the agent lists no variables', async () => {
    const phone_number = freshNumber()
    await addToDoNotCallList(api.deps, api.seed.workspaceId, {
      phoneNumbers: [phone_number],
      source: 'api',
      addedBy: null,
      now: api.deps.clock.now(),
    })
    expect((await add({ phone_number })).warnings).toEqual([])
    await setAgent({ variables: [] })
    expect((await add({})).warnings).toEqual([])
  })
})
