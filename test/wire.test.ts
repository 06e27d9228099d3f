// cspell:ignore Zażółć gęślą jaźń
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { exampleContactAdded } from '@outdial/contract'
import nock from 'nock'
import { version } from '../src/generated.ts'
import { baseUrl, run } from './support/connector.ts'

// This server receives the bytes that the connector sends. Other tests see requests before they're converted to bytes.
const received: { url: string; headers: IncomingHttpHeaders; body: Buffer }[] = []
const server = createServer((request, response) => {
  void buffer(request).then((body) => {
    received.push({ url: request.url ?? '', headers: request.headers, body })
    response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify(exampleContactAdded))
  })
})

beforeAll(async () => {
  nock.restore()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.env.BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(() => {
  process.env.BASE_URL = baseUrl
  server.close()
})

it('sends text of any language as UTF-8, with its length in bytes', async () => {
  const first_name = 'Zażółć gęślą jaźń 你好 😀 👩‍👩‍👧 \u202eright to left “quotes” — dash \\ "'

  await run('creates.queue_call.operation.perform', {
    inputData: { campaign_id: 12, phone_number: '+12025550100', first_name, deduplication_key: 'form — 7 ✓' },
  })

  const [request] = received
  const expected = JSON.stringify({
    ...{ campaign_id: 12, phone_number: '+12025550100', first_name },
    lenient: true,
  })
  expect(request?.url).toBe('/api/public/v1/contacts/')
  expect(request?.body.toString('utf8')).toBe(expected)
  expect(request?.headers).toMatchObject({
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(expected)),
    'idempotency-key': expect.stringMatching(/^zap-[0-9a-f]{64}$/),
    authorization: 'Bearer token-1',
    'x-outdial-client': `zapier/${version}`,
  })
})
