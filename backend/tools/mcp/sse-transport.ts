import type { ServerResponse } from 'node:http'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { toolSessionPaths } from '../../platform/core/runtime-paths.ts'
import { digestCredentials, permitsCredentials } from '../../platform/secrets/verify-runtime-credential.ts'
import { type Backlog, EventStream } from './event-stream.ts'
import { readMessage, sendAccepted } from './mcp-http.ts'
import { toJson } from './mcp-messages.ts'
import { requireDelivered, type SessionReply, type SessionRequest } from './remote-sessions.ts'
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

const messagesPath = '/api/mcp/messages/'

/**
 * Creates the routes of HTTP+SSE: one for the stream, and one for the client's messages. `handle` handles a message that
 * another process received.
 */
export function createSseRoutes(options: { toolSessions: ToolSessions; backlog: Backlog }): {
  routes: TransportRoutes
  handle: (request: SessionRequest) => SessionReply
} {
  const { toolSessions, backlog } = options

  const open = async (request: TransportRequest): Promise<void> => {
    const { res, requestId } = request
    const client = await toolSessions.authorize(request)
    if (res.destroyed) return // the client has disconnected
    const id = toolSessions.createId()
    const transport = new SseTransport(res, backlog)
    toolSessions.open(client, id, transport)
    transport.open(`${messagesPath}?sessionId=${id}`, requestId)
  }

  const post = async (request: TransportRequest): Promise<void> => {
    const { req, res, requestId } = request
    const query = parseQuery(req)
    const sessionId = requireSessionId(query)
    const digests = digestCredentials(req.headers, query)
    const isOwn = toolSessions.isOwn(sessionId)
    // Finds the session before the body is read, so that clients without a valid credential can't send a body.
    const session = findSession(sessionId, digests)
    if (isOwn && session === undefined) throw sessionNotFound()
    // If another process has the session, that process checks the credential, after the body is read here.
    const message = await readMessage(request, session?.credential ?? null)
    const forwarded = { transport: 'sse', method: 'POST', sessionId, digests, message } as const
    requireDelivered(isOwn ? handle(forwarded) : await toolSessions.forward(forwarded))
    sendAccepted(res, requestId)
  }

  const handle = ({ sessionId, digests, message }: SessionRequest): SessionReply => {
    // The session may have ended while the message was being read.
    const session = findSession(sessionId, digests)
    if (session === undefined || message === undefined) return { state: 'not_found' }
    session.receive(message)
    return { state: 'accepted' }
  }

  const findSession = (id: string, digests: readonly string[]): ToolSession | undefined => {
    const session = toolSessions.find(id)
    if (!(session?.transport instanceof SseTransport)) return undefined
    return permitsCredentials(session.credential, digests) ? session : undefined
  }

  const routes = new Map<string, MethodHandlers>([
    [`${toolSessionPaths.sse}/`, { GET: open }],
    [messagesPath, { POST: post }],
  ])
  return { routes, handle }
}

/** @throws {ToolServerError} malformed_json */
function requireSessionId(query: URLSearchParams): string {
  const id = query.get('sessionId') ?? query.get('session_id')
  if (id === null) throw malformedMessage('sessionId', 'invalid.endpoint_missing')
  if (!/^[\w.-]{1,128}$/.test(id)) throw malformedMessage('sessionId', 'invalid.endpoint')
  return id
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
    this.#stream.send('message', toJson(message))
  }

  dropRequest(): void {
    // Nothing to do: the client's POST got a 202 when the request arrived.
  }

  keepAlive(): void {
    this.#stream.keepAlive()
  }

  close(): void {
    this.#stream.end()
    // Doesn't wait for the stream to close, because a client that doesn't read could prevent that.
    this.onclose?.()
  }
}
