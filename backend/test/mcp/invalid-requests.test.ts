import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { openSse, otherSecret, type RawSession, secret, textResult, useMcpWorld } from '../support/mcp.ts'
import { waitUntil } from '../support/wait.ts'

let session: RawSession
let widgetId: string
// This hook must run before the service's hooks. Jest runs these hooks in registration order.
afterAll(() => session.close())
const service = useMcpWorld({
  echo: ({ args }) => textResult(String(args.text)),
  big: () => textResult('x'.repeat(30_000)),
})
beforeAll(async () => {
  const agent = await service.addAgent()
  widgetId = agent.widgetId
  await service.addTool(agent.agentId, 'echo', { schema: { type: 'object' } })
  await service.addTool(agent.agentId, 'big', { schema: { type: 'object' } })
  session = await openSse(service.url, { widget_id: widgetId })
})

async function parseError(response: Response): Promise<{ status: number; code: string; body: string }> {
  const body = await response.text()
  const { error } = JSON.parse(body) as { error: { code: string; message: string; request_id: string } }
  expect(error.message).not.toBe('')
  expect(error.request_id).toBe(response.headers.get('x-request-id'))
  return { status: response.status, code: error.code, body }
}

const postTo = (search: string, body = '{"jsonrpc":"2.0","id":1,"method":"ping"}') =>
  fetch(`${service.url}/api/mcp/messages/${search}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })

describe('the session ID in the URL', () => {
  it("is rejected with 404 if there's no such session", async () => {
    for (const id of [randomUUID(), 'nobody', 'A'.repeat(22)]) {
      expect(await parseError(await postTo(`?sessionId=${id}`))).toMatchObject({
        status: 404,
        code: 'not_found',
      })
    }
  })

  it("is rejected with 400 if it's missing or malformed", async () => {
    for (const search of [
      '',
      '?sessionId=',
      '?sessionId=a%20b',
      `?sessionId=${'a'.repeat(200)}`,
      '?session=x',
    ]) {
      expect(await parseError(await postTo(search))).toMatchObject({ status: 400 })
    }
  })

  it('can also be in the parameter session_id, or follow a path without a trailing slash', async () => {
    const id = new URL(session.endpoint).searchParams.get('sessionId') ?? ''
    expect((await postTo(`?session_id=${id}`)).status).toBe(202)
    await session.next()
    const bare = await fetch(`${service.url}/api/mcp/messages?sessionId=${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    })
    expect(bare.status).toBe(202)
    expect(bare.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    await session.next()
  })
})

