import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from '@jest/globals'
import pino from 'pino'
import { createApiKey } from '../../accounts/identity/api-keys.ts'
import { createMonitoringApp } from '../../app.ts'
import { newProcessState } from '../../platform/http/health.ts'
import { defaultHttpLimits } from '../../platform/http/http-limits.ts'
import {
  closeAfterTest,
  listenWithLimits,
  openConnection,
  partOfForm,
  type RawConnection,
} from '../support/raw-connection.ts'
import { apiPrefix, useApiWorld } from '../support/test-api.ts'
import { waitFor } from '../support/wait.ts'

const api = useApiWorld()

const withConfig = (config: Partial<typeof api.deps.config>) => ({
  ...api.deps,
  config: { ...api.deps.config, ...config },
})

const startOfContact = (key: string, length = 1000) =>
  `POST ${apiPrefix}/contacts/ HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{`

const startOfReport = (attemptId: string) =>
  `POST /api/internal/attempts/${attemptId}/reports HTTP/1.1\r\nHost: 127.0.0.1\r\n` +
  `Authorization: Bearer ${secret}\r\nContent-Type: application/json\r\nContent-Length: 3000000\r\n\r\n{`

const secret = 'a-runtime-secret-of-the-tests-of-slow-clients'

const withSecret = () => ({ ...api.deps, runtimeSecrets: () => [secret] })

const startOfMessage = () =>
  `POST /api/mcp/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n` +
  `Authorization: Bearer ${secret}\r\n\r\n{`

const getStatus = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers })
  await response.arrayBuffer()
  return response.status
}

