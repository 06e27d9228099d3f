import type { ServerResponse } from 'node:http'
import { describe, expect, it } from '@jest/globals'
import { createRemoteMcp } from '../../../tools/custom/remote-mcp-tool.ts'
import { addRemoteServer } from '../../../tools/save-remote-server.ts'
import { invalidResponses } from '../../support/http-receiver.ts'
import { idleMs, textResult, uncertainEffect, useRemoteToolWorld } from '../../support/remote-mcp-server.ts'
import { publicConfig, runTool } from '../../support/tools.ts'
import { waitForValue, waitUntil } from '../../support/wait.ts'

const { world, start, input, add, remoteMcp, use } = useRemoteToolWorld()

const withoutEffect = ({ name }: { name: string }) => ({
  isError: true,
  text: `The request to the server ${name} failed: the connection was refused. Continue without the result.`,
})

const eventStream = { 'content-type': 'text/event-stream' }

function writeEndlessly(response: ServerResponse, message: object): void {
  response.writeHead(200, eventStream)
  const event = `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`
  const write = () => {
    if (response.destroyed) return
    response.write(event.repeat(100))
    setImmediate(write)
  }
  write()
}

describe('a connection to a remote MCP server', () => {
  it("detects the server's transport, and is rejected if the server doesn't use the chosen transport", async () => {
    const [newer, older] = [await start('streamable'), await start('sse')]
    expect(await use(await add(newer), 'echo', { text: 'new' })).toMatchObject({ text: 'new' })
    expect(await use(await add(older), 'echo', { text: 'old' })).toMatchObject({ text: 'old' })
    await expect(add(older, { transport: 'streamable' })).rejects.toMatchObject({
      details: [{ field: 'url' }],
    })
  })

  it.each<[string, (response: ServerResponse) => unknown]>([
    ['status 500', (response) => response.writeHead(500).end('unknown method')],
    ['status 501', (response) => response.writeHead(501).end()],
    ['status 404', (response) => response.writeHead(404).end()],
    ['status 202', (response) => response.writeHead(202).end()],
    ['status 204', (response) => response.writeHead(204).end()],
    ['a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello</p>')],
    ['broken JSON', (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{')],
    ['other JSON', (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}')],
    ['an empty stream', (response) => response.writeHead(200, eventStream).end()],
    ['a stream without events', (response) => response.writeHead(200, eventStream).write(': hello\n\n')],
    ['a stream without end', (response) => writeEndlessly(response, { id: 1, method: 'ping' })],
    ['a closed connection', (response) => response.destroy()],
    ['nothing', () => {}],
  ])('continues with initialize if the server responds to server/discover with %s', async (_name, answer) => {
    const server = await start('streamable')
    const methods: unknown[] = []
    server.intercept = (_request, response, body) => {
      const method: unknown = body === '' ? undefined : Reflect.get(JSON.parse(body) as object, 'method')
      methods.push(method)
      if (method !== 'server/discover') return false
      answer(response)
      return true
    }
    const row = await add(server, { transport: 'streamable' })
    methods.length = 0
    expect(await use(row, 'echo', { text: 'hello' })).toEqual({ text: 'hello', isError: false })
    expect(methods).toEqual(['server/discover', 'initialize', 'notifications/initialized', 'tools/call'])
  })

  it.each([401, 403])(
    "isn't tried again if the server responds to the first message with status %s",
    async (status) => {
      const server = await start('streamable')
      let requestCount = 0
      server.intercept = (_request, response) => {
        requestCount += 1
        response.writeHead(status).end()
        return true
      }
      await expect(add(server)).rejects.toMatchObject({
        details: [{ field: 'url', message: expect.stringContaining(`(status ${status})`) }],
      })
      expect(requestCount).toBe(1)
    },
  )

  it('if a stream is interrupted, fails only the tool call of that stream', async () => {
    const server = await start('streamable')
    const row = await add(server)
    let finish = () => {}
    const finished = new Promise<void>((resolve) => (finish = resolve))
    const started = new Promise<void>((resolve) => {
      server.behaviors.echo = async () => {
        resolve()
        await finished
        return textResult('unaffected')
      }
    })
    const other = use(row, 'echo')
    await started
    server.behaviors.write = async (_args, { response }) => {
      await waitUntil(() => response.headersSent)
      response.destroy()
      return new Promise(() => {})
    }
    expect(await use(row, 'write')).toMatchObject({
      isError: true,
      text: expect.stringContaining(uncertainEffect),
    })
    finish()
    expect(await other).toEqual({ text: 'unaffected', isError: false })
  })

  it('reports that the connection was lost if a stream ends without a response', async () => {
    const server = await start('streamable')
    const row = await add(server)
    server.behaviors.write = async (_args, { response }) => {
      await waitUntil(() => response.headersSent)
      response.end()
      return new Promise(() => {})
    }
    expect(await use(row, 'write')).toMatchObject({
      isError: true,
      text: expect.stringContaining('the connection was lost'),
    })
  })

  it.each(['streamable', 'sse'] as const)(
    "if the server refuses it over %s, doesn't warn that the tool call may have taken effect",
    async (transport) => {
      const server = await start(transport)
      const row = await add(server)
      await server.stop()
      expect(await use(row, 'write')).toEqual(withoutEffect(row))
    },
  )

  it("if the server refuses it during an open session, doesn't warn that the tool call may have taken effect", async () => {
    const server = await start('streamable')
    const row = await add(server)
    server.intercept = (_request, response) => {
      response.setHeader('connection', 'close')
      return false
    }
    expect(await use(row, 'write')).toEqual({ text: 'kept', isError: false })
    await server.stop()
    expect(await use(row, 'write')).toEqual(withoutEffect(row))
  })

  it("if it's closed during a read-only tool call, doesn't warn that the tool call may have taken effect", async () => {
    const server = await start('streamable')
    const row = await add(server)
    server.behaviors.echo = async (_args, { response }) => {
      response.destroy()
      return new Promise(() => {})
    }
    expect(await use(row, 'echo')).toEqual({
      text: `The request to the server ${row.name} failed: the connection was closed. Continue without the result.`,
      isError: true,
    })
  })

  it.each(invalidResponses)("reports a response that isn't valid HTTP: %s", async (_name, bytes) => {
    const server = await start('streamable')
    const row = await add(server)
    await use(row, 'echo')
    server.intercept = (_request, { socket }) => {
      socket?.end(bytes, 'latin1')
      return true
    }
    const result = await use(row, 'write')
    expect(result.text).toContain("the response isn't valid HTTP")
    expect(result.text).toContain(uncertainEffect)
  })

  it('reports that the server rejected the credentials', async () => {
    const server = await start('streamable')
    const row = await add(server)
    server.intercept = (_request, response) => {
      response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
      return true
    }
    const result = await use(row, 'echo')
    expect(result.text).toBe(
      `The request to the server ${row.name} failed: it rejected the credentials (status 401). Continue without the result.`,
    )
  })

  it.each([{ json: true }, { json: false }])(
    "rejects a response with more than 10,000 values, but doesn't count brackets and commas inside strings: %j",
    async (options) => {
      const server = await start('streamable', options)
      const row = await add(server)
      const respondWith = (count: number, text: string) => {
        server.behaviors.echo = () => ({
          content: Array.from({ length: count }, () => ({ type: 'text', text })),
        })
      }
      respondWith(1, '[,'.repeat(5_001))
      expect(await use(row, 'echo')).toMatchObject({ isError: false })
      respondWith(3_334, 'x')
      expect((await use(row, 'echo')).text).toContain(
        'its response is too large: more than 2 MiB, 10,000 values, or 1,000 events',
      )
      respondWith(1, 'small')
      expect(await use(row, 'echo')).toEqual({ text: 'small', isError: false })
    },
  )

  it('reads a response with hundreds of progress notifications and comments before the result', async () => {
    const server = await start('streamable')
    const row = await add(server)
    server.behaviors.echo = async (_args, { response }) => {
      await waitUntil(() => response.headersSent)
      for (let progress = 1; progress <= 500; progress += 1) {
        const params = { progressToken: 1, progress, total: 500, message: 'Searching' }
        const notification = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })
        response.write(`event: message\ndata: ${notification}\n\n: still here\n\n: still here\n\n`)
      }
      return textResult('done')
    }
    expect(await use(row, 'echo')).toEqual({ text: 'done', isError: false })
  })

  it("responds to one of the server's requests at a time, and drops requests that arrive meanwhile", async () => {
    const server = await start('streamable')
    const row = await add(server)
    const responses: ServerResponse[] = []
    server.intercept = (_request, response, body) => {
      if (body === '' || body.includes('"method"')) return false
      responses.push(response)
      return true
    }
    server.behaviors.echo = async (_args, { response }) => {
      await waitUntil(() => response.headersSent)
      const ping = (id: number) => `data: {"jsonrpc":"2.0","id":${id},"method":"ping"}\n\n`
      response.write(Array.from({ length: 20 }, (_, id) => ping(id)).join(''))
      await waitUntil(() => responses.length === 1)
      responses[0]?.writeHead(202).end()
      const pingAgain = () => {
        response.write(ping(20))
        return responses.length
      }
      await waitForValue(pingAgain, (count) => count === 2)
      responses[1]?.writeHead(202).end()
      return textResult('done')
    }
    expect(await use(row, 'echo')).toEqual({ text: 'done', isError: false })
    expect(responses).toHaveLength(2)
  })

  it.each([
    ['requests', { id: 1, method: 'ping' }],
    ['notifications', { method: 'notifications/progress', params: { progressToken: 1, progress: 1 } }],
  ])('rejects a response that contains endless %s', async (_name, message) => {
    const server = await start('streamable')
    server.intercept = (_request, response, body) => {
      if (!body.includes('"method"')) return false
      writeEndlessly(response, message)
      return true
    }
    await expect(add(server)).rejects.toMatchObject({
      details: [{ field: 'url', message: expect.stringContaining('its response is too large') }],
    })
  })

  it('stops waiting for a stream without events', async () => {
    const server = await start('sse')
    const row = await add(server)
    server.intercept = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n')
      return true
    }
    const impatient = createRemoteMcp({ connectMs: 100, timeoutMs: 10_000, idleMs })
    const result = await runTool(
      world.deps,
      impatient,
      { ...row, settings: { ...row.settings, transport: 'sse' } },
      {},
      {
        toolName: `${row.name}__echo`,
      },
    )
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('the request timed out') })
    await impatient.close()
  })
})

