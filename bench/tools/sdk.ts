import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type * as serverModule from '@modelcontextprotocol/sdk/server/index.js'
import type * as sseModule from '@modelcontextprotocol/sdk/server/sse.js'
import type * as typesModule from '@modelcontextprotocol/sdk/types.js'
import { resultTextFor, tools } from './kinds.ts'
import { report } from './report.ts'

// The SDK's plain server, set up as in its examples: without authentication, keep-alive, or validation. The argument is
// the folder where the SDK is installed, because its speed depends on the zod next to it.
const modules = path.resolve(process.argv[2] ?? '', 'node_modules')
const load = (file: string): Promise<unknown> =>
  import(path.join(modules, '@modelcontextprotocol/sdk/dist/esm', file))
const { Server } = (await load('server/index.js')) as typeof serverModule
const { SSEServerTransport } = (await load('server/sse.js')) as typeof sseModule
const { CallToolRequestSchema, ListToolsRequestSchema } = (await load('types.js')) as typeof typesModule

const zod = JSON.parse(await readFile(path.join(modules, 'zod/package.json'), 'utf8')) as { version: string }
const transports = new Map<string, InstanceType<typeof SSEServerTransport>>()

function newServer() {
  const server = new Server({ name: 'plain', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => ({
    content: [{ type: 'text', text: resultTextFor(params.name) }],
  }))
  return server
}

const http = createServer((req, res) => {
  const url = new URL(req.url ?? '', 'http://localhost')
  if (req.method === 'GET') {
    const transport = new SSEServerTransport('/messages', res)
    transports.set(transport.sessionId, transport)
    res.on('close', () => transports.delete(transport.sessionId))
    void newServer().connect(transport)
    return
  }
  const transport = transports.get(url.searchParams.get('sessionId') ?? '')
  if (transport === undefined) res.writeHead(404).end()
  else void transport.handlePostMessage(req, res)
})
process.once('disconnect', () => process.exit(0))
http.listen(0, '127.0.0.1', () =>
  report({ port: (http.address() as AddressInfo).port, queries: ['/sse'], zod: zod.version }),
)
