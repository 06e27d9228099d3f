import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { noNotify, type Notify, type ToolChange } from '../../../core/notify.ts'
import { createRemoteMcp } from '../../../tools/custom/remote-mcp-tool.ts'
import { hasEffects, type ToolRow } from '../../../tools/kinds/tool-kind.ts'
import {
  addRemoteServer,
  editRemoteServer,
  listRemoteServer,
  refreshRemoteServer,
  type RemoteServerInput,
} from '../../../tools/save-remote-server.ts'
import { type TestDeps, testDeps } from '../../support/deps.ts'
import { seedWorkspace } from '../../support/factories.ts'
import { RemoteMcpServer, textResult } from '../../support/remote-mcp-server.ts'
import { localConfig, publicConfig, readTool, runTool } from '../../support/tools.ts'
import { waitUntil } from '../../support/wait.ts'
import { useTestDatabase } from '../../support/world.ts'

const idleMs = 60_000

const database = useTestDatabase()
let deps: TestDeps
let workspaceId: number
let changes: ToolChange[]
beforeAll(async () => {
  const notify: Notify = { ...noNotify, toolsChanged: (change) => void changes.push(change) }
  deps = testDeps(database.db, { config: localConfig, notify })
  workspaceId = (await seedWorkspace(deps)).workspaceId
})

let remoteMcp: ReturnType<typeof createRemoteMcp>
const servers: RemoteMcpServer[] = []
beforeEach(() => {
  changes = []
  remoteMcp = createRemoteMcp({ connectMs: 5_000, timeoutMs: 10_000, idleMs })
})
afterEach(async () => {
  await remoteMcp.close()
  await Promise.all(servers.splice(0).map((server) => server.stop()))
})

const echo: Tool = {
  name: 'echo',
  description: 'Says it again.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  annotations: { readOnlyHint: true },
}
const write: Tool = { name: 'write', description: 'Keeps it.', inputSchema: { type: 'object' } }

async function start(
  transport: 'streamable' | 'sse',
  options: { json?: boolean } = {},
): Promise<RemoteMcpServer> {
  const server = new RemoteMcpServer(transport, options)
  servers.push(server)
  server.tools = [echo, write]
  server.behaviors = { echo: ({ text: input }) => textResult(String(input)), write: () => textResult('kept') }
  await server.start()
  return server
}

let serverCount = 0
const input = (server: RemoteMcpServer, more: Partial<RemoteServerInput> = {}): RemoteServerInput => ({
  name: `crm${(serverCount += 1)}`,
  description: 'The CRM.',
  url: server.url,
  ...more,
})
async function add(
  server: RemoteMcpServer,
  more: Partial<RemoteServerInput> & { tools?: string[] } = {},
): Promise<ToolRow> {
  const { id } = await addRemoteServer(deps, workspaceId, { ...input(server), ...more })
  server.sessions = 0
  return readTool(deps, workspaceId, 'remote_mcp', id)
}
const use = (row: ToolRow, tool: string, args: Record<string, unknown> = {}, more: object = {}) =>
  runTool(deps, remoteMcp, row, args, { toolName: `${row.name}__${tool}`, ...more })

const uncertainEffect = 'It is not known whether it took effect: do not repeat it.'

