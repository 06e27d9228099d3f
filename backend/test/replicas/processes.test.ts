import { afterEach, beforeAll, expect, it, jest } from '@jest/globals'
import { CallList } from '@outdial/contract'
import pg from 'pg'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { createSecretBox } from '../../platform/secrets/secret-box.ts'
import { type RunningProcess, runScript } from '../support/child-process.ts'
import { signIn } from '../support/dashboard.ts'
import { testDeps } from '../support/deps.ts'
import { getWidgetId, type Seed, seedUser, seedWorkspace } from '../support/factories.ts'
import { openSse, secret } from '../support/mcp.ts'
import { describeWithRedis, redisUrl } from '../support/replicas.ts'
import { waitFor } from '../support/wait.ts'
import { useTestDatabase } from '../support/world.ts'

// The processes in these tests are started like `npm start`, and share one database.
jest.setTimeout(60_000)
const secretKey = 'test-key-of-at-least-thirty-two-characters'
const database = useTestDatabase()
const running: RunningProcess[] = []
let seed: Seed
let key: string
beforeAll(async () => {
  seed = await seedWorkspace({ db: database.db, secretBox: createSecretBox([secretKey]) })
  key = (await createApiKey(testDeps(database.db), seed.workspaceId, seed.userId, 'Test')).key
})
afterEach(async () => {
  for (const { process, result } of running.splice(0)) {
    process.kill('SIGKILL')
    await result
  }
})

async function start(settings: Record<string, string>): Promise<{ url: string; process: RunningProcess }> {
  const process = runScript('start', [], {
    DATABASE_URL: database.url,
    SECRET_KEY: secretKey,
    RUNTIME_SECRET: secret,
    SIMULATION_SPEED: '10000',
    PORT: '0',
    ...settings,
  })
  running.push(process)
  const output = await process.waitForOutput(/Outdial is ready/)
  const [, url = ''] = /"url":"([^"]+)"/.exec(output) ?? []
  return { url, process }
}

const api = (url: string, path: string, body?: object, token = key) =>
  fetch(`${url}/api/public/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

it("two processes with the API warn within seconds that REDIS_URL is missing, and a process with only a worker doesn't", async () => {
  const [first, worker] = await Promise.all([start({ ROLE: 'api' }), start({ ROLE: 'worker' })])
  await waitFor(async () => {
    const { length } = await database.db.selectFrom('replica').selectAll().execute()
    return length === 2
  })
  const second = await start({ ROLE: 'all' })
  for (const { process } of [first, second]) {
    const output = await process.waitForOutput(/REDIS_URL is not set/)
    expect(output).toContain('counts rate limits and sign-in attempts separately')
  }
  // A process deletes its row when it stops, so the next process doesn't warn about it.
  for (const { process } of [first, second, worker]) process.process.kill('SIGINT')
  for (const { process } of [first, second]) expect((await process.result).code).toBe(0)
  expect((await worker.process.result).stdout).not.toContain('REDIS_URL')
  expect(await database.db.selectFrom('replica').selectAll().execute()).toEqual([])
})

it("a process notifies another process's workers of queued calls, even if REDIS_URL isn't set", async () => {
  const listener = new pg.Client({ connectionString: database.url })
  await listener.connect()
  try {
    const messages: string[] = []
    listener.on('notification', ({ payload = '' }) => messages.push(payload))
    await listener.query('listen outdial')
    const [first] = await Promise.all([start({ ROLE: 'all' }), start({ ROLE: 'worker' })])
    // Uses a separate workspace, because this test queues many calls.
    const another = await seedWorkspace({ db: database.db, secretBox: createSecretBox([secretKey]) })
    const anotherKey = (
      await createApiKey(testDeps(database.db), another.workspaceId, another.userId, 'Test')
    ).key
    let last = 0
    const queue = () => {
      last += 1
      const body = { phone_number: `+1202555${String(2_000 + last)}`, campaign_id: another.campaignId }
      return api(first.url, '/contacts/', body, anotherKey)
    }
    // The first process learns of the worker within seconds.
    await waitFor(async () => {
      expect((await queue()).status).toBe(201)
      return messages.some((message) => message.includes('"callQueued"'))
    })
  } finally {
    await listener.end()
  }
})

describeWithRedis('processes that share Redis', () => {
  it("accept messages for each other's tool sessions, and return 404 for sessions of a process that was killed", async () => {
    const settings = { ROLE: 'api', REDIS_URL: redisUrl }
    const [first, second] = await Promise.all([start(settings), start(settings)])
    const session = await openSse(first.url, { widget_id: await getWidgetId(database, seed.agentId) })
    const post = async () => {
      const { pathname, search } = new URL(session.endpoint)
      const response = await fetch(`${second.url}${pathname}${search}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      })
      return response.status
    }
    expect(await post()).toBe(202)
    expect(await session.next()).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    first.process.process.kill('SIGKILL')
    await first.process.result
    await waitFor(
      async () => (await post()) === 404,
      () => {},
      30_000,
    )
    second.process.process.kill('SIGINT')
    const { code, stdout } = await second.process.result
    expect(code).toBe(0)
    expect(stdout).not.toContain('REDIS_URL')
  })

  it('update the live pages that one process serves when another process makes a change', async () => {
    const redis = { REDIS_URL: redisUrl }
    const [first, second] = await Promise.all([
      start({ ROLE: 'api', ...redis }),
      start({ ROLE: 'api', ...redis }),
      start({ ROLE: 'worker', ...redis }),
    ])
    const { userId, email } = await seedUser({ db: database.db })
    await database.db
      .insertInto('membership')
      .values({ workspace_id: seed.workspaceId, user_id: userId, role: 'owner' })
      .execute()
    const { browser } = await signIn(first, email)
    const { page } = await browser.open(`${first.url}/w/${seed.workspaceId}/calls`)
    const [, refreshPath = ''] = /data-live\s+hx-get="([^"]+)"/.exec(page.html) ?? []
    // The user signed in at the first process. This request refreshes the page from the second one.
    const refresh = async () =>
      (await browser.open(`${second.url}${refreshPath.replaceAll('&amp;', '&')}`)).page.text
    const number = /202\D*555\D*0100/
    expect(await refresh()).not.toMatch(number)
    const queued = await api(first.url, '/contacts/', {
      phone_number: '+12025550100',
      campaign_id: seed.campaignId,
    })
    expect(queued.status).toBe(201)
    await waitFor(async () => number.test(await refresh()))
    await waitFor(async () => {
      const list = CallList.parse(await (await api(second.url, '/calls/')).json())
      return list.results[0]?.status === 'completed'
    })
  })
})
