import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

interface ToolOutput {
  text: string
  isError?: boolean
}

export interface TestToolServer {
  url: string
  /** The tool calls, in order. */
  calls: { name: string; args: unknown }[]
  /** For every session that was requested, its parameters and secret. */
  openedSessions: {
    widgetId: string | null
    callId: string | null
    secret: string | undefined
    query: string
  }[]
  /** Returns the number of open sessions. */
  openSessionCount(): number
  close(): Promise<void>
}

/** Starts a tool server that uses the SDK's server and the test's tools. */
export async function startToolServer(
  tools: Record<string, (args: unknown) => ToolOutput | Promise<ToolOutput>>,
  options: { secret?: string; schemas?: Record<string, object> } = {},
): Promise<TestToolServer> {
  const calls: TestToolServer['calls'] = []
  const openedSessions: TestToolServer['openedSessions'] = []
  const sessions = new Map<string, SSEServerTransport>()

  const http = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (request.method === 'POST') {
      const session = sessions.get(url.searchParams.get('sessionId') ?? '')
      void (session?.handlePostMessage(request, response) ?? response.writeHead(404).end())
      return
    }
    openedSessions.push({
      widgetId: url.searchParams.get('widget_id'),
      callId: url.searchParams.get('call_id'),
      secret: getSecret(request),
      query: url.search,
    })
    if (options.secret !== undefined && getSecret(request) !== options.secret) {
      response.writeHead(401).end()
      return
    }
    const transport = new SSEServerTransport('/api/mcp/messages/', response)
    sessions.set(transport.sessionId, transport)
    response.on('close', () => sessions.delete(transport.sessionId))
    void createMcpServer(tools, calls, options.schemas ?? {}).connect(transport)
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    calls,
    openedSessions,
    openSessionCount: () => sessions.size,
    close: async () => {
      http.closeAllConnections()
      http.close()
      await once(http, 'close')
    },
  }
}

const getSecret = ({ headers }: IncomingMessage) => headers['x-agent-secret']?.toString()

function createMcpServer(
  tools: Record<string, (args: unknown) => ToolOutput | Promise<ToolOutput>>,
  calls: TestToolServer['calls'],
  schemas: Record<string, object>,
): Server {
  const server = new Server({ name: 'test', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object', ...schemas[name] } })),
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    calls.push({ name: params.name, args: params.arguments })
    const { text, isError = false } = (await tools[params.name]?.(params.arguments)) ?? { text: 'unknown' }
    return { content: [{ type: 'text', text }], isError }
  })
  return server
}
