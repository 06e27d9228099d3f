import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach } from '@jest/globals'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js'
import { createRemoteMcp } from '../../tools/custom/remote-mcp-tool.ts'
import type { ToolRow } from '../../tools/kinds/tool-kind.ts'
import { addRemoteServer, type RemoteServerInput } from '../../tools/save-remote-server.ts'
import { readTool, runTool, useToolWorld } from './tools.ts'

/** What a tool of the server does. `signal` aborts when the call is canceled. */
type ToolBehavior = (
  args: Record<string, unknown>,
  extra: { signal: AbortSignal; headers: IncomingMessage['headers']; response: ServerResponse },
) => CallToolResult | Promise<CallToolResult>

export const textResult = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] })

/** A remote MCP server on loopback, built with the SDK. It can be stopped and restarted on the same port. */
export class RemoteMcpServer {
  tools: Tool[] = []
  behaviors: Record<string, ToolBehavior> = {}
  /** The number of tools on each page of the tool list. */
  pageSize = 100
  /** Can respond to a request instead of the server. Returns true if it did. */
  intercept: (request: IncomingMessage, response: ServerResponse, body: string) => boolean = () => false
  /** The number of sessions that clients have opened so far. */
  sessions = 0
  /** The names of the called tools, in order. */
  calls: string[] = []
  readonly transport: 'streamable' | 'sse'
  readonly #json: boolean
  #http: HttpServer | undefined
  #port = 0
  #streamable = new Map<string, StreamableHTTPServerTransport>()
  #sse = new Map<string, SSEServerTransport>()
  readonly #answering = new AsyncLocalStorage<ServerResponse>()

  constructor(transport: 'streamable' | 'sse', options: { json?: boolean } = {}) {
    this.transport = transport
    this.#json = options.json ?? false
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`
  }

  /** The number of sessions that are open now. */
  get open(): number {
    return this.#streamable.size + this.#sse.size
  }

  async start(): Promise<void> {
    this.#http = createServer((request, response) => void this.#handle(request, response))
    this.#http.listen(this.#port, '127.0.0.1')
    await once(this.#http, 'listening')
    this.#port = (this.#http.address() as AddressInfo).port
  }

  /** Stops the server without ending its sessions, as if its process had crashed. */
  async stop(): Promise<void> {
    const http = this.#http
    if (http === undefined) return
    this.#http = undefined
    this.#streamable.clear()
    this.#sse.clear()
    http.closeAllConnections()
    http.close()
    await once(http, 'close')
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    if (this.intercept(request, response, body)) return
    const message: unknown = body === '' ? undefined : JSON.parse(body)
    if (this.transport === 'sse') return this.#handleSse(request, response, message)
    return this.#handleStreamable(request, response, message)
  }

  async #handleStreamable(
    request: IncomingMessage,
    response: ServerResponse,
    message: unknown,
  ): Promise<void> {
    const id = request.headers['mcp-session-id']
    const known = typeof id === 'string' ? this.#streamable.get(id) : undefined
    if (known !== undefined)
      return this.#answering.run(response, () => known.handleRequest(request, response, message))
    if (id !== undefined) return void response.writeHead(404).end('Session not found')
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: this.#json,
      onsessioninitialized: (session) => {
        this.sessions += 1
        this.#streamable.set(session, transport)
      },
      onsessionclosed: (session) => void this.#streamable.delete(session),
    })
    await this.#createServer().connect(transport)
    await transport.handleRequest(request, response, message)
  }

  async #handleSse(request: IncomingMessage, response: ServerResponse, message: unknown): Promise<void> {
    const url = new URL(request.url ?? '', 'http://here')
    if (url.pathname === '/messages') {
      const known = this.#sse.get(url.searchParams.get('sessionId') ?? '')
      if (known === undefined) return void response.writeHead(404).end('Session not found')
      return this.#answering.run(response, () => known.handlePostMessage(request, response, message))
    }
    if (request.method !== 'GET') return void response.writeHead(405).end()
    const transport = new SSEServerTransport('/messages', response)
    this.sessions += 1
    this.#sse.set(transport.sessionId, transport)
    response.on('close', () => this.#sse.delete(transport.sessionId))
    await this.#createServer().connect(transport)
  }

  #createServer(): Server {
    const server = new Server({ name: 'remote', version: '1.0.0' }, { capabilities: { tools: {} } })
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
      const from = Number(params?.cursor ?? 0)
      const to = from + this.pageSize
      const more = to < this.tools.length
      return { tools: this.tools.slice(from, to), ...(more && { nextCursor: String(to) }) }
    })
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, requestInfo }) => {
      this.calls.push(params.name)
      const behavior = this.behaviors[params.name]
      if (behavior === undefined) throw new Error(`no tool ${params.name}`)
      const headers = (requestInfo?.headers ?? {}) as IncomingMessage['headers']
      const response = this.#answering.getStore()
      if (response === undefined) throw new Error('a call outside of a request')
      return behavior(params.arguments ?? {}, { signal, headers, response })
    })
    return server
  }
}

/** A tool for the servers that `useRemoteServerWorld` starts. */
export const echo: Tool = {
  name: 'echo',
  description: 'Repeats the text.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  annotations: { readOnlyHint: true },
}
export const write: Tool = { name: 'write', description: 'Saves the text.', inputSchema: { type: 'object' } }

/** Gives every test a new workspace and functions that start servers for it. The servers are stopped after the test. */
export function useRemoteServerWorld() {
  const { world, changes } = useToolWorld()
  const servers: RemoteMcpServer[] = []
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()))
  })
  let serverCount = 0
  const input = (server: RemoteMcpServer, more: Partial<RemoteServerInput> = {}): RemoteServerInput => ({
    name: `crm${(serverCount += 1)}`,
    description: 'The CRM.',
    url: server.url,
    ...more,
  })
  return {
    world,
    changes,
    start: async (
      transport: 'streamable' | 'sse',
      options: { json?: boolean } = {},
    ): Promise<RemoteMcpServer> => {
      const server = new RemoteMcpServer(transport, options)
      servers.push(server)
      server.tools = [echo, write]
      server.behaviors = {
        echo: ({ text }) => textResult(String(text)),
        write: () => textResult('kept'),
      }
      await server.start()
      return server
    },
    input,
    add: async (
      server: RemoteMcpServer,
      more: Partial<RemoteServerInput> & { tools?: string[] } = {},
    ): Promise<ToolRow> => {
      const { deps, seed } = world
      const { id } = await addRemoteServer(deps, seed.workspaceId, { ...input(server), ...more })
      server.sessions = 0
      return readTool(deps, seed.workspaceId, 'remote_mcp', id)
    },
  }
}

/** How long a session that `useRemoteToolWorld` opens can be idle. */
export const idleMs = 60_000

export const uncertainEffect = "The request may have taken effect. Don't repeat it."

/** Extends `useRemoteServerWorld` with `use`, which calls a server's tool. The sessions end after the test. */
export function useRemoteToolWorld() {
  const remoteMcp = createRemoteMcp({ connectMs: 5_000, timeoutMs: 10_000, idleMs })
  // This hook must run before the servers' hooks. Jest runs these hooks in registration order.
  afterEach(() => remoteMcp.close())
  const servers = useRemoteServerWorld()
  return {
    ...servers,
    remoteMcp,
    use: (row: ToolRow, tool: string, args: Record<string, unknown> = {}, more: object = {}) =>
      runTool(servers.world.deps, remoteMcp, row, args, { toolName: `${row.name}__${tool}`, ...more }),
  }
}
