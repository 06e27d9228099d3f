import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, expect, it } from '@jest/globals'
import { ForbiddenAddressError } from '../../platform/outbound/guard.ts'
import { createReusingSend, type ReusingSend } from '../../platform/outbound/reusing-send.ts'
import { useHttpReceiver } from '../support/http-receiver.ts'
import { waitForValue } from '../support/wait.ts'

const receiver = useHttpReceiver()
const opened: ReusingSend[] = []
afterEach(() => Promise.all(opened.splice(0).map((sender) => sender.close())))

const request = (url: string, signal = AbortSignal.timeout(10_000)) => ({
  url: new URL(url),
  method: 'POST' as const,
  headers: {},
  body: 'hello',
  signal,
  maxBytes: 10,
})

/** Opens a sender that resolves hostnames to the address lists in order, and then to the last one. Records the lookups. */
function open(addresses: string[][] = [['127.0.0.1']], options: { maxAgeMs?: number } = {}) {
  const lookups: string[] = []
  const resolve = async (host: string) => {
    lookups.push(host)
    return addresses[Math.min(lookups.length, addresses.length) - 1] ?? []
  }
  const sender = createReusingSend({ allowLoopback: true, resolve, ...options })
  opened.push(sender)
  return { send: sender.send, lookups }
}

/** Starts a server that responds to each request, and then calls `afterResponse` with the connection. */
async function listen(afterResponse: (socket: Socket) => void) {
  const connections: Socket[] = []
  const server = createServer((socket) => {
    connections.push(socket)
    socket.on('error', () => {})
    socket.on('data', () => {
      socket.write('HTTP/1.1 204 No Content\r\n\r\n')
      afterResponse(socket)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    for (const socket of connections) socket.destroy()
    server.close()
    await once(server, 'close')
  }
  return { connections, url: `http://hooks.example.test:${(server.address() as AddressInfo).port}/`, close }
}

it('sends several requests over one connection, and resolves the hostname only once', async () => {
  const server = await listen(() => {})
  const { send, lookups } = open()
  for (let count = 0; count < 3; count += 1) expect((await send(request(server.url))).status).toBe(204)
  expect(server.connections).toHaveLength(1)
  expect(lookups).toEqual(['hooks.example.test'])
  await server.close()
})

it('resolves and checks the hostname again once a connection has reached its maximum age', async () => {
  const { send, lookups } = open([['127.0.0.1'], ['10.0.0.1']], { maxAgeMs: 0 })
  const url = receiver.url('/', 'hooks.example.test')
  expect((await send(request(url))).status).toBe(204)
  await expect(send(request(url))).rejects.toBeInstanceOf(ForbiddenAddressError)
  expect(lookups).toHaveLength(2)
  expect(receiver.requests).toHaveLength(1)
})

it("doesn't use a connection for another origin, even at the same address", async () => {
  const { send, lookups } = open([['127.0.0.1'], ['10.0.0.1']])
  expect((await send(request(receiver.url('/', 'one.example.test')))).status).toBe(204)
  await expect(send(request(receiver.url('/', 'other.example.test')))).rejects.toBeInstanceOf(
    ForbiddenAddressError,
  )
  expect(lookups).toEqual(['one.example.test', 'other.example.test'])
})

it('sends a request again on a new connection if the server closed the old connection', async () => {
  let requests = 0
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => {
      requests += 1
      // Closes the connection instead of responding to the second request.
      if (requests === 2) socket.destroy()
      else socket.write('HTTP/1.1 204 No Content\r\n\r\n')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { send, lookups } = open()
  const url = `http://hooks.example.test:${(server.address() as AddressInfo).port}/`
  expect((await send(request(url))).status).toBe(204)
  expect((await send(request(url))).status).toBe(204)
  expect(requests).toBe(3)
  expect(lookups).toHaveLength(2)
  await opened.splice(0)[0]?.close()
  server.close()
  await once(server, 'close')
})

it('closes the connection if a request is aborted or a response is truncated', async () => {
  receiver.respond = (_request, response) => response.end('longer than the limit')
  const { send, lookups } = open()
  const url = receiver.url('/', 'hooks.example.test')
  expect(await send(request(url))).toMatchObject({ isTruncated: true })
  receiver.neverRespond()
  const aborting = new AbortController()
  const sending = send(request(url, aborting.signal))
  await waitForValue(
    () => receiver.requests.length,
    (count) => count === 2,
  )
  aborting.abort(new Error('aborted'))
  await expect(sending).rejects.toThrow('aborted')
  receiver.respondWith(204)
  expect((await send(request(url))).status).toBe(204)
  expect(lookups).toHaveLength(3)
})