describe('requests whose bodies are still arriving', () => {
  it.each(['/sign-in', '/sign-up', '/invitations/x', '/reset-password/x', '/oauth/token', '/oauth/revoke'])(
    'leave capacity for other requests (half-sent forms for %s)',
    async (path) => {
      const { app, port, url } = await listenWithLimits(withConfig({ maxRequestsInProgress: 2 }))
      const connections = []
      for (let count = 0; count < 5; count += 1) {
        const arrived = once(app.server, 'request')
        const connection = await openConnection(port)
        connection.write(partOfForm(path))
        await arrived
        connections.push(connection)
      }
      expect(await getStatus(`${url}/sign-up`)).toBe(200)
      expect(await getStatus(`${url}${apiPrefix}/agents/`, { authorization: `Bearer ${api.key}` })).toBe(200)
    },
  )

  it('after the time limit, get the status 408, and their connections are closed', async () => {
    const { port } = await listenWithLimits(withSecret(), { bodyTimeoutMs: 100 })
    const form = await openConnection(port)
    form.write(partOfForm('/sign-in'))
    const contact = await openConnection(port)
    contact.write(startOfContact(api.key))
    const message = await openConnection(port)
    message.write(startOfMessage())
    for (const { closed } of [form, contact, message]) {
      const text = await closed
      expect(text).toMatch(/^HTTP\/1\.1 408 /)
      expect(text).toMatch(/x-request-id: \S+/i)
      expect(text).toContain('took too long to arrive')
    }
  })

  it('when they time out, are counted per network in the log instead of being logged as errors', async () => {
    const lines: string[] = []
    const log = pino({}, { write: (line: string) => void lines.push(line) })
    const { port, ...listening } = await listenWithLimits({ ...api.deps, log }, { bodyTimeoutMs: 100 })
    const form = await openConnection(port)
    form.write(partOfForm('/sign-in'))
    expect(await form.closed).toMatch(/^HTTP\/1\.1 408 /)
    await listening.close()
    expect(
      lines.filter((line) => line.includes('slow clients')).map((line) => JSON.parse(line) as unknown),
    ).toEqual([expect.objectContaining({ ended: 1, rejected: 0, flooding: 0, networks: { '127.0.0.1': 1 } })])
    expect(lines.filter((line) => line.includes('"level":50'))).toEqual([])
  })

  it("are limited per runtime secret if they're for the tool server", async () => {
    const { app, port } = await listenWithLimits(withSecret(), { maxBodiesPerCredential: 2 })
    const connections = []
    for (let count = 0; count < 3; count += 1) {
      const arrived = once(app.server, 'request')
      const connection = await openConnection(port)
      connection.write(startOfMessage())
      await arrived
      connections.push(connection)
    }
    expect(await connections[2]?.head()).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: 1/i)
  })

  it('are limited per address if they have no credential', async () => {
    const { app, port, url } = await listenWithLimits(api.deps, { maxBodiesPerAddress: 2 })
    const connections = []
    for (let count = 0; count < 2; count += 1) {
      const arrived = once(app.server, 'request')
      const connection = await openConnection(port)
      connection.write(partOfForm('/sign-in'))
      await arrived
      connections.push(connection)
    }
    const rejected = await openConnection(port)
    rejected.write(partOfForm('/oauth/token'))
    expect(await rejected.head()).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: 1/i)
    // The limit per address applies neither to requests with a credential nor to requests without a body.
    const contact = await openConnection(port)
    contact.write(startOfContact(api.key, 2))
    contact.write('}')
    expect(await contact.head()).toMatch(/^HTTP\/1\.1 422 /)
    expect(await getStatus(`${url}/sign-up`)).toBe(200)
    for (const connection of connections) connection.destroy()
    const form = { method: 'POST', body: new URLSearchParams({ email: 'a' }) }
    await waitFor(async () => (await fetch(`${url}/sign-in`, form)).status === 403)
  })

  it('count toward the limit of the address in X-Forwarded-For, and toward no limit if a trusted proxy sends no such header', async () => {
    const deps = withConfig({ trustedProxies: ['127.0.0.1'] })
    const { app, port } = await listenWithLimits(deps, { maxBodiesPerAddress: 1 })
    const connections: RawConnection[] = []
    const send = async (headers: string) => {
      const arrived = once(app.server, 'request')
      const connection = await openConnection(port)
      connection.write(partOfForm('/sign-in', headers))
      await arrived
      connections.push(connection)
      return connection
    }
    await send('X-Forwarded-For: 198.51.100.7\r\n')
    const second = await send('X-Forwarded-For: 198.51.100.7:4711\r\n')
    expect(await second.head()).toMatch(/^HTTP\/1\.1 429 /)
    const proxies = [await send(''), await send(''), await send('')]
    const others = [await send('X-Forwarded-For: 198.51.100.8\r\n')]
    for (const connection of [...proxies, ...others]) connection.write('&'.repeat(999))
    for (const connection of [...proxies, ...others])
      expect(await connection.head()).toMatch(/^HTTP\/1\.1 403 /)
  })

  it('are limited per credential, without any effect on other credentials', async () => {
    const { port } = await listenWithLimits(api.deps, {
      maxBodiesPerCredential: 2,
      maxBodiesPerAddress: 1,
    })
    const { workspaceId, userId } = api.seed
    const { key } = await createApiKey(api.deps, workspaceId, userId, 'Slow')
    const slow = await Promise.all([1, 2, 3, 4, 5].map(() => openConnection(port)))
    const rejected = slow.map((connection) => connection.head().catch(() => undefined))
    for (const connection of slow) connection.write(startOfContact(key))
    const head = await Promise.any(rejected)
    expect(head).toMatch(/^HTTP\/1\.1 429 /)
    const contact = await openConnection(port)
    contact.write(startOfContact(api.key, 2))
    contact.write('}')
    expect(await contact.head()).toMatch(/^HTTP\/1\.1 422 /)
  })

  it("are limited to a number of bytes per call attempt if they're attempt reports", async () => {
    const { port } = await listenWithLimits(withSecret(), {
      maxBodyBytesPerOwner: 8_000_000,
      maxBodiesPerAddress: 1,
    })
    const attemptId = randomUUID()
    const slow = await Promise.all([1, 2, 3].map(() => openConnection(port)))
    const rejected = slow.map((connection) => connection.head().catch(() => undefined))
    for (const connection of slow) connection.write(startOfReport(attemptId))
    expect(await Promise.any(rejected)).toMatch(/^HTTP\/1\.1 429 /)
  })

  it('are limited to a number of announced bytes per workspace, across all of its API keys', async () => {
    const { app, port } = await listenWithLimits(api.deps, { maxBodyBytesPerOwner: 100_000 })
    const { workspaceId, userId } = api.seed
    const keys = [api.key]
    for (const name of ['Second', 'Third'])
      keys.push((await createApiKey(api.deps, workspaceId, userId, name)).key)
    const connections = await Promise.all(keys.map(() => openConnection(port)))
    const heads = connections.map((connection) => connection.head().catch(() => undefined))
    for (const [index, key] of keys.entries()) connections[index]?.write(startOfContact(key, 40_000))
    expect(await Promise.any(heads)).toMatch(/^HTTP\/1\.1 429 [^]*retry-after: 1/i)
    const sent = once(app.server, 'request')
    const form = await openConnection(port)
    form.write(partOfForm('/sign-in', '', '&'.repeat(1000)))
    await sent
    expect(await form.head()).toMatch(/^HTTP\/1\.1 403 /)
  })

  it('if they announce no length, are counted with the longest body that the route accepts', async () => {
    const { port } = await listenWithLimits(withSecret(), { maxBodyBytesPerOwner: 2.5 * 1024 * 1024 })
    const slow = await Promise.all([1, 2, 3].map(() => openConnection(port)))
    const heads = slow.map((connection) => connection.head().catch(() => undefined))
    const start = startOfContact(api.key).replace(
      /Content-Length.*/s,
      'Transfer-Encoding: chunked\r\n\r\n1\r\n{',
    )
    for (const connection of slow) connection.write(start)
    expect(await Promise.any(heads)).toMatch(/^HTTP\/1\.1 429 /)
    const messages = await Promise.all([1, 2, 3].map(() => openConnection(port)))
    const startOfChunks = startOfMessage().replace('Content-Length: 100', 'Transfer-Encoding: chunked')
    for (const connection of messages) connection.write(startOfChunks.replace(/{$/, '2\r\n{}\r\n0\r\n\r\n'))
    for (const connection of messages) expect(await connection.head()).not.toMatch(/^HTTP\/1\.1 429 /)
  })

  it('if they have too many bytes in total, are ended first for the sender with the most bytes', async () => {
    const { app, port } = await listenWithLimits(withSecret(), { maxBodyBytes: 150_000 })
    const begin = async (start: string) => {
      const arrived = once(app.server, 'request')
      const connection = await openConnection(port)
      connection.write(start)
      await arrived
      return connection
    }
    const oldest = await begin(partOfForm('/sign-in'))
    const large = [
      await begin(startOfContact(api.key, 500_000)),
      await begin(startOfContact(api.key, 500_000)),
    ]
    for (const connection of large) connection.write(' '.repeat(100_000))
    expect(await Promise.any(large.map(({ closed }) => closed))).toMatch(/^HTTP\/1\.1 408 /)
    oldest.write('&'.repeat(999))
    expect(await oldest.head()).toMatch(/^HTTP\/1\.1 403 /)
  })

  it('if they have too many bytes in total, get an error, and /readyz and a metric report the overload', async () => {
    const { app, port, url } = await listenWithLimits(api.deps, { maxBodyBytes: 100_000 })
    const send = async () => {
      const arrived = once(app.server, 'request')
      const connection = await openConnection(port)
      connection.write(startOfContact(api.key, 500_000))
      await arrived
      connection.write(' '.repeat(70_000))
      return connection
    }
    const first = await send()
    const second = await send()
    expect(await Promise.any([first.head(), second.head()])).toMatch(/^HTTP\/1\.1 (408|503) /)
    const readiness = await fetch(`${url}/readyz`)
    expect([readiness.status, await readiness.json()]).toEqual([200, { status: 'ok', overload: ['bodies'] }])
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('outdial_overloaded{limit="bodies"} 1')
  })
})

