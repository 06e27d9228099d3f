import type { ServerResponse } from 'node:http'
import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import { toErrorMessage, toolResultTexts } from '@outdial/contract'
import { minuteMs } from '../core/durations.ts'
import { toolSessionPaths } from '../core/runtime-paths.ts'
import {
  digestCredentials,
  permitsCredentials,
  type RuntimeCredentialVerifier,
} from '../secrets/verify-runtime-credential.ts'
import { type Backlog, EventStream } from './event-stream.ts'
import { readMessage, sendAccepted, sendJson } from './mcp-http.ts'
import { errorResponse, findParamsIssue, internalError, invalidParams, toJson } from './mcp-messages.ts'
import { requireDelivered, type SessionReply, type SessionRequest } from './remote-sessions.ts'
import type { ToolSessions } from './session-registry.ts'
import { malformedMessage, sessionNotFound, ToolServerError } from './tool-server-error.ts'
import {
  type MethodHandlers,
  parseQuery,
  type ToolTransport,
  type TransportRequest,
  type TransportRoutes,
} from './tool-transport.ts'

/**
 * Creates the route of Streamable HTTP. Every request must include the credential. `handle` handles a request that
 * another process received.
 */
export function createStreamableRoutes(options: {
  toolSessions: ToolSessions
  credentials: RuntimeCredentialVerifier
  now: () => number
  backlog: Backlog
}): { routes: TransportRoutes; handle: (request: SessionRequest) => Promise<SessionReply> } {
  const { toolSessions, credentials, now, backlog } = options

  /** @throws {ToolServerError | ApiError} */
  const toSessionRequest = (
    { req }: TransportRequest,
    method: SessionRequest['method'],
    message?: JSONRPCMessage,
  ): SessionRequest => {
    const query = parseQuery(req)
    credentials.require(req.headers, query)
    requireSupportedVersion(req.headers['mcp-protocol-version'])
    const sessionId = req.headers['mcp-session-id']
    if (typeof sessionId !== 'string') throw malformedMessage('Mcp-Session-Id', 'invalid.session_missing')
    const digests = digestCredentials(req.headers, query)
    return { transport: 'streamable', method, sessionId, digests, message }
  }

  const findSession = ({ sessionId, digests }: SessionRequest) => {
    const session = toolSessions.find(sessionId)
    if (!(session?.transport instanceof StreamableTransport) || digests.length === 0) return undefined
    const { transport } = session
    return permitsCredentials(session.credential, digests) ? { session, transport } : undefined
  }

  const handle = async (request: SessionRequest): Promise<SessionReply> => {
    const found = findSession(request)
    if (found === undefined) return { state: 'not_found' }
    const { session, transport } = found
    const { method, message } = request
    if (method === 'DELETE') session.close()
    if (message === undefined) return { state: 'accepted' }
    if (!isRequest(message)) {
      transport.notify(message, now())
      return { state: 'accepted' }
    }
    if (transport.isPending(message.id)) return { state: 'repeated_id' }
    const response = await transport.request(message, now())
    return response === undefined ? { state: 'accepted' } : { state: 'responded', response }
  }

  const deliver = async (request: SessionRequest): Promise<SessionReply> => {
    const reply = await (toolSessions.isOwn(request.sessionId)
      ? handle(request)
      : toolSessions.forward(request))
    requireDelivered(reply)
    return reply
  }

  const initialize = async (request: TransportRequest, message: JSONRPCRequest): Promise<void> => {
    const { req, res, requestId } = request
    if (req.headers['mcp-session-id'] !== undefined) throw new ToolServerError('malformed_json.initialized')
    const client = await toolSessions.authorize(request)
    if (res.destroyed) return // the client has disconnected
    const issue = findParamsIssue(message)
    if (issue !== undefined) {
      sendJson(res, requestId, errorResponse(message.id, invalidParams, issue))
      return
    }
    const id = toolSessions.createId()
    const transport = new StreamableTransport(now(), backlog)
    toolSessions.open(client, id, transport)
    const response = await transport.request(message, now())
    const isInitialized = response !== undefined && 'result' in response
    // A rejected client doesn't get the session ID, so the session would stay open until its idle timeout.
    if (!isInitialized) transport.close()
    sendResponse(res, requestId, response, isInitialized ? { 'Mcp-Session-Id': id } : {})
  }

  const post = async (request: TransportRequest): Promise<void> => {
    const { req, res, requestId } = request
    // Check the credential before reading the body, so that only authenticated clients can send one.
    credentials.require(req.headers, parseQuery(req))
    const message = await readMessage(req)
    if (isInitialize(message)) return initialize(request, message)
    const reply = await deliver(toSessionRequest(request, 'POST', message))
    if (reply.state === 'responded') sendJson(res, requestId, reply.response)
    else if (reply.state === 'unanswered' && isRequest(message))
      sendJson(res, requestId, errorResponse(message.id, internalError, unansweredMessage))
    else sendAccepted(res, requestId)
  }

  const get = async (request: TransportRequest): Promise<void> => {
    const opened = toSessionRequest(request, 'GET')
    if (!toolSessions.isOwn(opened.sessionId)) {
      await deliver(opened)
      throw streamElsewhere()
    }
    const found = findSession(opened)
    if (found === undefined) throw sessionNotFound()
    found.transport.listen(request.res, { 'X-Request-Id': request.requestId })
  }

  const methods: MethodHandlers = {
    GET: get,
    POST: post,
    DELETE: async (request) => {
      await deliver(toSessionRequest(request, 'DELETE'))
      request.res.writeHead(204, { 'X-Request-Id': request.requestId }).end()
    },
  }
  return { routes: new Map([[toolSessionPaths.streamable, methods]]), handle }
}

