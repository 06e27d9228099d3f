import { expect, it } from '@jest/globals'
import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { remoteMcp } from '../../tools/custom/remote-mcp-tool.ts'
import {
  addRemoteServer,
  editRemoteServer,
  listRemoteServer,
  refreshRemoteServer,
  type RemoteServerInput,
} from '../../tools/save-remote-server.ts'
import { echo, useRemoteServerWorld, write } from '../support/remote-mcp-server.ts'
import { readTool } from '../support/tools.ts'

const { world, changes, start, input, add } = useRemoteServerWorld()

it('offers all tools of a server by default, and otherwise only the chosen tools', async () => {
  const server = await start('streamable')
  server.pageSize = 1
  expect(remoteMcp.definitions(await add(server)).map(({ name }) => name.split('__')[1])).toEqual([
    'echo',
    'write',
  ])
  expect(remoteMcp.definitions(await add(server, { tools: ['write'] }))).toMatchObject([
    { description: 'Saves the text.' },
  ])
  await expect(add(server, { tools: ['read'] })).rejects.toMatchObject({
    details: [{ field: 'tools', message: 'The server has no tool named read. Select another tool.' }],
  })
})

it("lists which tools can't be used and why, and offers the others", async () => {
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
  const { listed } = await listRemoteServer(world.deps, world.seed.workspaceId, id)
  expect(listed.map(({ name, issues }) => [name, issues.length])).toEqual([
    ['echo', 0],
    ['remote', 1],
    ['recursive', 0],
    ['two words', 1],
  ])
  const row = await add(server)
  expect(remoteMcp.definitions(row).map(({ name }) => name.split('__')[1])).toEqual(['echo', 'recursive'])
  await expect(add(server, { tools: ['remote'] })).rejects.toMatchObject({
    details: [{ field: 'tools', message: expect.stringContaining("doesn't fetch") }],
  })
})

it("doesn't offer tools that run only as MCP tasks, and says why", async () => {
  const server = await start('streamable')
  server.tools = [
    { ...echo, execution: { taskSupport: 'optional' } },
    { ...write, execution: { taskSupport: 'required' } },
  ]
  const row = await add(server)
  expect(remoteMcp.definitions(row).map(({ name }) => name.split('__')[1])).toEqual(['echo'])
  const message =
    "write can't be used. The tool runs only as an MCP task, which Outdial doesn't support. Leave out this tool."
  await expect(add(server, { tools: ['write'] })).rejects.toMatchObject({
    details: [{ field: 'tools', message }],
  })
})

it('rejects a list of tools with more than 10,000 values', async () => {
  const server = await start('streamable')
  const row = await add(server)
  server.tools = Array.from({ length: 3_334 }, (_, at) => ({ ...write, name: `tool${at}` }))
  server.pageSize = server.tools.length
  const text = 'its response is too large: more than 2 MiB, 10,000 values, or 1,000 events'
  const message = expect.stringContaining(text)
  await expect(add(server)).rejects.toMatchObject({ details: [{ field: 'url', message }] })
  await expect(listRemoteServer(world.deps, world.seed.workspaceId, row.id)).rejects.toMatchObject({
    details: [{ message }],
  })
})

it('lists at most 100 tools, and checks them within a time limit and without blocking other work', async () => {
  const server = await start('streamable')
  const { id } = await add(server, { tools: [] })
  const names = Array.from({ length: 950 }, (_, at) => `property${at}`)
  const inputSchema: Tool['inputSchema'] = {
    type: 'object',
    $defs: { part: { type: 'object', properties: { part: { $ref: '#/$defs/part' } } } },
    properties: Object.fromEntries(names.map((name) => [name, { $ref: '#/$defs/part' }])),
  }
  server.tools = Array.from({ length: 150 }, (_, at) => ({ name: `slow${at}`, inputSchema }))
  server.pageSize = 5
  let ticks = 0
  const timer = setInterval(() => (ticks += 1), 10)
  const { listed } = await listRemoteServer(world.deps, world.seed.workspaceId, id)
  clearInterval(timer)
  expect(listed).toHaveLength(100)
  expect(listed.at(-1)?.issues.join()).toContain('takes too long to check')
  expect(ticks).toBeGreaterThan(20)
})

it('a refresh updates the chosen tools and drops tools that no longer exist', async () => {
  const server = await start('streamable')
  const row = await add(server)
  server.tools = [
    { ...echo, description: 'Says it twice.' },
    { ...write, name: 'read' },
  ]
  expect(await refreshRemoteServer(world.deps, world.seed.workspaceId, row.id)).toEqual({
    tools: ['echo'],
    dropped: ['write'],
    others: ['read'],
  })
  const refreshed = await readTool(world.deps, world.seed.workspaceId, 'remote_mcp', row.id)
  expect(refreshed.version).toBe(row.version + 1)
  expect(remoteMcp.definitions(refreshed)).toMatchObject([{ description: 'Says it twice.' }])
  expect(changes).toEqual([{ workspaceId: world.seed.workspaceId }, { workspaceId: world.seed.workspaceId }])
})

it('rejects an edit that would send a saved secret to another host', async () => {
  const [server, other] = [await start('streamable'), await start('streamable')]
  const row = await add(server, {
    headers: { 'X-Key': '{{secret.KEY}}' },
    secrets: { KEY: 'key-number-one' },
  })
  await expect(
    editRemoteServer(world.deps, world.seed.workspaceId, row.id, { url: other.url }),
  ).rejects.toMatchObject({
    details: [{ field: 'secrets' }],
  })
  expect(other.sessions).toBe(0)
})

it.each<[string, Partial<RemoteServerInput>, string]>([
  ['a name with two underscores', { name: 'a__b' }, 'name'],
  ['no description', { description: '' }, 'description'],
  ['an invalid URL', { url: 'mcp' }, 'url'],
  ['an argument placeholder in the URL', { url: 'https://example.com/{a}' }, 'url'],
  ['a header of the protocol', { headers: { 'Mcp-Session-Id': '1' } }, 'headers'],
  ['a secret without a value', { headers: { a: '{{secret.KEY}}' } }, 'secrets'],
])('rejects a server with %s', async (_what, wrong, field) => {
  const server = await start('streamable')
  await expect(
    addRemoteServer(world.deps, world.seed.workspaceId, input(server, wrong)),
  ).rejects.toMatchObject({
    code: 'validation_failed',
    details: [expect.objectContaining({ field })],
  })
})

it("rejects a server that isn't an MCP server", async () => {
  const server = await start('streamable')
  server.intercept = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello</p>')
    return true
  }
  await expect(add(server)).rejects.toMatchObject({
    details: [{ field: 'url', message: expect.stringContaining("doesn't respond like an MCP server") }],
  })
})