describe('forbidden addresses', () => {
  it("doesn't follow an SSE endpoint on another host", async () => {
    const server = await start('sse')
    const other = await start('sse')
    const row = await add(server, { transport: 'sse' })
    let requestCount = 0
    other.intercept = () => {
      requestCount += 1
      return false
    }
    server.intercept = (_request, response) => {
      const events = `event: endpoint\ndata: ${other.url}\n\n`
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(events)
      return true
    }
    expect(await use(row, 'echo')).toMatchObject({ isError: true })
    expect(requestCount).toBe(0)
  })

  it("doesn't follow a redirect to another host", async () => {
    const [server, other] = [await start('streamable'), await start('streamable')]
    const row = await add(server, {
      headers: { 'X-Key': '{{secret.KEY}}' },
      secrets: { KEY: 'key-number-one' },
    })
    let requestCount = 0
    other.intercept = () => {
      requestCount += 1
      return false
    }
    server.intercept = (_request, response) => {
      response.writeHead(307, { location: other.url }).end()
      return true
    }
    expect(await use(row, 'echo')).toMatchObject({ isError: true })
    expect(requestCount).toBe(0)
  })

  it("doesn't connect to a loopback address if Outdial has a public URL", async () => {
    const server = await start('streamable')
    const row = await add(server)
    const online = { ...world.deps, config: publicConfig }
    const result = await runTool(online, remoteMcp, row, {}, { toolName: `${row.name}__echo` })
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining("can't be sent") })
    await expect(addRemoteServer(online, world.seed.workspaceId, input(server))).rejects.toMatchObject({
      details: [{ field: 'url' }],
    })
    expect(server.sessions).toBe(0)
  })
})
