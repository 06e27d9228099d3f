import type { ServerResponse } from 'node:http'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { RuntimeSecretVerifier } from '../secrets/verify-runtime-secret.ts'
import { EventStream } from './event-stream.ts'
import { receiveMessage, sendAccepted } from './mcp-http.ts'
import type { ToolSessions } from './session-registry.ts'
import { malformedMessage, sessionNotFound } from './tool-server-error.ts'
import type { ToolSession } from './tool-session.ts'
import type { MethodHandlers, ToolTransport, TransportRequest, TransportRoutes } from './tool-transport.ts'

/** The two addresses of HTTP+SSE: the stream, and where its client posts. */
export function createSseRoutes(options: {
  toolSessions: ToolSessions
  secrets: RuntimeSecretVerifier
  publicUrl: string
}): TransportRoutes {
  const { toolSessions, secrets } = options
  // A proxy may serve this service below a path of its own.
  const messagesPath = `${new URL(options.publicUrl).pathname.replace(/\/$/, '')}/api/mcp/messages/`

  const open = async (request: TransportRequest): Promise<void> => {
    const { res, requestId } = request
    const client = await toolSessions.authorize(request)
    if (res.destroyed) return // the client has gone meanwhile
    const id = toolSessions.createId()
    const transport = new SseTransport(res)
    toolSessions.open(client, id, transport)
    transport.open(`${messagesPath}?sessionId=${id}`, requestId)
  }

  const post = ({ req, res, requestId, fail }: TransportRequest): void => {
    const { session, query } = requireSession(toolSessions, req.url ?? '')
    if (!secrets.permits(session.secret, req.headers, query)) throw sessionNotFound()
    receiveMessage(
      req,
      (message) => {
        // It may have ended while the message was on its way.
        if (session.isClosed) throw sessionNotFound()
        session.receive(message)
        sendAccepted(res, requestId)
      },
      fail,
    )
  }

  return new Map<string, MethodHandlers>([
    ['/api/mcp/sse/', { GET: (request) => void open(request).catch(request.fail) }],
    ['/api/mcp/messages/', { POST: post }],
  ])
}

function findSseSession(toolSessions: ToolSessions, id: string): ToolSession | undefined {
  const session = toolSessions.find(id)
  return session?.transport instanceof SseTransport ? session : undefined
}

/** What clients nearly always post to; other spellings are parsed. */
const plainPostUrl = '/api/mcp/messages/?sessionId='

/** @throws {Refusal} malformed_json, not_found */
function requireSession(
  toolSessions: ToolSessions,
  url: string,
): { session: ToolSession; query: URLSearchParams | undefined } {
  const found = url.startsWith(plainPostUrl)
    ? findSseSession(toolSessions, url.slice(plainPostUrl.length))
    : undefined
  if (found !== undefined) return { session: found, query: undefined }
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  const id = query.get('sessionId') ?? query.get('session_id')
  if (id === null)
    throw malformedMessage('sessionId is missing: post to the address that the stream gave.', 'sessionId')
  if (!/^[\w.-]{1,128}$/.test(id))
    throw malformedMessage('sessionId is not one that the stream gave.', 'sessionId')
  const session = findSseSession(toolSessions, id)
  if (session === undefined) throw sessionNotFound()
  return { session, query }
}

/**
 * HTTP+SSE (MCP 2024-11-05): what the server says travels on one stream, what the client says is posted to the address
 * that the stream begins with.
 */
export class SseTransport implements ToolTransport {
  onmessage: ((message: JSONRPCMessage) => void) | undefined
  onclose: (() => void) | undefined
  onerror: ((error: Error) => void) | undefined
  readonly #stream: EventStream

  constructor(res: ServerResponse) {
    this.#stream = new EventStream(res)
    res.on('close', () => this.onclose?.())
  }

  /** `address`: where messages of this session are posted. */
  open(messagesUrl: string, requestId: string): void {
    this.#stream.open({ 'X-Request-Id': requestId })
    this.#stream.send('endpoint', messagesUrl)
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    this.write(JSON.stringify(message))
  }

  write(json: string): void {
    this.#stream.send('message', json)
  }

  dropRequest(): void {}

  keepAlive(): void {
    this.#stream.keepAlive()
  }

  async close(): Promise<void> {
    this.#stream.end()
    // Not when the stream has closed: a client that does not read could keep that from happening.
    this.onclose?.()
  }
}
