import { describe, expect, it } from '@jest/globals'
import { createRemoteMcp } from '../../../tools/custom/remote-mcp-tool.ts'
import { findToolsWithEffects } from '../../../tools/kinds/tool-kind.ts'
import { editRemoteServer } from '../../../tools/save-remote-server.ts'
import {
  echo,
  idleMs,
  textResult,
  uncertainEffect,
  useRemoteToolWorld,
  write,
} from '../../support/remote-mcp-server.ts'
import { readTool, runTool } from '../../support/tools.ts'
import { waitUntil } from '../../support/wait.ts'

const { world, start, add, remoteMcp, use } = useRemoteToolWorld()

let serverCount = 0

describe.each([
  ['Streamable HTTP with streams', 'streamable', {}],
  ['Streamable HTTP with JSON', 'streamable', { json: true }],
  ['HTTP+SSE', 'sse', {}],
] as const)('over %s', (_name, transport, options) => {
  it("prefixes tool names with the server's name", async () => {
    const server = await start(transport, options)
    const name = `sales-crm-${(serverCount += 1)}`
    const row = await add(server, { name })
    expect(remoteMcp.definitions(row)).toEqual([
      { name: `${name}__echo`, description: 'Repeats the text.', inputSchema: echo.inputSchema },
      { name: `${name}__write`, description: 'Saves the text.', inputSchema: write.inputSchema },
    ])
    expect(await use(row, 'echo', { text: 'hello' })).toEqual({ text: 'hello', isError: false })
  })

  it("shares one session between simultaneous tool calls, and ends the session when it's idle", async () => {
    const server = await start(transport, options)
    const row = await add(server)
    const results = await Promise.all(['a', 'b', 'c'].map((value) => use(row, 'echo', { text: value })))
    expect(results.map((result) => result.text)).toEqual(['a', 'b', 'c'])
    expect([server.sessions, server.open]).toEqual([1, 1])
    world.deps.clock.advance(idleMs - 1)
    await use(row, 'echo', { text: 'again' })
    world.deps.clock.advance(idleMs)
    await waitUntil(() => server.open === 0)
    await use(row, 'echo', { text: 'later' })
    expect(server.sessions).toBe(2)
  })

  it('opens a new session after the server restarts', async () => {
    const server = await start(transport, options)
    const row = await add(server)
    await use(row, 'echo', { text: 'before' })
    await server.restart()
    await waitUntil(async () => !(await use(row, 'echo', { text: 'after' })).isError)
    expect(server.sessions).toBe(2)
  })

  it.each([
    [404, 'Not found', 2],
    [400, 'Bad Request: No valid session ID provided', 2],
    [400, 'There is no such customer', 1],
  ])('sends a tool call again only if the session has ended: %s %s', async (status, message, attempts) => {
    const server = await start(transport, options)
    const row = await add(server)
    await use(row, 'echo', { text: 'before' })
    let rejected = 0
    server.intercept = (_request, response, body) => {
      if (!body.includes('"tools/call"')) return false
      rejected += 1
      response.writeHead(status).end(message)
      return true
    }
    expect(await use(row, 'write')).toEqual({
      text: `The request to the server ${row.name} failed: it returned error ${status}: ${message}. Continue without the result.`,
      isError: true,
    })
    expect([rejected, server.sessions]).toEqual([attempts, attempts])
    expect(server.calls).toEqual(['echo'])
  })

  it("doesn't repeat a tool call after a lost connection, and warns that the tool call may have taken effect", async () => {
    const server = await start(transport, options)
    const row = await add(server)
    await use(row, 'echo', { text: 'before' })
    server.behaviors.write = async () => {
      await server.restart()
      return textResult('too late')
    }
    const result = await use(row, 'write')
    expect(result.isError).toBe(true)
    expect(result.text).toContain(uncertainEffect)
    expect(server.calls).toEqual(['echo', 'write'])
    expect(await use(row, 'echo', { text: 'after' })).toEqual({ text: 'after', isError: false })
  })

  it('tells the server that a tool call was canceled, and keeps the session', async () => {
    const server = await start(transport, options)
    const row = await add(server)
    const agent = new AbortController()
    const canceled = new Promise<void>((resolve) => {
      server.behaviors.write = (_args, { signal }) => {
        signal.addEventListener('abort', () => resolve())
        agent.abort()
        return new Promise(() => {})
      }
    })
    await expect(use(row, 'write', {}, { signal: agent.signal })).rejects.toMatchObject({
      name: 'AbortError',
    })
    await canceled
    expect(await use(row, 'echo', { text: 'on' })).toEqual({ text: 'on', isError: false })
    expect(server.sessions).toBe(1)
  })

  it('stops waiting for a tool that hangs', async () => {
    const server = await start(transport, options)
    const row = await add(server)
    const impatient = createRemoteMcp({ connectMs: 5_000, timeoutMs: 300, idleMs })
    server.behaviors.write = () => new Promise(() => {})
    const result = await runTool(world.deps, impatient, row, {}, { toolName: `${row.name}__write` })
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('the request timed out') })
    expect(result.text).toContain(uncertainEffect)
    await impatient.close()
  })

  it("rejects a response of 50 MB, and can use the server's tools afterward", async () => {
    const server = await start(transport, options)
    const row = await add(server)
    server.behaviors.write = () => textResult('x'.repeat(50e6))
    const result = await use(row, 'write')
    expect(result.isError).toBe(true)
    expect(result.text.length).toBeLessThan(300)
    expect(await use(row, 'echo', { text: 'on' })).toEqual({ text: 'on', isError: false })
  })

  it('returns the error message of a tool', async () => {
    const server = await start(transport, options)
    const row = await add(server)
    server.behaviors.write = () => ({ ...textResult('The city is unknown.'), isError: true })
    expect(await use(row, 'write')).toEqual({ text: 'The city is unknown.', isError: true })
    server.behaviors.write = () => {
      throw new Error('out of paper')
    }
    expect(await use(row, 'write')).toEqual({
      text: `The request to the server ${row.name} failed: it returned an error: out of paper. Correct the arguments, or continue without the result.`,
      isError: true,
    })
  })

  it('sends secrets in headers and redacts them in responses', async () => {
    const server = await start(transport, options)
    const secrets = { TOKEN: 'token-of-the-server' }
    const row = await add(server, { headers: { Authorization: 'Bearer {{secret.TOKEN}}' }, secrets })
    expect(JSON.stringify(row)).not.toContain('token-of-the-server')
    server.behaviors.echo = (_args, { headers }) => textResult(`you sent ${String(headers.authorization)}`)
    expect(await use(row, 'echo')).toEqual({ text: 'you sent Bearer [secret]', isError: false })
    server.behaviors.echo = (_args, { headers }) => {
      throw new Error(`bad ${String(headers.authorization)}`)
    }
    expect((await use(row, 'echo')).text).toMatch(/bad Bearer \[secret\]/)
    server.intercept = ({ headers }, response, body) => {
      if (!body.includes('tools/call')) return false
      response.writeHead(500).end(`${'x'.repeat(485)} ${String(headers.authorization)}`)
      return true
    }
    const { text: errorText } = await use(row, 'echo')
    expect(errorText).toContain('Bearer [secret]')
    expect(errorText).not.toContain('token')
  })
})