describe('the message body', () => {
  it.each([
    ['invalid JSON', '{"jsonrpc": my-secret-text'],
    ['an empty body', ''],
    ["an object that isn't JSON-RPC", '{"hello":"my-secret-text"}'],
    ['another JSON-RPC version', '{"jsonrpc":"1.0","id":1,"method":"ping"}'],
    ['an object as the ID', '{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}'],
    ['a fraction as the ID', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}'],
    ['null as the ID', '{"jsonrpc":"2.0","id":null,"method":"ping"}'],
    ['a string', '"ping"'],
    ['null', 'null'],
  ])("is rejected with 400 and isn't repeated in the error: %s", async (_what, body) => {
    const rejected = await parseError(await session.post(body))
    expect(rejected).toMatchObject({ status: 400, code: 'malformed_json' })
    expect(rejected.body).not.toContain('my-secret-text')
  })

  it("is rejected with 400 if it isn't UTF-8", async () => {
    const response = await fetch(session.endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from([0x22, 0xff, 0x22]),
    })
    expect(await parseError(response)).toMatchObject({ status: 400 })
  })

  it.each([
    [{ 'content-type': 'text/plain' }],
    [{ 'content-type': 'application/json; charset=latin1' }],
    [{ 'content-type': 'application/json', 'content-encoding': 'gzip' }],
  ])('is rejected with 415 if the headers are %j', async (headers) => {
    const response = await session.post('{}', headers)
    expect(await parseError(response)).toMatchObject({ status: 415, code: 'unsupported_media_type' })
  })

  const message = (bytes: number) => {
    const frame =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":""}}}'
    return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`)
  }

  it('is rejected if its request ID has more than 256 characters', async () => {
    const ping = (length: number) => `{"jsonrpc":"2.0","method":"ping","id":"${'x'.repeat(length)}"}`
    expect((await session.post(ping(256))).status).toBe(202)
    await session.next()
    expect(await parseError(await session.post(ping(257)))).toMatchObject({
      ...{ status: 400, code: 'malformed_json' },
    })
  })

  it('is accepted with 900 levels of nesting, and rejected with 1,000 levels', async () => {
    const deep = (levels: number) =>
      `{"jsonrpc":"2.0","method":"none","params":{"\\"":"[{","a":${'['.repeat(levels)}${']'.repeat(levels)}}}`
    expect((await session.post(deep(900))).status).toBe(202)
    expect(await parseError(await session.post(deep(1_000)))).toMatchObject({
      ...{ status: 400, code: 'malformed_json' },
    })
  })

  it('is accepted with 256 KiB, while a larger one is rejected with 413 and its connection is closed', async () => {
    expect((await session.post(message(256 * 1024))).status).toBe(202)
    expect((await session.next()).result?.content?.[0]?.text).toMatch(/characters omitted\.\]$/)

    const { port } = new URL(service.url)
    const path = session.endpoint.slice(service.url.length)
    for (const framing of [`Content-Length: ${256 * 1024 + 1}`, 'Transfer-Encoding: chunked']) {
      const received = await new Promise<string>((resolve) => {
        let heard = ''
        const socket = connect(Number(port), '127.0.0.1')
        socket.on('data', (chunk) => (heard += chunk.toString())).on('error', () => {})
        socket.on('close', () => resolve(heard))
        socket.write(
          `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`,
        )
        if (!framing.startsWith('Transfer')) return
        const chunk = `${(1024 * 1024).toString(16)}\r\n${' '.repeat(1024 * 1024)}\r\n`
        for (let count = 0; count < 5; count += 1) socket.write(chunk)
      })
      expect(received).toMatch(/^HTTP\/1\.1 413 /)
      expect(received).toMatch(/connection: close/i)
      expect(received).toContain('"code":"body_too_large"')
    }
    expect((await session.request('ping')).result).toEqual({})
  })
})

/** Opens a session whose client then stops reading. */
async function openUnreadStream(shown = secret) {
  const { port } = new URL(service.url)
  const accepted = once(service.app.server, 'connection') as Promise<[Socket]>
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {})
  const query = new URLSearchParams({ widget_id: widgetId, token: shown }).toString()
  socket.write(`GET /api/mcp/sse?${query} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  const head = await new Promise<string>((resolve) => {
    let heard = ''
    socket.on('data', function listen(chunk) {
      heard += chunk.toString()
      if (!heard.includes('sessionId=') || !heard.endsWith('\n\n')) return
      socket.off('data', listen).pause()
      resolve(heard)
    })
  })
  const id = /sessionId=(\S+)/.exec(head)?.[1] ?? ''
  /** Calls a tool with a large result, to fill the connection's buffers. */
  const sendRequest = async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'big' } })
    return (await postTo(`?sessionId=${id}`, body)).status
  }
  const [serverSide] = await accepted
  const fill = async () => {
    for (let requestCount = 0; serverSide.writableLength === 0; requestCount += 1) {
      expect(await sendRequest()).toBe(202)
      expect(requestCount).toBeLessThan(2_000)
    }
  }
  return { socket, ask: sendRequest, fill, serverSide }
}

describe('unread and idle streams', () => {
  it("if a client never reads its stream, ends only that client's session", async () => {
    const { socket, ask: sendRequest } = await openUnreadStream()
    for (let requestCount = 0; (await sendRequest()) !== 404; requestCount += 1)
      expect(requestCount).toBeLessThan(2_000)
    socket.destroy()
    expect((await session.request('ping')).result).toEqual({})
  })

  it('ends the session of a client that reads nothing and closes its side of the connection', async () => {
    const { socket, ask: sendRequest, fill, serverSide } = await openUnreadStream()
    await fill()
    socket.end()
    await waitUntil(() => serverSide.destroyed)
    expect(await sendRequest()).toBe(404)
    socket.destroy()
  })

  it('ends the session of a removed secret even if its client reads nothing', async () => {
    const { socket, ask: sendRequest, fill, serverSide } = await openUnreadStream(otherSecret)
    await fill()
    service.setSecrets([secret])
    expect(await sendRequest()).toBe(404)
    service.setSecrets([secret, otherSecret])
    // The client still has some time to read. Then node:http closes the connection.
    expect(serverSide.timeout).toBeGreaterThan(0)
    socket.destroy()
  })

  it('sends keep-alives to an idle client', async () => {
    const waiting = await openSse(service.url, { widget_id: widgetId })
    const { clock } = service.deps
    for (let seconds = 0; seconds < 21; seconds += 1) {
      await waitUntil(() => clock.waiting > 0)
      clock.advance(1_000)
    }
    await waitUntil(() => waiting.comments() > 0)
    expect((await waiting.request('ping')).result).toEqual({})
    waiting.close()
  })
})

describe('parameters and notifications', () => {
  it('describes invalid parameters in the error', async () => {
    const wrong: [string, object][] = [
      ['tools/call', {}],
      ['tools/call', { name: 7 }],
      ['tools/call', { name: 'echo', arguments: 'text' }],
      ['tools/list', { cursor: 7 }],
      ['initialize', { protocolVersion: 7 }],
    ]
    for (const [method, params] of wrong) {
      const { error } = await session.request(method, params)
      expect(error?.code).toBe(-32602)
      expect(error?.message).toMatch(/^Invalid params: /)
    }
    expect((await session.request('tools/call')).error?.code).toBe(-32602)
    expect((await session.request('resources/list')).error).toEqual({
      code: -32601,
      message: 'Method not found',
    })
  })

  it('responds to a batch with a JSON-RPC error', async () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    for (const batch of [[], [ping], [ping, ping]]) {
      const overSse = await session.post(batch)
      const overStreamableHttp = await fetch(`${service.url}/api/mcp/?widget_id=${widgetId}`, {
        method: 'POST',
        headers: { 'X-Agent-Secret': secret, 'content-type': 'application/json' },
        body: JSON.stringify(batch),
      })
      for (const response of [overSse, overStreamableHttp]) {
        expect([response.status, await response.json()]).toEqual([
          400,
          {
            ...{ jsonrpc: '2.0', id: null },
            error: {
              code: -32600,
              message: "Batches of messages aren't supported. Send each message in its own request.",
            },
          },
        ])
      }
    }
  })

  it('returns 202 for notifications and responses, and sends nothing on the stream for them', async () => {
    const notes = [
      { method: 'notifications/initialized' },
      { method: 'notifications/unheard-of', params: { a: 1 } },
      { method: 'notifications/cancelled', params: { requestId: 'unknown' } },
      { method: 'notifications/cancelled' },
      { id: 7, result: {} },
      { id: 7, error: { code: 1, message: 'no' } },
    ]
    for (const note of notes) expect((await session.post({ jsonrpc: '2.0', ...note })).status).toBe(202)
    expect((await session.request('ping')).result).toEqual({})
  })
})
