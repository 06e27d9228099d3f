import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { type AddContact, type Call, type CallCompletedEvent, ContactAdded } from '@outdial/contract'
import { createApiKey } from '../../../accounts/identity/api-keys.ts'
import type { ToolKindName } from '../../../platform/db/schema.ts'
import { createSecretBox } from '../../../platform/secrets/secret-box.ts'
import { type Service, startService } from '../../../start.ts'
import { toolKinds } from '../../../tools/kind-registry.ts'
import { listAttempts, listEvents } from '../../support/calls.ts'
import { type TestDeps, testDeps } from '../../support/deps.ts'
import { type Seed, seedAgent, seedCampaign, seedWorkspace } from '../../support/factories.ts'
import { waitFor } from '../../support/wait.ts'
import { useTestDatabase } from '../../support/world.ts'

// Runs the whole service in this process with the real clock. The agent uses its tools over HTTP, as in production.
const secretKey = 'test-key-of-at-least-thirty-two-characters'
let deps: TestDeps
let seed: Seed
let key: string
let service: Service
// This hook must run before the database's hook. Jest runs these hooks in registration order.
afterAll(async () => {
  await service.stop()
})
const database = useTestDatabase()
beforeAll(async () => {
  deps = testDeps(database.db, { secretBox: createSecretBox([secretKey]) })
  seed = await seedWorkspace(deps)
  key = (await createApiKey(deps, seed.workspaceId, seed.userId, 'Test')).key
  service = await start('200')
})

const start = (simulationSpeed: string): Promise<Service> =>
  startService({
    DATABASE_URL: database.url,
    SECRET_KEY: secretKey,
    RUNTIME_SECRET: 'runtime-secret-of-at-least-thirty-two-characters',
    PORT: '0',
    SIMULATION_SPEED: simulationSpeed,
    LOG_LEVEL: 'silent',
  })

/** Creates a campaign whose agent has these tools. */
const campaignWith = async (...kinds: ToolKindName[]): Promise<number> => {
  const agentId = await seedAgent(deps, seed.workspaceId, { name: `Agent with ${kinds.join(', ')}` })
  for (const kind of kinds) {
    const tool = await findOrCreateTool(kind)
    await deps.db
      .insertInto('widget_tool')
      .values({ workspace_id: seed.workspaceId, agent_id: agentId, tool_id: tool.id })
      .execute()
  }
  return seedCampaign(deps, { ...seed, agentId })
}

async function findOrCreateTool(kind: ToolKindName): Promise<{ id: number }> {
  const builtIn = toolKinds.get(kind)?.builtIn
  if (builtIn === undefined) throw new Error(`${kind} is not a built-in tool`)
  const { name, description, inputSchema } = builtIn
  return deps.db
    .insertInto('mcp_tool')
    .values({
      workspace_id: seed.workspaceId,
      kind,
      name,
      description,
      input_schema: JSON.stringify(inputSchema),
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'name']).doUpdateSet({ kind }))
    .returning('id')
    .executeTakeFirstOrThrow()
}

/** Queues a call over the API. */
const queue = async (body: Partial<AddContact>): Promise<number> => {
  const response = await fetch(`${service.config.publicUrl}/api/public/v1/contacts/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ first_name: 'Maya', ...body }),
  })
  return ContactAdded.parse(await response.json()).call.id
}
/** Queues a call over the API, and returns the call from its event. */
const call = async (body: Partial<AddContact>): Promise<CallCompletedEvent['data']> => {
  const id = await queue(body)
  return (await waitFor(async () => (await listEvents(deps, id))[0])).data
}
const listToolCalls = ({ id }: Pick<Call, 'id'>) =>
  deps.db
    .selectFrom('tool_call')
    .select(['tool_name', 'is_error', 'dry_run'])
    .where('call_id', '=', id)
    .orderBy('id')
    .execute()
const listDoNotCallSources = () => deps.db.selectFrom('do_not_call').select('source').execute()
const listNotes = (contactId: number) =>
  deps.db.selectFrom('contact_note').select(['text', 'call_id']).where('contact_id', '=', contactId).execute()

it('uses a tool to save a note during a call, and adds the tool call to the transcript and to the records of tool calls', async () => {
  const campaign_id = await campaignWith('contact_note')
  const completedCall = await call({
    campaign_id,
    phone_number: '+12025550100',
    variables: { product: 'a roof' },
  })
  const text = 'Interested in a roof. Wants an appointment on Thursday morning.'
  expect(completedCall.transcript.filter(({ role }) => role === 'tool')).toMatchObject([
    { text: 'Saved a note' },
  ])
  expect(await listToolCalls(completedCall)).toEqual([
    { tool_name: 'contact_note', is_error: false, dry_run: false },
  ])
  expect(await listNotes(completedCall.contact.id)).toEqual([{ text, call_id: completedCall.id }])
})

it('on a test call, a tool changes nothing, and the transcript says so', async () => {
  const campaign_id = await campaignWith('contact_note', 'do_not_call')
  const completedCall = await call({ campaign_id, phone_number: '+12025560106', test: true })
  expect(completedCall.transcript.map(({ text }) => text).join()).toContain(
    'Added the number to the do-not-call list (test call, nothing changed)',
  )
  expect(await listToolCalls(completedCall)).toEqual([
    { tool_name: 'do_not_call', is_error: false, dry_run: true },
  ])
  expect(await listDoNotCallSources()).toEqual([])
})

it('if a contact opts out, adds the number to the do-not-call list once, whether or not the agent has the do_not_call tool', async () => {
  const withTool = await call({
    campaign_id: await campaignWith('do_not_call'),
    phone_number: '+12025550106',
  })
  expect(await listToolCalls(withTool)).toEqual([
    { tool_name: 'do_not_call', is_error: false, dry_run: false },
  ])
  expect(withTool).toMatchObject({ outcome: 'answered', contact: { do_not_call: true } })
  expect(await listDoNotCallSources()).toEqual([{ source: 'call' }])

  const without = await call({ campaign_id: await campaignWith(), phone_number: '+12025560106' })
  expect(await listToolCalls(without)).toEqual([])
  expect(without).toMatchObject({ outcome: 'answered', contact: { do_not_call: true } })
  expect(await listDoNotCallSources()).toEqual([{ source: 'call' }, { source: 'call' }])
})

it('when the service stops, finishes the call in progress and still uses tools in it', async () => {
  await service.stop()
  service = await start('50') // a conversation takes a second
  const id = await queue({
    campaign_id: await campaignWith('contact_note'),
    phone_number: '+12025560100',
    variables: { product: 'a roof' },
  })
  await waitFor(async () => (await listAttempts(deps, id)).some(({ answered_at }) => answered_at !== null))
  await service.stop()
  expect(await listToolCalls({ id })).toEqual([
    { tool_name: 'contact_note', is_error: false, dry_run: false },
  ])
  expect((await listAttempts(deps, id))[0]).toMatchObject({ ended_reason: 'agent_hung_up' })
  service = await start('200')
})
