import type { ServerResponse } from 'node:http'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { toolSessionPath } from '../core/runtime-paths.ts'
import type { RuntimeCredentialVerifier } from '../secrets/verify-runtime-credential.ts'
import { type Backlog, EventStream } from './event-stream.ts'
import { readMessage, sendAccepted } from './mcp-http.ts'
import type { ToolSessions } from './session-registry.ts'
import { malformedMessage, sessionNotFound } from './tool-server-error.ts'
import type { ToolSession } from './tool-session.ts'
import {
  type MethodHandlers,
  parseQuery,
  type ToolTransport,
  type TransportRequest,
  type TransportRoutes,
} from './tool-transport.ts'

/** Creates the routes of HTTP+SSE: one for the stream, and one for the client's messages. */
export function createSseRoutes(options: {
  toolSessions: ToolSessions
  credentials: RuntimeCredentialVerifier
  publicUrl: string
  backlog: Backlog
}): TransportRoutes {
  const { toolSessions, credentials, backlog } = options
  // A proxy may serve this service under a path prefix.
  const messagesPath = `${new URL(options.publicUrl).pathname.replace(/\/$/, '')}/api/mcp/messages/`

  const open = async (request: TransportRequest): Promise<void> => {
    const { res, requestId } = request
    const client = await toolSessions.authorize(request)
    if (res.destroyed) return // the client has disconnected
    const id = toolSessions.createId()
    const transport = new SseTransport(res, backlog)
    toolSessions.open(client, id, transport)
    transport.open(`${messagesPath}?sessionId=${id}`, requestId)
  }

  const post = async ({ req, res, requestId }: TransportRequest): Promise<void> => {
    const query = parseQuery(req)
    const session = requireSession(toolSessions, query)
    if (!credentials.permits(session.credential, req.headers, query)) throw sessionNotFound()
    const message = await readMessage(req)
    // The session may have ended while the message was being read.
    if (session.isClosed) throw sessionNotFound()
    session.receive(message)
    sendAccepted(res, requestId)
  }

  return new Map<string, MethodHandlers>([
    [`${toolSessionPath}/`, { GET: open }],
    ['/api/mcp/messages/', { POST: post }],
  ])
}

/** @throws {ToolServerError} malformed_json, not_found */
function requireSession(toolSessions: ToolSessions, query: URLSearchParams): ToolSession {
  const id = query.get('sessionId') ?? query.get('session_id')
  if (id === null) throw malformedMessage('sessionId', 'invalid.endpoint_missing')
  if (!/^[\w.-]{1,128}$/.test(id)) throw malformedMessage('sessionId', 'invalid.endpoint')
  const session = toolSessions.find(id)
  if (!(session?.transport instanceof SseTransport)) throw sessionNotFound()
  return session
}

/**
 * HTTP+SSE (MCP 2024-11-05): the server sends its messages on a stream. The first event contains the URL for the
 * client's messages.
 */
class SseTransport implements ToolTransport {
  onmessage: ((message: JSONRPCMessage) => void) | undefined
  onclose: (() => void) | undefined
  readonly #stream: EventStream

  constructor(res: ServerResponse, backlog: Backlog) {
    this.#stream = new EventStream(res, backlog)
    res.on('close', () => this.onclose?.())
  }

  /** Opens the stream. The client posts its messages to `messagesUrl`. */
  open(messagesUrl: string, requestId: string): void {
    this.#stream.open({ 'X-Request-Id': requestId })
    this.#stream.send('endpoint', messagesUrl)
  }

  send(message: JSONRPCMessage): void {
    this.#stream.send('message', JSON.stringify(message))
  }

  dropRequest(): void {
    // Nothing to do: the client's POST got a 202 when the request arrived.
  }

  keepAlive(): void {
    this.#stream.keepAlive()
  }

  close(): void {
    this.#stream.end()
    // Don't wait for the stream to close, because a client that doesn't read could prevent that.
    this.onclose?.()
  }
}