describe.each([
  ['Streamable HTTP with streams', 'streamable', {}],
  ['Streamable HTTP with JSON', 'streamable', { json: true }],
  ['HTTP+SSE', 'sse', {}],
] as const)('over %s', (_name, transport, options) => {
  it('passes the tools on under the name of the server', async () => {
    const server = await start(transport, options)
    const name = `sales-crm-${(serverCount += 1)}`
    const row = await add(server, { name })
    expect(remoteMcp.definitions(row)).toEqual([
      { name: `${name}__echo`, description: 'Says it again.', inputSchema: echo.inputSchema },
      { name: `${name}__write`, description: 'Keeps it.', inputSchema: write.inputSchema },
    ])
    expect(await use(row, 'echo', { text: 'hello' })).toEqual({ text: 'hello', isError: false })
  })

  it('keeps one session for many uses at once, and ends it when it was idle', async () => {
    const server = await start(transport, options)
    const row = await add(server)
    const results = await Promise.all(['a', 'b', 'c'].map((value) => use(row, 'echo', { text: value })))
    expect(results.map((result) => result.text)).toEqual(['a', 'b', 'c'])
    expect([server.sessions, server.open]).toEqual([1, 1])
    deps.clock.advance(idleMs - 1)
    await use(row, 'echo', { text: 'again' })
    deps.clock.advance(idleMs)
    await waitUntil(() => server.open === 0)
    await use(row, 'echo', { text: 'later' })
    expect(server.sessions).toBe(2)
  })

  it('opens a session anew after the server was restarted', async () => {
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
  ])('tries once more where the session is gone, and only then: %s %s', async (status, message, attempts) => {
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
      text: `The server ${row.name} did not do it: it answered with the error ${status}: ${message}.`,
      isError: true,
    })
    expect([rejected, server.sessions]).toEqual([attempts, attempts])
    expect(server.calls).toEqual(['echo'])
  })

  it('sends nothing twice after the connection broke, and says that it is not known', async () => {
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

  it('passes a cancellation on, and keeps the session', async () => {
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

  it('gives up on a tool that hangs', async () => {
    const server = await start(transport, options)
    const row = await add(server)
    const impatient = createRemoteMcp({ connectMs: 5_000, timeoutMs: 300, idleMs })
    server.behaviors.write = () => new Promise(() => {})
    const result = await runTool(deps, impatient, row, {}, { toolName: `${row.name}__write` })
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('did not answer in time') })
    expect(result.text).toContain(uncertainEffect)
    await impatient.close()
  })

  it('does not read an answer of 50 MB, and goes on', async () => {
    const server = await start(transport, options)
    const row = await add(server)
    server.behaviors.write = () => textResult('x'.repeat(50e6))
    const result = await use(row, 'write')
    expect(result.isError).toBe(true)
    expect(result.text.length).toBeLessThan(300)
    expect(await use(row, 'echo', { text: 'on' })).toEqual({ text: 'on', isError: false })
  })

  it('tells what a tool that fails says', async () => {
    const server = await start(transport, options)
    const row = await add(server)
    server.behaviors.write = () => ({ ...textResult('The city is unknown.'), isError: true })
    expect(await use(row, 'write')).toEqual({ text: 'The city is unknown.', isError: true })
    server.behaviors.write = () => {
      throw new Error('out of paper')
    }
    expect(await use(row, 'write')).toEqual({
      text: `The server ${row.name} did not do it: it answered: out of paper.`,
      isError: true,
    })
  })

  it('sends secrets in headers, and tells none that comes back', async () => {
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

it('finds out by itself which transport a server speaks', async () => {
  const [newer, older] = [await start('streamable'), await start('sse')]
  expect(await use(await add(newer), 'echo', { text: 'new' })).toMatchObject({ text: 'new' })
  expect(await use(await add(older), 'echo', { text: 'old' })).toMatchObject({ text: 'old' })
  await expect(add(older, { transport: 'streamable' })).rejects.toMatchObject({ details: [{ field: 'url' }] })
})

it('breaks off only the call whose stream broke off', async () => {
  const server = await start('streamable')
  const row = await add(server)
  let finish = () => {}
  const finished = new Promise<void>((resolve) => (finish = resolve))
  const started = new Promise<void>((resolve) => {
    server.behaviors.echo = async () => {
      resolve()
      await finished
      return textResult('unharmed')
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
  expect(await other).toEqual({ text: 'unharmed', isError: false })
})

it('says so where a stream ends without the answer', async () => {
  const server = await start('streamable')
  const row = await add(server)
  server.behaviors.write = async (_args, { response }) => {
    await waitUntil(() => response.headersSent)
    response.end()
    return new Promise(() => {})
  }
  expect(await use(row, 'write')).toMatchObject({ isError: true, text: expect.stringContaining('broke off') })
})

it('says so where nobody listens', async () => {
  const server = await start('streamable')
  const row = await add(server)
  await server.stop()
  const result = await use(row, 'echo', { text: 'x' })
  expect(result).toMatchObject({ isError: true, text: expect.stringContaining('refused the connection') })
})

it('says so where a server does not let it in', async () => {
  const server = await start('streamable')
  const row = await add(server)
  server.intercept = (_request, response) => {
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
    return true
  }
  const result = await use(row, 'echo')
  expect(result.text).toBe(`The server ${row.name} did not do it: it refused the credentials (status 401).`)
})

it('does not wait for ever for a stream that says nothing', async () => {
  const server = await start('sse')
  const row = await add(server)
  server.intercept = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n')
    return true
  }
  const impatient = createRemoteMcp({ connectMs: 100, timeoutMs: 10_000, idleMs })
  const result = await runTool(
    deps,
    impatient,
    { ...row, settings: { ...row.settings, transport: 'sse' } },
    {},
    {
      toolName: `${row.name}__echo`,
    },
  )
  expect(result).toMatchObject({ isError: true, text: expect.stringContaining('did not answer in time') })
  await impatient.close()
})

it('is not led to another host by the endpoint that a server names', async () => {
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

it('follows no redirect to another host', async () => {
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

it('shows the text of an answer, and of the rest that it was there', async () => {
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
    'A picture:\n[image (image/png), which cannot be shown]\na file\n[file file:///b, which cannot be shown]\n[link: more, https://example.com/]',
  )
  server.behaviors.echo = () => ({ content: [], structuredContent: { a: 1 } })
  expect((await use(row, 'echo')).text).toBe('{"a":1}')
  server.behaviors.echo = () => ({ content: [] })
  expect((await use(row, 'echo')).text).toBe('Done.')
  server.behaviors.echo = () => textResult('x'.repeat(100_000))
  expect((await use(row, 'echo')).text).toMatch(/^x{16384}… \[The answer is longer/)
})

it('tells on a test call what would have been done, and does nothing', async () => {
  const server = await start('streamable')
  const row = await add(server)
  expect(hasEffects(remoteMcp, row, `${row.name}__write`)).toBe(true)
  expect(hasEffects(remoteMcp, row, `${row.name}__echo`)).toBe(false)
  const result = await use(row, 'write', { a: 1 }, { dryRun: true })
  expect(result.text).toContain(`${row.name}__write would have been used with {"a":1}`)
  expect(server.calls).toEqual([])
})

it('does not reach loopback from a service that the world reaches', async () => {
  const server = await start('streamable')
  const row = await add(server)
  const online = { ...deps, config: publicConfig }
  const result = await runTool(online, remoteMcp, row, {}, { toolName: `${row.name}__echo` })
  expect(result).toMatchObject({ isError: true, text: expect.stringContaining('cannot be reached') })
  await expect(addRemoteServer(online, workspaceId, input(server))).rejects.toMatchObject({
    details: [{ field: 'url' }],
  })
  expect(server.sessions).toBe(0)
})

it('passes only the chosen tools on', async () => {
  const server = await start('streamable')
  server.pageSize = 1
  expect(remoteMcp.definitions(await add(server)).map(({ name }) => name.split('__')[1])).toEqual([
    'echo',
    'write',
  ])
  expect(remoteMcp.definitions(await add(server, { tools: ['write'] }))).toMatchObject([
    { description: 'Keeps it.' },
  ])
  await expect(add(server, { tools: ['read'] })).rejects.toMatchObject({
    details: [{ field: 'tools', message: 'The server has no tool named read.' }],
  })
})

it('shows which tools cannot be passed on, and why, and passes the others on', async () => {
  const server = await start('streamable')
  const remote: Tool = {
    name: 'remote',
    inputSchema: { type: 'object', properties: { a: { $ref: 'https://x/' } } },
  }
  const recursive: Tool = {
    name: 'recursive',
    inputSchema: {
      type: 'object',
      $defs: { tree: { type: 'object', properties: { tree: { $ref: '#/$defs/tree' } } } },
      properties: { tree: { $ref: '#/$defs/tree' } },
    },
  }
  const named: Tool = { name: 'two words', inputSchema: { type: 'object' } }
  server.tools = [echo, remote, recursive, named]
  const { id } = await add(server, { tools: [] })
  const { listed } = await listRemoteServer(deps, workspaceId, id)
  expect(listed.map(({ name, issues }) => [name, issues.length])).toEqual([
    ['echo', 0],
    ['remote', 1],
    ['recursive', 0],
    ['two words', 1],
  ])
  const row = await add(server)
  expect(remoteMcp.definitions(row).map(({ name }) => name.split('__')[1])).toEqual(['echo', 'recursive'])
  await expect(add(server, { tools: ['remote'] })).rejects.toMatchObject({
    details: [{ field: 'tools', message: expect.stringContaining('not fetched') }],
  })
})

it('lists tools anew when it is asked to, and drops those that are gone', async () => {
  const server = await start('streamable')
  const row = await add(server)
  server.tools = [
    { ...echo, description: 'Says it twice.' },
    { ...write, name: 'read' },
  ]
  expect(await refreshRemoteServer(deps, workspaceId, row.id)).toEqual({
    tools: ['echo'],
    dropped: ['write'],
    others: ['read'],
  })
  const refreshed = await readTool(deps, workspaceId, 'remote_mcp', row.id)
  expect(refreshed.version).toBe(row.version + 1)
  expect(remoteMcp.definitions(refreshed)).toMatchObject([{ description: 'Says it twice.' }])
  expect(changes).toEqual([{ workspaceId }, { workspaceId }])
})

it('uses another session for another version', async () => {
  const server = await start('streamable')
  const row = await add(server, {
    headers: { 'X-Key': '{{secret.KEY}}' },
    secrets: { KEY: 'key-number-one' },
  })
  server.behaviors.echo = (_args, { headers }) => textResult(String(headers['x-key']?.length))
  await use(row, 'echo')
  await editRemoteServer(deps, workspaceId, row.id, {
    secrets: { KEY: 'key-number-fifteen' },
    tools: ['echo'],
  })
  const edited = await readTool(deps, workspaceId, 'remote_mcp', row.id)
  expect((await use(edited, 'echo')).text).toBe(String('key-number-fifteen'.length))
})

it('does not send a secret to another host unless it is given again', async () => {
  const [server, other] = [await start('streamable'), await start('streamable')]
  const row = await add(server, {
    headers: { 'X-Key': '{{secret.KEY}}' },
    secrets: { KEY: 'key-number-one' },
  })
  await expect(editRemoteServer(deps, workspaceId, row.id, { url: other.url })).rejects.toMatchObject({
    details: [{ field: 'secrets' }],
  })
  expect(other.sessions).toBe(0)
})

it.each<[string, Partial<RemoteServerInput>, string]>([
  ['a name with two underscores', { name: 'a__b' }, 'name'],
  ['no description', { description: '' }, 'description'],
  ['a URL that is none', { url: 'mcp' }, 'url'],
  ['a place for arguments in the URL', { url: 'https://example.com/{a}' }, 'url'],
  ['a header of the protocol', { headers: { 'Mcp-Session-Id': '1' } }, 'headers'],
  ['a secret that is not given', { headers: { a: '{{secret.KEY}}' } }, 'secrets'],
])('refuses a server with %s', async (_what, wrong, field) => {
  const server = await start('streamable')
  await expect(addRemoteServer(deps, workspaceId, input(server, wrong))).rejects.toMatchObject({
    code: 'validation_failed',
    details: [expect.objectContaining({ field })],
  })
})

it('refuses a server that is none', async () => {
  const server = await start('streamable')
  server.intercept = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello</p>')
    return true
  }
  await expect(add(server)).rejects.toMatchObject({
    details: [{ field: 'url', message: expect.stringContaining('does not answer as an MCP server does') }],
  })
})