/**
 * Returns the error for a session of another process, which doesn't pass its notifications on. The protocol has this
 * status for servers without a stream, so clients do without one.
 */
function streamElsewhere(): ToolServerError {
  const methods = 'POST, DELETE'
  return new ToolServerError('method_not_allowed', {
    values: { method: 'GET', methods },
    headers: { Allow: methods },
  })
}

/** A response with an error status could make the client send the request again. */
const unansweredMessage = toErrorMessage(toolResultTexts.unanswered)

/** Sends the response, or a 202 if there is none because the client canceled its request. */
function sendResponse(
  res: ServerResponse,
  requestId: string,
  response: JSONRPCMessage | undefined,
  headers: Record<string, string> = {},
): void {
  if (response === undefined) sendAccepted(res, requestId)
  else sendJson(res, requestId, response, headers)
}

const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest =>
  'method' in message && 'id' in message

const isInitialize = (message: JSONRPCMessage): message is JSONRPCRequest =>
  isRequest(message) && message.method === 'initialize'

function requireSupportedVersion(version: string | string[] | undefined): void {
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))) return
  throw malformedMessage('MCP-Protocol-Version', 'invalid.version')
}

/** A session without an open stream ends after this time without requests. */
const idleTimeoutMs = 10 * minuteMs

type Resolve = (response?: JSONRPCMessage) => void

/**
 * Streamable HTTP (MCP 2025-11-25): each POST gets the response to its request. The server sends notifications on a
 * separate stream if the client opens one.
 */
class StreamableTransport implements ToolTransport {
  onmessage: ((message: JSONRPCMessage) => void) | undefined
  onclose: (() => void) | undefined
  readonly #pending = new Map<RequestId, Resolve>()
  readonly #backlog: Backlog
  #stream: EventStream | undefined
  #lastUsedAt: number

  constructor(now: number, backlog: Backlog) {
    this.#backlog = backlog
    this.#lastUsedAt = now
  }

  /** Returns whether a request with this ID is in progress. */
  isPending(id: RequestId): boolean {
    return this.#pending.has(id)
  }

  /** Resolves with the response, or with undefined if there won't be one. */
  async request(message: JSONRPCRequest, now: number): Promise<JSONRPCMessage | undefined> {
    this.#lastUsedAt = now
    return new Promise((resolve) => {
      this.#pending.set(message.id, resolve)
      this.onmessage?.(message)
    })
  }

  notify(message: JSONRPCMessage, now: number): void {
    this.#lastUsedAt = now
    this.onmessage?.(message)
  }

  /** Opens a stream for notifications. Replaces an earlier one, which a client that reconnects may have left open. */
  listen(res: ServerResponse, headers: Record<string, string>): void {
    this.#stream?.end()
    const stream = new EventStream(res, this.#backlog)
    this.#stream = stream
    stream.open(headers)
    stream.flush()
    res.on('close', () => {
      if (this.#stream === stream) this.#stream = undefined
    })
  }

  send(message: JSONRPCMessage): void {
    if ('method' in message) this.#stream?.send('message', toJson(message))
    else if (message.id !== undefined) this.#resolve(message.id, message)
  }

  dropRequest(requestId: RequestId): void {
    this.#resolve(requestId)
  }

  keepAlive(now: number): void {
    if (this.#stream !== undefined || this.#pending.size > 0) this.#lastUsedAt = now
    this.#stream?.keepAlive()
    if (now - this.#lastUsedAt > idleTimeoutMs) this.close()
  }

  close(): void {
    this.#stream?.end()
    this.onclose?.()
    for (const id of [...this.#pending.keys()]) this.#resolve(id)
  }

  #resolve(id: RequestId, response?: JSONRPCMessage): void {
    const resolve = this.#pending.get(id)
    this.#pending.delete(id)
    resolve?.(response)
  }
}
