import { expect, it } from '@jest/globals'
import { parseError, useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()

it.each(['/nothing', '/agents/5/', '/calls/1/2', '/calls/999999', '/calls/0', '/calls/-1', '/calls/1.5'])(
  'returns 404 for %s',
  async (path) => {
    const response = await api.send({ path })
    expect(parseError(response)).toMatchObject({ status: 404, type: 'not_found', code: 'not_found' })
  },
)

it.each(['/nothing', '/docs/static/nothing.js', '/api/nothing', '/assets/nothing.css'])(
  'returns the same error format outside the API: %s',
  async (url) => {
    expect(parseError(await api.app.inject(url))).toMatchObject({ status: 404, code: 'not_found' })
  },
)

it.each(['text', '0x10', '007', '1e3', '9007199254740993', '9'.repeat(400), '%20', '%00', '%FF'])(
  'returns 404 for the ID %s',
  async (id) => {
    expect(parseError(await api.send({ path: `/calls/${id}/` }))).toMatchObject({
      status: 404,
      code: 'not_found',
    })
    expect(parseError(await api.send({ method: 'DELETE', path: `/webhooks/${id}` }))).toMatchObject({
      status: 404,
    })
  },
)

it.each([
  ['PUT', '/campaigns/', 'GET, HEAD, OPTIONS, POST'],
  ['DELETE', '/agents', 'GET, HEAD, OPTIONS'],
  ['GET', '/contacts/', 'OPTIONS, POST'],
  ['POST', '/webhooks/7', 'DELETE, OPTIONS'],
  ['PATCH', '/calls/7/', 'GET, HEAD, OPTIONS'],
  ['POST', '/openapi.json', 'GET, HEAD, OPTIONS'],
] as const)('rejects %s %s with 405, and lists the allowed methods', async (method, path, allow) => {
  const response = await api.send({ method, path, raw: '{' })
  expect(parseError(response)).toMatchObject({
    status: 405,
    type: 'invalid_request',
    code: 'method_not_allowed',
  })
  expect(response.headers.allow).toBe(allow)
})

it.each([
  ['GET', '/oauth/token', 'OPTIONS, POST'],
  ['DELETE', '/oauth/revoke/', 'OPTIONS, POST'],
  ['POST', '/.well-known/oauth-authorization-server', 'GET, OPTIONS'],
  ['PATCH', '/healthz', 'GET, HEAD, OPTIONS'],
] as const)(
  'rejects %s %s, outside the API, with 405, and lists the allowed methods',
  async (method, url, allow) => {
    const response = await api.app.inject({ method, url })
    expect(parseError(response)).toMatchObject({
      status: 405,
      type: 'invalid_request',
      code: 'method_not_allowed',
    })
    expect(response.headers.allow).toBe(allow)
  },
)

it('responds to OPTIONS with the allowed methods, and to HEAD without a body', async () => {
  const options = await api.send({ method: 'OPTIONS', path: '/campaigns', key: null })
  expect([options.statusCode, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS, POST'])
  const head = await api.send({ method: 'HEAD', path: '/campaigns' })
  expect([head.statusCode, head.body]).toEqual([200, ''])
})
