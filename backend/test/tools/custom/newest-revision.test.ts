import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, expect, it } from '@jest/globals'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { addRemoteServer } from '../../../tools/save-remote-server.ts'
import { useRemoteToolWorld } from '../../support/remote-mcp-server.ts'
import { readTool } from '../../support/tools.ts'

const { world, use } = useRemoteToolWorld()

const handler = createMcpHandler(
  () => {
    const server = new McpServer({ name: 'newest', version: '1.0.0' }, { capabilities: { tools: {} } })
    server.registerTool('greet', { description: 'Greets.' }, () => ({
      content: [{ type: 'text', text: 'hello' }],
    }))
    return server
  },
  { legacy: 'reject' },
)
const methods: unknown[] = []
const server = createServer((request, response) => {
  void (async () => {
    const body = await text(request)
    methods.push(Reflect.get(JSON.parse(body) as object, 'method'))
    const headers = new Headers(request.headers as Record<string, string>)
    const url = `http://${request.headers.host}${request.url}`
    const {
      status,
      headers: sent,
      body: stream,
    } = await handler.fetch(new Request(url, { method: request.method ?? 'POST', headers, body }))
    response.writeHead(status, Object.fromEntries(sent))
    response.end(stream === null ? '' : Buffer.from(await new Response(stream).arrayBuffer()))
  })()
})

afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

it('uses the tools of a server that speaks only MCP 2026-07-28', async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { workspaceId } = world.seed
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const { id } = await addRemoteServer(world.deps, workspaceId, { name: 'newest', description: 'New.', url })
  const row = await readTool(world.deps, workspaceId, 'remote_mcp', id)
  expect(await use(row, 'greet')).toEqual({ text: 'hello', isError: false })
  expect(methods).toEqual(['server/discover', 'tools/list', 'server/discover', 'tools/call'])
})
