import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals'
import { type Call, CallList } from '@outdial/contract'
import { createApiKey } from '../../../accounts/identity/api-keys.ts'
import { signWebhook, toSigningKey } from '../../../platform/outbound/sign-webhook.ts'
import { createSecretBox } from '../../../platform/secrets/secret-box.ts'
import { newWebhookSecret } from '../../../platform/secrets/tokens.ts'
import { toolKinds } from '../../../tools/kind-registry.ts'
import { type RunningProcess, runScript } from '../../support/child-process.ts'
import { testDeps } from '../../support/deps.ts'
import { type ExampleRuntime, startExampleRuntime } from '../../support/example-runtime.ts'
import { type Seed, seedWorkspace } from '../../support/factories.ts'
import { waitFor } from '../../support/wait.ts'
import { useTestDatabase } from '../../support/world.ts'

// Outdial and the runtime are separate processes that communicate only over HTTP.
jest.setTimeout(90_000)
const secretKey = 'test-key-of-at-least-thirty-two-characters'
const secret = 'runtime-secret-of-at-least-thirty-two-characters'
const signingKey = newWebhookSecret()
const timeoutMs = 60_000

const database = useTestDatabase()
let seed: Seed
let key: string
let runtime: ExampleRuntime
const services: RunningProcess[] = []
beforeAll(async () => {
  seed = await seedWorkspace({ db: database.db, secretBox: createSecretBox([secretKey]) })
  const { workspaceId, userId } = seed
  ;({ key } = await createApiKey(testDeps(database.db), workspaceId, userId, 'Test'))
  await assignTool('contact_note')
  runtime = await startExampleRuntime(signingKey)
})
afterEach(async () => {
  for (const { process, result } of services.splice(0)) {
    process.kill('SIGKILL')
    await result
  }
})
afterAll(async () => {
  await runtime.stop()
})

async function assignTool(kind: 'contact_note'): Promise<void> {
  const builtIn = toolKinds.get(kind)?.builtIn
  if (builtIn === undefined) throw new Error(`${kind} is not a built-in tool`)
  const tool = await database.db
    .insertInto('mcp_tool')
    .values({
      workspace_id: seed.workspaceId,
      kind,
      name: builtIn.name,
      description: builtIn.description,
      input_schema: JSON.stringify(builtIn.inputSchema),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await database.db
    .insertInto('widget_tool')
    .values({ workspace_id: seed.workspaceId, agent_id: seed.agentId, tool_id: tool.id })
    .execute()
}

/** Starts the service as `npm start` does. Returns its URL and process. */
async function start(port = '0'): Promise<{ url: string; service: RunningProcess }> {
  const service = runScript('start', [], {
    DATABASE_URL: database.url,
    SECRET_KEY: secretKey,
    RUNTIME_SECRET: secret,
    RUNTIME_SIGNING_KEY: signingKey,
    RUNTIME_URL: runtime.url,
    TELEPHONY: 'http',
    PORT: port,
    RATE_LIMIT_PER_MINUTE: '100000',
  })
  services.push(service)
  const output = await service.waitForOutput(/Outdial is ready/)
  const [, url = ''] = /"url":"([^"]+)"/.exec(output) ?? []
  return { url, service }
}

const api = async (url: string, path: string, body?: object): Promise<unknown> => {
  const response = await fetch(`${url}/api/public/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path} returned status ${response.status}`)
  return response.json()
}
const queue = (url: string, phone_number: string) =>
  api(url, '/contacts/', { phone_number, first_name: 'Maya', campaign_id: seed.campaignId })
/** Waits until the last call is completed and has its analysis, and returns the call. */
const waitUntilCompleted = (url: string): Promise<Call> =>
  waitFor(
    async () => {
      const [call] = CallList.parse(await api(url, '/calls/')).results
      return call?.status === 'completed' && call.summary !== null && call
    },
    () => {},
    timeoutMs,
  )

it("the example runtime accepts a request only if one of its signatures is made with the runtime's key", async () => {
  const path = `/calls/${crypto.randomUUID()}`
  const request = async (keys: string[]) => {
    const message = { id: 'a', at: new Date(), body: `GET ${path}`, keys: keys.map(toSigningKey) }
    return (await fetch(`${runtime.url}${path}`, { headers: signWebhook(message) })).status
  }
  expect(await request([newWebhookSecret(), signingKey])).toBe(404)
  expect(await request([newWebhookSecret()])).toBe(401)
  expect((await fetch(`${runtime.url}${path}`)).status).toBe(401)
})

it("makes a call with the example runtime, which uses Outdial's tools", async () => {
  const { url } = await start()
  await queue(url, '+12025550123')
  expect(await waitUntilCompleted(url)).toMatchObject({
    outcome: 'answered',
    summary: 'Wants to hear more.',
    attempts: 1,
    transcript: expect.arrayContaining([
      expect.objectContaining({ role: 'tool', text: 'Used contact_note' }),
    ]),
  })
  const notes = await database.db.selectFrom('contact_note').select('text').execute()
  expect(notes).toEqual([{ text: 'Asked about the price. Send a quote.' }])
  expect(runtime.callLog).toHaveLength(1)
})

it('after the service is killed and started again, continues the call without dialing again', async () => {
  const first = await start()
  const took = runtime.callLog.length
  await queue(first.url, '+12025550124')
  await waitFor(
    async () => runtime.callLog.length === took + 1,
    () => {},
    timeoutMs,
  )
  first.service.process.kill('SIGKILL')
  await first.service.result
  await database.db
    .updateTable('call_attempt')
    .set({ lease_until: new Date(0) })
    .where('ended_at', 'is', null)
    .execute()
  const second = await start(new URL(first.url).port)
  expect(await waitUntilCompleted(second.url)).toMatchObject({ outcome: 'answered', attempts: 1 })
  expect(runtime.callLog).toHaveLength(took + 1)
})
