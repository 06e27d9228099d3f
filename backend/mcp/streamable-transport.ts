import type { ServerResponse } from 'node:http'
import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import { minuteMs } from '../core/durations.ts'
import type { RuntimeCredentialVerifier } from '../secrets/verify-runtime-credential.ts'
import { type Backlog, EventStream } from './event-stream.ts'
import { readMessage, sendAccepted, sendJson } from './mcp-http.ts'
import { errorResponse, findParamsIssue, invalidParams } from './mcp-messages.ts'
import type { ToolSessions } from './session-registry.ts'
import { malformedMessage, sessionNotFound, ToolServerError } from './tool-server-error.ts'
import {
  type MethodHandlers,
  parseQuery,
  type ToolTransport,
  type TransportRequest,
  type TransportRoutes,
} from './tool-transport.ts'

/** Creates the route of Streamable HTTP. Every request must include the credential. */
export function createStreamableRoutes(options: {
  toolSessions: ToolSessions
  credentials: RuntimeCredentialVerifier
  now: () => number
  backlog: Backlog
}): TransportRoutes {
  const { toolSessions, credentials, now, backlog } = options

  const requireTransport = ({ req }: TransportRequest): StreamableTransport => {
    const credential = credentials.require(req.headers, parseQuery(req))
    requireSupportedVersion(req.headers['mcp-protocol-version'])
    const id = req.headers['mcp-session-id']
    if (typeof id !== 'string') throw malformedMessage('Mcp-Session-Id', 'invalid.session_missing')
    const session = toolSessions.find(id)
    const isOpener = session?.credential.digest.equals(credential.digest) === true
    if (!isOpener || !(session.transport instanceof StreamableTransport)) throw sessionNotFound()
    return session.transport
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
    const transport = requireTransport(request)
    if (isRequest(message)) {
      sendResponse(res, requestId, await transport.request(message, now()))
    } else {
      transport.notify(message, now())
      sendAccepted(res, requestId)
    }
  }

  const methods: MethodHandlers = {
    GET: (request) => requireTransport(request).listen(request.res, { 'X-Request-Id': request.requestId }),
    POST: post,
    DELETE: (request) => {
      requireTransport(request).close()
      request.res.writeHead(204, { 'X-Request-Id': request.requestId }).end()
    },
  }
  return new Map([['/api/mcp/', methods]])
}

/** Sends the response, or a 202 if there is none because the client canceled its request or the session has ended. */
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

  /**
   * Resolves with the response, or with undefined if there won't be one.
   *
   * @throws {ToolServerError} malformed_json if another request with this ID is in progress
   */
  async request(message: JSONRPCRequest, now: number): Promise<JSONRPCMessage | undefined> {
    this.#lastUsedAt = now
    if (this.#pending.has(message.id)) throw malformedMessage('id', 'invalid.request_id')
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
    if ('method' in message) this.#stream?.send('message', JSON.stringify(message))
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
