import { expect, it } from '@jest/globals'
import pino from 'pino'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { createApp } from '../../app.ts'
import { parseConfig } from '../../config.ts'
import { seedWorkspace } from '../support/factories.ts'
import { createSender, useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()

const newKey = () => createApiKey(api.deps, api.seed.workspaceId, api.seed.userId, 'Another')

it('reports the remaining quota, and when to retry once it is used up', async () => {
  const config = { ...parseConfig({ SECRET_KEY: 'x'.repeat(32) }), rateLimitPerMinute: 3 }
  const app = await createApp({ ...api.deps, config })
  const send = createSender(app, api.key)
  const remainingQuota = async () => (await send({ path: '/agents/' })).headers.ratelimit

  expect((await send({ path: '/agents/' })).headers['ratelimit-policy']).toBe('"default";q=3;w=60')
  api.deps.clock.advance(17_500)
  expect(await remainingQuota()).toBe('"default";r=1;t=43')
  expect((await send({ method: 'POST', path: '/contacts/', raw: '{' })).headers.ratelimit).toBe(
    '"default";r=0;t=43',
  )
  const rejected = await send({ method: 'POST', path: '/contacts/', raw: '{' })
  expect([rejected.statusCode, rejected.json()]).toMatchObject([
    429,
    { error: { type: 'rate_limited', code: 'rate_limited' } },
  ])
  expect(rejected.headers['retry-after']).toBe('43')

  const { key: other } = await newKey()
  expect((await send({ path: '/agents/', key: other })).statusCode).toBe(200)
  api.deps.clock.advance(42_500)
  expect(await remainingQuota()).toBe('"default";r=2;t=60')
  await app.close()
})

it("counts the requests of all connections to a workspace toward one limit, which doesn't affect other workspaces", async () => {
  const config = parseConfig({
    SECRET_KEY: 'x'.repeat(32),
    RATE_LIMIT_PER_MINUTE: '3',
    RATE_LIMIT_PER_WORKSPACE: '4',
  })
  const app = await createApp({ ...api.deps, config })
  const send = createSender(app, api.key)
  const { key: other } = await newKey()
  const statuses = []
  // The fourth request is over its connection's limit, so it doesn't count toward the workspace's limit.
  for (const key of [api.key, api.key, api.key, api.key, other, other]) {
    statuses.push((await send({ path: '/agents/', key })).statusCode)
  }
  expect(statuses).toEqual([200, 200, 200, 429, 200, 429])
  const elsewhere = await seedWorkspace(api.deps, 'Elsewhere')
  const { key } = await createApiKey(api.deps, elsewhere.workspaceId, elsewhere.userId, 'Another')
  expect((await send({ path: '/agents/', key })).statusCode).toBe(200)
  await app.close()
})

it('allows five times as many requests per workspace as per connection by default', () => {
  expect(parseConfig({ RATE_LIMIT_PER_MINUTE: '100' }).rateLimitPerWorkspace).toBe(500)
})

it('limits requests with invalid credentials per address, but still accepts valid credentials from that address', async () => {
  const app = await createApp(api.deps)
  const send = createSender(app, api.key)
  const guess = async () => (await send({ path: '/agents/', key: 'odk_guess' })).statusCode
  const statuses = []
  for (let attempt = 0; attempt < 301; attempt += 1) statuses.push(await guess())
  expect(statuses.slice(-2)).toEqual([401, 429])
  expect((await send({ path: '/agents/' })).statusCode).toBe(200)
  api.deps.clock.advance(60_000)
  expect(await guess()).toBe(401)
  await app.close()
})

it('warns once about X-Forwarded-For from a proxy that is not trusted', async () => {
  const countWarnings = async (trustedProxies: string) => {
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    const config = parseConfig({ SECRET_KEY: 'x'.repeat(32), TRUSTED_PROXIES: trustedProxies })
    const app = await createApp({ ...api.deps, config, log })
    for (const address of ['192.0.2.1', '192.0.2.2']) {
      await app.inject({ url: '/sign-in', headers: { 'x-forwarded-for': address } })
    }
    await app.close()
    return lines.filter((line) => line.includes('TRUSTED_PROXIES')).length
  }
  expect(await countWarnings('192.0.2.9')).toBe(1)
  expect(await countWarnings('loopback')).toBe(0)
})

it("ignores the port of a client's address, and counts everything that isn't an address as one client", async () => {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const config = parseConfig({ SECRET_KEY: 'x'.repeat(32), TRUSTED_PROXIES: 'loopback,10.0.0.7' })
  const app = await createApp({ ...api.deps, config, log })
  const send = createSender(app, api.key)
  const guess = async (address: string) => {
    const headers = { 'x-forwarded-for': address }
    return (await send({ path: '/agents/', key: 'odk_guess', headers })).statusCode
  }
  /** Makes 301 requests with invalid keys, and returns the statuses of the first and the last. */
  const guessFrom = async (toAddress: (index: number) => string) => {
    const statuses = []
    for (let index = 0; index <= 300; index += 1) statuses.push(await guess(toAddress(index)))
    return [statuses[0], statuses[300]]
  }
  expect(await guessFrom((index) => `198.51.100.8:${20_000 + index}`)).toEqual([401, 429])
  expect(await guess('198.51.100.8')).toBe(429)
  expect(await guess('203.0.113.1, 198.51.100.8:1, 10.0.0.7:443')).toBe(429)
  expect(await guessFrom((index) => `[2001:db8::${index.toString(16)}]:${20_000 + index}`)).toEqual([
    401, 429,
  ])
  expect(await guess('2001:db8::ffff')).toBe(429)
  expect(lines.filter((line) => line.includes('without an IP address'))).toEqual([])
  expect(await guessFrom((index) => `_hidden${index}`)).toEqual([401, 429])
  expect(lines.filter((line) => line.includes('without an IP address'))).toHaveLength(1)
  await app.close()
})

it('uses forwarded client addresses from trusted proxies only', async () => {
  const guessesUntilLimited = async (trustedProxies: string, from: string[]) => {
    const config = parseConfig({ SECRET_KEY: 'x'.repeat(32), TRUSTED_PROXIES: trustedProxies })
    const app = await createApp({ ...api.deps, config })
    const send = createSender(app, api.key)
    const guess = async (address: string) => {
      const headers = { 'x-forwarded-for': address }
      return (await send({ path: '/agents/', key: 'odk_guess', headers })).statusCode
    }
    const [first = '', second = ''] = from
    for (let attempt = 0; attempt < 300; attempt += 1) await guess(first)
    const statuses = [await guess(first), await guess(second)]
    await app.close()
    return statuses
  }
  expect(await guessesUntilLimited('loopback', ['192.0.2.1', '192.0.2.2'])).toEqual([429, 401])
  expect(await guessesUntilLimited('192.0.2.9', ['192.0.2.1', '192.0.2.2'])).toEqual([429, 429])
})
