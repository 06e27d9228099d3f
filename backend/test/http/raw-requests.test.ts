import { expect, it } from '@jest/globals'
import { ErrorResponse } from '@outdial/contract'
import { listenWithLimits, openConnection } from '../support/raw-connection.ts'
import { useApiWorld } from '../support/test-api.ts'

const api = useApiWorld()

it.each([
  [
    'with several Host headers',
    400,
    'GET /api/public/v1/agents/ HTTP/1.1\r\nHost: 127.0.0.1\r\nhost: example.com\r\nX-Request-Id: mine\r\n\r\n',
    /Host/,
  ],
  ['without Host', 400, 'GET /api/public/v1/agents/ HTTP/1.1\r\nX-Request-Id: mine\r\n\r\n', /Host/],
  [
    'with an unknown expectation',
    417,
    'POST /api/public/v1/contacts/ HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: x\r\nX-Request-Id: mine\r\nContent-Length: 2\r\n\r\n{}',
    /Expect/,
  ],
])("returns an error in the API's format for a request %s", async (_, status, request, message) => {
  const { port } = await listenWithLimits(api.deps)
  const connection = await openConnection(port)
  connection.write(request)
  const [head = '', body = ''] = (await connection.closed).split('\r\n\r\n')
  expect(head).toContain(`HTTP/1.1 ${status} `)
  expect(head).toMatch(/^x-request-id: mine$/im)
  const { error } = ErrorResponse.parse(JSON.parse(body))
  expect([error.request_id, error.code]).toEqual(['mine', 'malformed_json'])
  expect(error.message).toMatch(message)
})

it('accepts an HTTP/1.0 request without a Host header', async () => {
  const { port } = await listenWithLimits(api.deps)
  const connection = await openConnection(port)
  connection.write('GET /healthz HTTP/1.0\r\n\r\n')
  expect(await connection.closed).toMatch(/^HTTP\/1\.1 200 /)
})
