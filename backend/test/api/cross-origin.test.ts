import { describe, expect, it } from '@jest/globals'
import { apiPrefix, useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()
const origin = 'https://app.example'

const preflight = (url: string) =>
  api.app.inject({
    method: 'OPTIONS',
    url,
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  })

describe('a browser app from another origin', () => {
  it.each(['/agents/', '/contacts/', '/calls/7/', '/webhooks/7'])('may call %s', async (path) => {
    const { statusCode, headers } = await preflight(`${apiPrefix}${path}`)
    expect(statusCode).toBe(204)
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers['access-control-allow-credentials']).toBeUndefined()
    expect(headers['access-control-allow-methods']).toBe('GET, POST, DELETE')
    expect(headers['access-control-allow-headers']).toMatch(/^Authorization, Content-Type, Idempotency-Key\b/)
  })

  it('can read the OpenAPI document, responses, errors, and their headers', async () => {
    const responses = await Promise.all([
      api.send({ path: '/openapi.json', headers: { origin } }),
      api.send({ path: '/agents/', headers: { origin } }),
      api.send({ path: '/agents/', headers: { origin }, key: null }),
      api.send({ path: '/nothing', headers: { origin } }),
    ])
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200, 401, 404])
    for (const { headers } of responses) {
      expect(headers['access-control-allow-origin']).toBe('*')
      for (const name of [
        'RateLimit',
        'Retry-After',
        'X-Request-Id',
        'WWW-Authenticate',
        'Idempotent-Replayed',
      ])
        expect(String(headers['access-control-expose-headers']).split(', ')).toContain(name)
    }
  })

  it.each([
    '/',
    '/sign-in',
    '/sign-up',
    '/connect/x',
    '/oauth/authorize',
    '/w/1/agents',
    '/docs',
    '/metrics',
    '/readyz',
    '/api/mcp/',
    '/api/internal/attempts/x/reports',
    `/x${apiPrefix}/agents/`,
  ])("can't read %s", async (url) => {
    const responses = [await preflight(url), await api.app.inject({ url, headers: { origin } })]
    for (const { headers } of responses) expect(headers['access-control-allow-origin']).toBeUndefined()
  })
})
