import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { createClient } from '@redis/client'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { createSharedCounter } from '../../platform/replicas/shared-counter.ts'
import { csrfTokenOf } from '../support/csrf.ts'
import { createDatabaseProxy, type DatabaseProxy } from '../support/database-proxy.ts'
import { password, seedUser, seedWorkspace } from '../support/factories.ts'
import {
  createInstallation,
  describeWithRedis,
  type Installation,
  redisUrl,
  type Replica,
  startReplica,
} from '../support/replicas.ts'
import { createSender } from '../support/test-api.ts'
import { waitFor, waitUntil } from '../support/wait.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()

describeWithRedis('limits of two replicas', () => {
  let installation: Installation
  let proxy: DatabaseProxy
  let replicas: [Replica, Replica]
  let key: string
  beforeEach(async () => {
    installation = createInstallation(database.db)
    proxy = await createDatabaseProxy(redisUrl)
    // Waits long for Redis. With a short wait, the processes would count separately on a busy machine.
    await startReplicas({ quickMs: 10_000 })
    key = await newKey()
  })
  afterEach(async () => {
    await stopReplicas()
    await proxy.disconnect()
  })

  const startReplicas = async (options: { quickMs?: number } = {}) => {
    const environment = { RATE_LIMIT_PER_MINUTE: '5', RATE_LIMIT_PER_WORKSPACE: '7' }
    const start = () => startReplica(installation, { redisUrl: proxy.url, environment, ...options })
    replicas = [await start(), await start()]
  }
  const stopReplicas = () => Promise.all(replicas.map((replica) => replica.stop()))

  const newKey = async () => {
    const [{ deps }] = replicas
    const { workspaceId, userId } = await seedWorkspace(deps)
    return (await createApiKey(deps, workspaceId, userId, 'Test')).key
  }
  const replicaAt = (index: number): Replica => replicas[index % 2] ?? replicas[0]
  const get = async (index: number, apiKey = key) => {
    const { statusCode, headers } = await createSender(replicaAt(index).app, apiKey)({ path: '/agents/' })
    return { status: statusCode, quota: headers.ratelimit, retryAfter: headers['retry-after'] }
  }

  it("count each of a connection's requests once, no matter which replica gets it", async () => {
    const remaining = []
    for (let index = 0; index < 5; index += 1)
      remaining.push(/r=(\d+)/.exec(String((await get(index)).quota))?.[1])
    expect(remaining).toEqual(['4', '3', '2', '1', '0'])
    for (const index of [0, 1]) expect(await get(index)).toMatchObject({ status: 429, retryAfter: '60' })
    expect((await get(0, await newKey())).status).toBe(200)
  })

  it("count each of a workspace's requests once, but not those that exceeded a connection's limit", async () => {
    const [{ deps }] = replicas
    const { workspaceId, userId } = await seedWorkspace(deps)
    const create = async (name: string) => (await createApiKey(deps, workspaceId, userId, name)).key
    const [one, other] = [await create('One'), await create('Other')]
    const statuses = []
    for (const [index, apiKey] of [...Array<string>(6).fill(one), other, other, other].entries())
      statuses.push((await get(index, apiKey)).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 200, 200, 429])
  })

  it('count simultaneous requests exactly', async () => {
    const results = await Promise.all(Array.from({ length: 40 }, (_, index) => get(index)))
    expect(results.filter(({ status }) => status === 200)).toHaveLength(5)
  })

  // docs/guides/scale.md uses this number to compute how much memory Redis needs.
  it('take less than 200 bytes in Redis for each client', async () => {
    const [{ deps }] = replicas
    const counter = createSharedCounter(deps, { name: 'rate-limit', windowMs: 60_000 })
    await counter.add(`connection:${Number.MAX_SAFE_INTEGER}`)
    const redisKey = deps.replicas.toRedisKey(counter.name, `connection:${Number.MAX_SAFE_INTEGER}`)
    const redis = createClient({ url: redisUrl })
    await redis.connect()
    const bytes = await redis.memoryUsage(redisKey)
    await redis.close()
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThan(200)
  })

  it('count each sign-in attempt once, and start again at zero after a successful sign-in', async () => {
    const { email } = await seedUser(replicas[0].deps)
    const signIn = async (index: number, typedPassword: string) => {
      const { app } = replicaAt(index)
      const form = await app.inject({ url: '/sign-in' })
      const token = csrfTokenOf(form.body)
      const cookies = Object.fromEntries(form.cookies.map(({ name, value }) => [name, value]))
      const payload = new URLSearchParams({ email, password: typedPassword, _csrf: token }).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      return (await app.inject({ method: 'POST', url: '/sign-in', cookies, headers, payload })).statusCode
    }
    for (let index = 0; index < 9; index += 1) expect(await signIn(index, 'wrong')).not.toBe(429)
    expect(await signIn(0, password)).toBe(303)
    for (let index = 0; index < 10; index += 1) expect(await signIn(index, 'wrong')).not.toBe(429)
    for (const index of [0, 1]) expect(await signIn(index, password)).toBe(429)
  })

  it('are counted by each replica separately while Redis is unreachable or silent, and jointly again afterward', async () => {
    await stopReplicas()
    await startReplicas()
    expect((await get(0)).status).toBe(200)
    await proxy.disconnect()
    await waitUntil(() => replicas.every((replica) => replica.logOutput().includes('Redis is unavailable')))
    for (let index = 0; index < 4; index += 1) expect((await get(0)).status).toBe(200)
    expect([(await get(0)).status, (await get(1)).status]).toEqual([429, 200])
    await proxy.reconnect()
    const other = await newKey()
    await waitUntil(() =>
      replicas.every((replica) => replica.logOutput().split('connected to Redis').length === 3),
    )
    expect(await get(0, other)).toMatchObject({ quota: expect.stringContaining('r=4') as unknown })
    expect(await get(1, other)).toMatchObject({ quota: expect.stringContaining('r=3') as unknown })

    proxy.silence()
    for (const index of [0, 1, 0, 1]) expect((await get(index, other)).status).toBe(200)
    await waitFor(async () => {
      const shared = await newKey()
      const quotas = [(await get(0, shared)).quota, (await get(1, shared)).quota]
      return /r=4.*r=3/.test(quotas.join())
    })
  })

  it('store no API keys or addresses in Redis, and store only values that expire', async () => {
    const client = createClient({ url: redisUrl })
    await client.connect()
    const listNames = async () => new Set(await client.keys('outdial:*'))
    const before = await listNames()
    await get(0)
    await createSender(replicas[0].app, 'odk_unknown')({ path: '/agents/' })
    const added = [...(await listNames())].filter((name) => !before.has(name))
    const kinds = added.map((name) => name.split(':')[2])
    for (const kind of ['connection_requests', 'workspace_requests', 'unknown_credentials'])
      expect(kinds).toContain(kind)
    for (const name of added) {
      expect(name).toMatch(/^outdial:[\w-]{12}:\w+:[\w-]{22}$/)
      expect(await client.pTTL(name)).toBeGreaterThan(0)
    }
    client.destroy()
  })
})
