import { describe, expect, it } from '@jest/globals'
import { createApp } from '../../app.ts'
import { parseConfig } from '../../config.ts'
import { testDeps } from '../support/deps.ts'
import { useTestDatabase } from '../support/world.ts'

const database = useTestDatabase()

/** Returns a function that requests a path with a Host header, and resolves with the status. */
async function serve(environment: Record<string, string>) {
  const config = parseConfig({ SECRET_KEY: 'test-key-of-at-least-thirty-two-characters', ...environment })
  const app = await createApp(testDeps(database.db, { config }))
  return {
    get: async (url: string, host: string, { headers = {}, remoteAddress = '127.0.0.1' } = {}) =>
      (await app.inject({ url, headers: { host, ...headers }, remoteAddress })).statusCode,
    close: () => app.close(),
  }
}

describe('an installation that only this machine can reach', () => {
  it('rejects requests for an unknown host name, except health checks and API requests with a credential', async () => {
    const { get, close } = await serve({ ALLOWED_HOSTS: 'outdial.test' })
    for (const url of [
      '/sign-up',
      '/sign-in',
      '/metrics',
      '/docs',
      '/connect/x',
      '/w/1/overview',
      '/nothing',
    ]) {
      expect([url, await get(url, 'evil.test')]).toEqual([url, 400])
      expect([url, await get(url, 'localhost.evil.test:8787')]).toEqual([url, 400])
      expect(await get(url, 'localhost:8787')).not.toBe(400)
    }
    for (const host of ['127.0.0.1:8787', '[::1]:8787', '192.168.1.7', 'OUTDIAL.test:80'])
      expect([host, await get('/sign-up', host)]).toEqual([host, 200])
    for (const url of ['/healthz', '/readyz']) expect(await get(url, 'evil.test')).toBe(200)
    // The Host header doesn't matter for a request with a credential: a web page can't send one, but another container can.
    const headers = { authorization: 'Bearer odk_unknown' }
    expect(await get('/api/public/v1/agents/', 'outdial:8787', { headers })).toBe(401)
    await close()
  })

  it.each(['Bearer odk_unknown', 'Basic eDp4', 'x'])(
    'rejects page requests for an unknown host name even if they have the header Authorization: %s',
    async (authorization) => {
      const { get, close } = await serve({})
      const headers = { authorization }
      for (const url of [
        '/sign-up',
        '/sign-in',
        '/metrics',
        '/docs',
        '/oauth/authorize',
        '/api/public/v1/openapi.json',
      ])
        expect([url, await get(url, 'evil.test', { headers })]).toEqual([url, 400])
      await close()
    },
  )

  it('accepts any host name for /metrics if the request has the metrics token', async () => {
    const token = 'a-metrics-token-of-more-than-32-characters'
    const { get, close } = await serve({ METRICS_TOKEN: token })
    const headers = { authorization: `Bearer ${token}` }
    expect(await get('/metrics', 'outdial:8787', { headers })).toBe(200)
    expect(await get('/metrics', 'evil.test')).toBe(404)
    await close()
  })

  it('rejects requests for an unknown host name even if this machine is a trusted proxy', async () => {
    const { get, close } = await serve({ TRUSTED_PROXIES: 'loopback' })
    expect(await get('/sign-up', 'evil.test')).toBe(400)
    expect(await get('/sign-up', 'evil.test', { headers: { 'x-forwarded-for': '198.51.100.7' } })).toBe(400)
    expect(await get('/sign-up', 'localhost:8787')).toBe(200)
    await close()
  })
})

describe('an installation that others can reach', () => {
  it("rejects an unknown host name only for sign-up, and only if the request isn't from a trusted proxy", async () => {
    const { get, close } = await serve({
      ...{ PUBLIC_URL: 'https://calls.example.com', TRUSTED_PROXIES: '10.0.0.7' },
      METRICS_TOKEN: 'a-metrics-token-of-more-than-32-characters',
    })
    expect(await get('/sign-up', 'evil.test')).toBe(400)
    expect(await get('/sign-up', 'calls.example.com')).toBe(200)
    expect(await get('/sign-up', 'evil.test', { headers: { authorization: 'x' } })).toBe(400)
    expect(await get('/sign-up', '10.0.0.1:8787')).toBe(200)
    expect(await get('/sign-up', 'upstream', { remoteAddress: '10.0.0.7' })).toBe(200)
    expect(await get('/sign-in', 'outdial.internal')).toBe(200)
    expect(await get('/readyz', 'outdial.internal')).toBe(200)
    const headers = { authorization: 'Bearer a-metrics-token-of-more-than-32-characters' }
    expect(await get('/metrics', 'api-1:8787', { headers })).toBe(200)
    await close()
  })
})