describe('over any transport', () => {
  it('returns the text of a result, and placeholders for other content', async () => {
    const server = await start('streamable')
    const row = await add(server)
    server.behaviors.echo = () => ({
      content: [
        { type: 'text', text: 'A picture:' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'file:///a', text: 'a file' } },
        { type: 'resource', resource: { uri: 'file:///b', blob: 'AAAA' } },
        { type: 'resource_link', name: 'more', uri: 'https://example.com/' },
      ],
    })
    expect((await use(row, 'echo')).text).toBe(
      "A picture:\n[image (image/png), can't be shown]\na file\n[file file:///b, can't be shown]\n[link: more, https://example.com/]",
    )
    server.behaviors.echo = () => ({ content: [], structuredContent: { a: 1 } })
    expect((await use(row, 'echo')).text).toBe('{"a":1}')
    server.behaviors.echo = () => ({ content: [] })
    expect((await use(row, 'echo')).text).toBe('Done.')
    server.behaviors.echo = () => textResult('x'.repeat(100_000))
    expect((await use(row, 'echo')).text).toMatch(/^x{16384}… \[Only the first 16 KiB/)
  })

  it('on a test call, describes the tool call instead of sending it', async () => {
    const server = await start('streamable')
    const row = await add(server)
    const withEffects = findToolsWithEffects(remoteMcp, row, remoteMcp.definitions(row))
    expect(withEffects.has(`${row.name}__write`)).toBe(true)
    expect(withEffects.has(`${row.name}__echo`)).toBe(false)
    const result = await use(row, 'write', { a: 1 }, { dryRun: true })
    expect(result.text).toContain(`${row.name}__write would have been used with {"a":1}`)
    expect(server.calls).toEqual([])
  })

  it("sends a server's new secret with the first tool call after the secret was changed", async () => {
    const server = await start('streamable')
    const row = await add(server, {
      headers: { 'X-Key': '{{secret.KEY}}' },
      secrets: { KEY: 'key-number-one' },
    })
    server.behaviors.echo = (_args, { headers }) => textResult(String(headers['x-key']?.length))
    await use(row, 'echo')
    await editRemoteServer(world.deps, world.seed.workspaceId, row.id, {
      secrets: { KEY: 'key-number-fifteen' },
      tools: ['echo'],
    })
    const edited = await readTool(world.deps, world.seed.workspaceId, 'remote_mcp', row.id)
    expect((await use(edited, 'echo')).text).toBe(String('key-number-fifteen'.length))
  })
})
