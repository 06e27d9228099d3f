import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { createGuardedFetch, type GuardedFetch } from '../../platform/outbound/guarded-fetch.ts'
import { useHttpReceiver } from '../support/http-receiver.ts'
import { blockedAddresses, loopbackSpellings } from '../support/network-addresses.ts'

const limits = { bytes: 1000, values: 10, events: 5 }

let local: GuardedFetch
let online: GuardedFetch
beforeEach(() => {
  local = createGuardedFetch({ allowLoopback: true, limits })
  online = createGuardedFetch({ allowLoopback: false, limits })
})
// This hook must run before the receiver's hooks. Jest runs these hooks in registration order.
afterEach(() => Promise.all([local.close(), online.close()]))
const receiver = useHttpReceiver()

const forbidden = { cause: { name: 'ForbiddenAddressError' } }

it('sends a request to a permitted address and returns the response', async () => {
  receiver.respond = (_request, response) => response.writeHead(201, { 'x-answer': 'yes' }).end('welcome')
  const response = await local.fetch(receiver.url('/a?b=c'), {
    method: 'POST',
    headers: { 'x-test': 'yes' },
    body: 'hello',
  })
  expect([response.status, response.headers.get('x-answer'), await response.text()]).toEqual([
    201,
    'yes',
    'welcome',
  ])
  expect(receiver.requests).toMatchObject([{ path: '/a?b=c', body: 'hello', headers: { 'x-test': 'yes' } }])
})

it.each(loopbackSpellings)("doesn't connect to a loopback address that's written as %s", async (host) => {
  await expect(online.fetch(receiver.url('/', host))).rejects.toMatchObject(forbidden)
  expect(receiver.requests).toEqual([])
})

it.each(blockedAddresses)('rejects %s even if loopback is permitted', async (host) => {
  await expect(local.fetch(`http://${host}:4321/`)).rejects.toMatchObject(forbidden)
})

it('rejects a hostname that resolves to a private address', async () => {
  const resolve = async () => ['169.254.169.254']
  const named = createGuardedFetch({ allowLoopback: true, limits, resolve })
  await expect(named.fetch(receiver.url('/', 'mcp.example.test'))).rejects.toMatchObject(forbidden)
  await named.close()
})

it("doesn't follow a redirect", async () => {
  receiver.respondWith(307, { location: 'http://169.254.169.254/' })
  const response = await local.fetch(receiver.url())
  expect([response.status, response.headers.get('location')]).toEqual([307, 'http://169.254.169.254/'])
})

it("throws an error if a response's body is longer than the limit", async () => {
  receiver.respond = (_request, response) => response.end('x'.repeat(1001))
  const response = await local.fetch(receiver.url())
  await expect(response.text()).rejects.toMatchObject({ name: 'TooLargeError' })
})

describe('an event stream', () => {
  const event = (length: number) => `data: ${'x'.repeat(length)}\r\n\r\n`
  const list = (length: number) => JSON.stringify(Array.from({ length }, () => 1))
  const values = (length: number) => `data: ${list(length - 1)}\n\n`
  const tooLarge = { name: 'TooLargeError' }
  const eventStream = { 'content-type': 'text/event-stream' }

  it.each([
    ['length', event(900), event(700) + event(700)],
    ['length of an event', event(900), event(1001)],
    ['number of values', values(5) + values(5), values(5) + values(6)],
    // An open quotation mark in another field must not hide the values from the limit.
    ['number of values of an event', values(10), `id: "\n${values(11)}`],
    ['number of events', event(1).repeat(5), event(1).repeat(6)],
    ['number of events whose lines end with CR', 'data: x\r\r'.repeat(5), 'data: x\r\r'.repeat(6)],
    ['length, including comments', ': ping\n\n'.repeat(100), ': ping\n\n'.repeat(126)],
    ['length, including empty lines', '\n'.repeat(1000), '\n'.repeat(1001)],
  ])(
    'that responds to a message is rejected if it exceeds the limit on the %s',
    async (_name, permitted, tooMuch) => {
      const read = async (text: string) => {
        receiver.respond = (_request, response) => response.writeHead(200, eventStream).end(text)
        return (await local.fetch(receiver.url(), { method: 'POST', body: '' })).text()
      }
      expect(await read(permitted)).toBe(permitted)
      await expect(read(tooMuch)).rejects.toMatchObject(tooLarge)
    },
  )

  it('that is compressed is rejected if its decompressed bytes exceed the limit', async () => {
    receiver.respond = (_request, response) =>
      response.writeHead(200, { ...eventStream, 'content-encoding': 'gzip' }).end(gzipSync(event(100_000)))
    const response = await local.fetch(receiver.url(), { method: 'POST', body: '' })
    await expect(response.text()).rejects.toMatchObject(tooLarge)
  })

  /** Opens a stream with a GET. Resolves with a function that makes the server send a text, and reads it. */
  async function openStream(): Promise<(text: string) => Promise<void>> {
    let stream: ServerResponse | undefined
    receiver.respond = ({ path }, response) => {
      if (path !== '/stream') return void response.writeHead(202).end()
      response.writeHead(200, eventStream).flushHeaders()
      stream = response
    }
    const { body } = await local.fetch(receiver.url('/stream'))
    const reader = body?.getReader() as ReadableStreamDefaultReader<Uint8Array>
    return async (text) => {
      stream?.write(text)
      for (let length = 0; length < text.length;) {
        const { value } = await reader.read()
        length += value?.length ?? Infinity
      }
    }
  }
  const post = (message: object) =>
    local.fetch(receiver.url(), { method: 'POST', body: JSON.stringify(message) })

  it('opened by a GET gets its full limits again whenever Outdial sends a request', async () => {
    const receive = await openStream()
    for (let count = 0; count < 5; count += 1) {
      await post({ jsonrpc: '2.0', id: count, method: 'tools/list' })
      await receive(event(800))
    }
    await receive(event(800))
    await receive(event(800))
    await expect(receive(event(800))).rejects.toMatchObject(tooLarge)
  })

  it("opened by a GET doesn't get its full limits again when Outdial responds to a ping from the server", async () => {
    const receive = await openStream()
    await receive(event(800))
    await post({ jsonrpc: '2.0', id: 1, result: {} })
    await expect(receive(event(800))).rejects.toMatchObject(tooLarge)
  })
})

it('throws an error if a JSON body has more values than the limit', async () => {
  const list = (length: number) => JSON.stringify(Array.from({ length }, () => 1))
  const read = async (text: string) => {
    receiver.respond = (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(text)
    return (await local.fetch(receiver.url())).text()
  }
  expect(await read(list(9))).toBe(list(9))
  await expect(read(list(10))).rejects.toMatchObject({ name: 'TooLargeError' })
})

it("stops a request when the request's signal aborts", async () => {
  receiver.neverRespond()
  const fetching = local.fetch(receiver.url(), { signal: AbortSignal.timeout(50) })
  await expect(fetching).rejects.toMatchObject({ name: 'TimeoutError' })
})
