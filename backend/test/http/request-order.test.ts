import { once } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from '@jest/globals'
import pino from 'pino'
import { Agent, request as send } from 'undici'
import { systemClock } from '../../platform/core/clock.ts'
import { createBodyLimits } from '../../platform/http/body-limits.ts'
import { createLimitedServer } from '../../platform/http/create-server.ts'
import { createFloodGuard } from '../../platform/http/flood-guard.ts'
import { defaultHttpLimits, type HttpLimits } from '../../platform/http/http-limits.ts'
import { createOverloadState } from '../../platform/http/overload.ts'
import { createSlowClientLog } from '../../platform/http/slow-client-log.ts'
import { limitUnreadResponses } from '../../platform/http/unread-responses.ts'
import { createMetrics } from '../../service/metrics/metrics.ts'
import { closeAfterTest, openConnection } from '../support/raw-connection.ts'
import { waitFor, waitUntil } from '../support/wait.ts'

const proxyAddress = '127.0.0.9'
const host = 'Host: 127.0.0.1\r\n'
const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\n${host}${headers}\r\n`

/**
 * Starts a server with the test's handler. Records the requests' paths and the highest number of requests in progress at once.
 */
async function listen(handle: RequestListener, changes: Partial<HttpLimits> = {}) {
  const limits = { ...defaultHttpLimits, ...changes }
  const slowClients = createSlowClientLog({ log: pino({ level: 'silent' }), metrics: createMetrics() })
  const bodies = createBodyLimits(limits, {
    overload: createOverloadState(systemClock),
    slowClients,
    isProxy: () => false,
    getAddress: ({ socket }) => socket.remoteAddress ?? '',
  })
  const started: string[] = []
  const current = new Map<unknown, number>()
  let most = 0
  const count = (req: IncomingMessage, res: ServerResponse) => {
    const { socket, url = '' } = req
    started.push(url)
    current.set(socket, (current.get(socket) ?? 0) + 1)
    most = Math.max(most, current.get(socket) ?? 0)
    res.once('close', () => current.set(socket, (current.get(socket) ?? 0) - 1))
    handle(req, res)
  }
  const floods = createFloodGuard(limits, { slowClients, isProxy: (address) => address === proxyAddress })
  const server = createLimitedServer(count, { limits, bodies, floods })
  const stop = limitUnreadResponses(server, limits)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    stop()
    bodies.close()
    server.closeAllConnections()
    await once(server.close(), 'close')
  }
  closeAfterTest(close)
  return { server, port, started, most: () => most }
}

const answer: RequestListener = (req, res) => res.end(`[${req.url}]`)

it('handles pipelined requests one at a time, in order, and each with its own body', async () => {
  const { port, started, most } = await listen((req, res) => {
    void text(req).then((body) => setImmediate(() => res.end(`[${req.method} ${req.url} ${body}]`)))
  })
  const connection = await openConnection(port)
  connection.write(
    get('/1') +
      `POST /2 HTTP/1.1\r\n${host}Content-Length: 3\r\n\r\ntwo` +
      `HEAD /3 HTTP/1.1\r\n${host}\r\n` +
      `POST /4 HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n0\r\n\r\n` +
      `POST /5 HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: 4\r\n\r\nfive` +
      `POST /6 HTTP/1.1\r\n${host}Content-Length: 200000\r\n\r\n${'6'.repeat(200_000)}` +
      get('/7', 'Connection: close\r\n'),
  )
  const received = await connection.closed
  expect(received.match(/(?<=\[)[^\]]*|HTTP\/1.1 100/g)?.map((part) => part.slice(0, 20))).toEqual([
    ...['GET /1 ', 'POST /2 two', 'POST /4 four', 'HTTP/1.1 100', 'POST /5 five'],
    ...[`POST /6 ${'6'.repeat(12)}`, 'GET /7 '],
  ])
  expect(received).toContain('6'.repeat(200_000))
  expect(started).toEqual(['/1', '/2', '/3', '/4', '/5', '/6', '/7'])
  expect(most()).toBe(1)
})

it('after pipelined requests, keeps the connection open for more requests', async () => {
  const { port, started } = await listen(answer)
  const connection = await openConnection(port)
  connection.write(get('/1') + get('/2'))
  await waitUntil(() => started.length === 2)
  connection.write(get('/3') + get('/4', 'Connection: close\r\n'))
  expect((await connection.closed).match(/\[\/\d\]/g)).toEqual(['[/1]', '[/2]', '[/3]', '[/4]'])
})

it.each(['GET', 'Expect: x'])(
  'if a client pipelines hundreds of requests (%s), starts only the first, and closes the connection',
  async (kind) => {
    const pending: ServerResponse[] = []
    const { server, port, started } = await listen((_req, res) => void pending.push(res), {
      maxFloods: Infinity,
    })
    const connections = await Promise.all(Array.from({ length: 20 }, () => openConnection(port)))
    const request = get('/', kind === 'GET' ? '' : `${kind}\r\n`)
    for (const connection of connections) connection.write(get('/first') + request.repeat(450))
    for (const { closed } of connections) expect(await closed).toBe('')
    expect(started).toEqual(connections.map(() => '/first'))
    await waitUntil(() => pending.every(({ destroyed }) => destroyed))
    expect(await new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(0)
  },
)

it("doesn't start the next pipelined request while the client leaves the previous response unread", async () => {
  const { port, started, most } = await listen((_req, res) => res.end('x'.repeat(20_000_000)))
  const connections = await Promise.all(
    Array.from({ length: 5 }, () => openConnection(port, { reads: false })),
  )
  for (const connection of connections) connection.write(get('/').repeat(16))
  await waitUntil(() => started.length === 5)
  const other = await openConnection(port)
  other.write(get('/other', 'Connection: close\r\n'))
  await other.closed
  expect([started.length, most()]).toEqual([6, 1])
})

it('closes a connection if the bodies of its waiting requests have too many bytes in total', async () => {
  const { port, started } = await listen(() => {})
  const connection = await openConnection(port)
  const body = 'x'.repeat(30_000)
  connection.write(get('/first') + `POST / HTTP/1.1\r\n${host}Content-Length: 30000\r\n\r\n${body}`.repeat(5))
  expect(await connection.closed).toBe('')
  expect(started).toEqual(['/first'])
})

it.each(['the client', 'Connection: close', 'an error'])(
  "doesn't start waiting requests after their connection was ended by %s",
  async (by) => {
    const pending: ServerResponse[] = []
    const { server, port, started } = await listen((_req, res) => void pending.push(res), {
      maxFloods: Infinity,
    })
    const connection = await openConnection(port)
    let requests = 0
    server.on('request', () => (requests += 1))
    connection.write(get('/1') + get('/2') + get('/3'))
    await waitUntil(() => requests === 3)
    const [first] = pending
    if (by === 'the client') connection.destroy()
    else if (by === 'an error') first?.destroy()
    else first?.setHeader('Connection', 'close').end()
    await connection.closed
    await waitUntil(() => first?.closed ?? false)
    expect(started).toEqual(['/1'])
  },
)

it.each([
  ['half a request', 'GET /2 HTTP/1.1\r\n'],
  ['something other than HTTP', 'x\r\n\r\n'],
])(
  'sends no error for %s if the client would mistake the error for the response to an earlier request',
  async (_, rest) => {
    const limits = { headersTimeoutMs: 50, checkIntervalMs: 10 }
    const { port } = await listen((req, res) => {
      if (req.url === '/begun') res.write('begun')
    }, limits)
    const waiting = await openConnection(port)
    waiting.write(get('/waiting') + rest)
    expect(await waiting.closed).toBe('')
    const begun = await openConnection(port)
    begun.write(get('/begun'))
    await begun.head()
    begun.write(rest)
    expect(await begun.closed).toMatch(/^HTTP\/1\.1 200 [^]*\r\nbegun\r\n$/)
  },
)

it("when a pipelined request's body is late, sends the status 408 only after the response to the earlier request", async () => {
  const pending: ServerResponse[] = []
  const limits = { bodyTimeoutMs: 50, checkIntervalMs: 10 }
  const { port, started } = await listen((req, res) => {
    if (req.method === 'GET') pending.push(res)
  }, limits)
  const half = `POST /half HTTP/1.1\r\n${host}Content-Length: 3\r\n\r\nx`
  const connection = await openConnection(port)
  connection.write(get('/1') + half)
  await waitUntil(() => pending.length === 1)
  const other = await openConnection(port)
  other.write(half)
  expect(await other.closed).toMatch(/^HTTP\/1\.1 408 /)
  expect(started).toEqual(['/1', '/half'])
  pending[0]?.end('[/1]')
  expect((await connection.closed).match(/HTTP\/1.1 \d+|\[\/1\]/g)).toEqual([
    ...['HTTP/1.1 200', '[/1]', 'HTTP/1.1 408'],
  ])
})

it('closes the oldest connection as soon as unread responses exceed the limit of bytes, not at the next timed check', async () => {
  const limits = { checkIntervalMs: 3_600_000, maxUnreadBytes: 100_000_000 }
  const { server, port } = await listen((_req, res) => res.end('x'.repeat(40_000_000)), limits)
  const sockets: { destroyed: boolean }[] = []
  server.on('connection', (socket) => sockets.push(socket))
  const connections = []
  for (let count = 1; count <= 5; count += 1) {
    const connection = await openConnection(port, { reads: false })
    const arrived = once(server, 'request')
    connection.write(get('/'))
    await arrived
    connections.push(connection)
  }
  expect(sockets.filter(({ destroyed }) => !destroyed).length).toBeLessThan(5)
  expect(sockets.at(0)?.destroyed).toBe(true)
  expect(sockets.at(-1)?.destroyed).toBe(false)
})

describe('a network whose clients send many requests on each connection', () => {
  const flood = get('/').repeat(100)
  /** Sends more requests than the server lets wait, and resolves when the server closes the connection. */
  const closeForFlood = async (port: number, localAddress: string) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    closeAfterTest(() => socket.destroy())
    socket.on('error', () => {})
    socket.write(flood)
    await once(socket, 'close')
  }
  const responds = async (port: number, localAddress: string): Promise<boolean> => {
    const agent = new Agent({ localAddress })
    closeAfterTest(() => agent.destroy())
    const response = await send(`http://127.0.0.1:${port}/`, { dispatcher: agent }).catch(() => undefined)
    await response?.body.dump()
    return response?.statusCode === 200
  }
  // Doesn't respond to the first request of a flood, so that the flood's other requests wait.
  const handle: RequestListener = ({ headers }, res) => {
    if (headers.connection !== undefined) res.end()
  }

  it('gets no responses for a while, unlike other networks', async () => {
    const { port } = await listen(handle, { maxFloods: 3, floodMemoryMs: 500 })
    for (let count = 1; count <= 2; count += 1) await closeForFlood(port, '127.0.0.2')
    expect(await responds(port, '127.0.0.2')).toBe(true)
    await closeForFlood(port, '127.0.0.2')
    expect(await responds(port, '127.0.0.2')).toBe(false)
    expect(await responds(port, '127.0.0.3')).toBe(true)
    await waitFor(() => responds(port, '127.0.0.2'))
  })

  it("still gets responses if its address is a trusted proxy's", async () => {
    const { port } = await listen(handle, { maxFloods: 1 })
    await closeForFlood(port, proxyAddress)
    expect(await responds(port, proxyAddress)).toBe(true)
  })
})
