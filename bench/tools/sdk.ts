import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { resultTextFor, tools } from './kinds.ts'
import { report } from './report.ts'

// The SDK's plain server, set up as in the SDK's examples: without authentication, keep-alive, or validation.
const transports = new Map<string, SSEServerTransport>()

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
http.listen(0, '127.0.0.1', () => report({ port: (http.address() as AddressInfo).port, queries: ['/sse'] }))