it('closes a connection with the status 408 if the headers of its request take too long to arrive', async () => {
  const { port } = await listenWithLimits(api.deps, { headersTimeoutMs: 100 })
  const connection = await openConnection(port)
  connection.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow:')
  expect(await connection.closed).toMatch(/^HTTP\/1\.1 408 /)
})

it("a worker's port also closes unused connections, and connections with half-sent requests", async () => {
  const limits = { ...defaultHttpLimits, headersTimeoutMs: 50, bodyTimeoutMs: 50, unusedTimeoutMs: 50 }
  const app = createMonitoringApp(api.deps, newProcessState(), { ...limits, checkIntervalMs: 10 })
  closeAfterTest(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const [unused, half, answered] = [
    await openConnection(port),
    await openConnection(port),
    await openConnection(port),
  ]
  half.write('GET /healthz HTTP/1.1\r\n')
  answered.write(partOfForm('/sign-in'))
  expect(await unused.closed).toBe('')
  expect(await half.closed).toMatch(/^HTTP\/1\.1 408 [^]*x-request-id: /i)
  expect(await answered.closed).toMatch(/^HTTP\/1\.1 404 /)
})

describe('a connection that has sent nothing', () => {
  it('is closed without a response after a time limit', async () => {
    const { port } = await listenWithLimits(api.deps, {
      headersTimeoutMs: 50,
      unusedTimeoutMs: 200,
    })
    const connection = await openConnection(port)
    expect(await connection.closed).toBe('')
  })

  it.each([
    ['a request', 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n', 200],
    ['half a request', 'GET /healthz HTTP/1.1\r\n', 408],
  ])('can still send %s after the time limit for headers', async (_, text, status) => {
    const { app, port } = await listenWithLimits(api.deps, { headersTimeoutMs: 50 })
    const timedOut = once(app.server, 'clientError')
    const connection = await openConnection(port)
    await timedOut
    connection.write(text)
    expect(await connection.closed).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })
})

describe('responses that are never read', () => {
  const page = '/docs'

  it('leave capacity for other requests, even if the client has pipelined many requests', async () => {
    const { app, port, url } = await listenWithLimits(withConfig({ maxRequestsInProgress: 10 }))
    let requests = 0
    app.server.on('request', () => (requests += 1))
    const unread = await openConnection(port, { reads: false })
    unread.write(`GET ${page} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`.repeat(100))
    await waitFor(() => Promise.resolve(requests > 1))
    await waitFor(async () => (await getStatus(`${url}/sign-up`)) === 200)
  })

  it('are ended after a time limit, unlike responses to clients that keep reading', async () => {
    const { app, port, url } = await listenWithLimits(api.deps, {
      ...{ responseTimeoutMs: 100, responseBytesPerSecond: 1024 * 1024 },
    })
    const accepted = once(app.server, 'connection') as Promise<[{ destroyed: boolean }]>
    const unread = await openConnection(port, { reads: false })
    unread.write(`GET ${page} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`.repeat(100))
    const [socket] = await accepted
    await waitFor(() => Promise.resolve(socket.destroyed), undefined, 5_000)
    const response = await fetch(`${url}${page}`)
    expect((await response.arrayBuffer()).byteLength).toBe(Number(response.headers.get('content-length')))
  })
})
