import type { ServerResponse } from 'node:http'
import type { TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import type { RuntimeSecretVerifier } from '../secrets/verify-runtime-secret.ts'
import { EventStream } from './event-stream.ts'
import { receiveMessage, sendAccepted, sendJson } from './mcp-http.ts'
import { errorJson, findParamsIssue, invalidParams } from './mcp-messages.ts'
import type { ToolSessions } from './session-registry.ts'
import { malformedMessage, sessionNotFound } from './tool-server-error.ts'
import {
  type MethodHandlers,
  parseQuery,
  type ToolTransport,
  type TransportRequest,
  type TransportRoutes,
} from './tool-transport.ts'

/** The one address of Streamable HTTP. Every request shows the secret. */
export function createStreamableRoutes(options: {
  toolSessions: ToolSessions
  secrets: RuntimeSecretVerifier
  now: () => number
}): TransportRoutes {
  const { toolSessions, secrets, now } = options

  const requireTransport = ({ req }: TransportRequest): StreamableTransport => {
    const secret = secrets.require(req.headers, parseQuery(req))
    requireSupportedVersion(req.headers['mcp-protocol-version'])
    const id = req.headers['mcp-session-id']
    if (typeof id !== 'string') {
      throw malformedMessage('Mcp-Session-Id is missing: begin with initialize.', 'Mcp-Session-Id')
    }
    const session = toolSessions.find(id)
    if (session?.secret !== secret || !(session.transport instanceof StreamableTransport))
      throw sessionNotFound()
    return session.transport
  }

  const initialize = async (request: TransportRequest, message: JSONRPCRequest): Promise<void> => {
    const { res, requestId } = request
    const client = await toolSessions.authorize(request)
    if (res.destroyed) return // the client has gone meanwhile
    const issue = findParamsIssue(message)
    if (issue !== undefined) {
      sendJson(res, requestId, errorJson(message.id, invalidParams, issue))
      return
    }
    const id = toolSessions.createId()
    const transport = new StreamableTransport(now())
    toolSessions.open(client, id, transport)
    transport.request(message, now(), (json = '') => {
      if (isResult(json)) return sendJson(res, requestId, json, { 'Mcp-Session-Id': id })
      // Who is refused has no session, and would leave this one to its time limit.
      void transport.close()
      sendJson(res, requestId, json)
    })
  }

  const receive = (request: TransportRequest, message: JSONRPCMessage): void => {
    const { req, res, requestId } = request
    if (isInitialize(message)) {
      if (req.headers['mcp-session-id'] !== undefined)
        throw malformedMessage('This session is initialized already.')
      initialize(request, message).catch(request.fail)
      return
    }
    const transport = requireTransport(request)
    if (!isRequest(message)) {
      transport.notify(message, now())
      sendAccepted(res, requestId)
      return
    }
    transport.request(message, now(), (json) =>
      json === undefined ? sendAccepted(res, requestId) : sendJson(res, requestId, json),
    )
  }

  const post = (request: TransportRequest): void => {
    const { req } = request
    // Before the body is read: strangers send none.
    secrets.require(req.headers, parseQuery(req))
    receiveMessage(req, (message) => receive(request, message), request.fail)
  }

  const methods: MethodHandlers = {
    GET: (request) => requireTransport(request).listen(request.res, { 'X-Request-Id': request.requestId }),
    POST: post,
    DELETE: (request) => {
      void requireTransport(request).close()
      request.res.writeHead(204, { 'X-Request-Id': request.requestId }).end()
    },
  }
  return new Map([['/api/mcp/', methods]])
}

const isResult = (json: string): boolean => json !== '' && 'result' in (JSON.parse(json) as object)

const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest =>
  'method' in message && 'id' in message

const isInitialize = (message: JSONRPCMessage): message is JSONRPCRequest =>
  isRequest(message) && message.method === 'initialize'

function requireSupportedVersion(version: string | string[] | undefined): void {
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))) return
  throw malformedMessage('This MCP-Protocol-Version is not known here.', 'MCP-Protocol-Version')
}

/** Milliseconds after which a session that nobody used, and no stream holds open, is forgotten. */
const idleTimeoutMs = 600_000

/** Answers a post; without an answer where there will be none. */
type Reply = (json?: string) => void

/**
 * Streamable HTTP (MCP 2025-11-25): each request is answered where it was posted, and what the server says by itself
 * goes on a stream of its own, if the client opens one.
 */
export class StreamableTransport implements ToolTransport {
  onmessage: ((message: JSONRPCMessage) => void) | undefined
  onclose: (() => void) | undefined
  onerror: ((error: Error) => void) | undefined
  readonly #replies = new Map<RequestId, Reply>()
  #stream: EventStream | undefined
  #lastUsedAt: number

  constructor(now: number) {
    this.#lastUsedAt = now
  }

  async start(): Promise<void> {}

  /** @throws {Refusal} malformed_json where another request of this id is not answered yet */
  request(message: JSONRPCRequest, now: number, reply: Reply): void {
    this.#lastUsedAt = now
    if (this.#replies.has(message.id))
      throw malformedMessage('Another request of this id is not answered yet.', 'id')
    this.#replies.set(message.id, reply)
    this.onmessage?.(message)
  }

  notify(message: JSONRPCMessage, now: number): void {
    this.#lastUsedAt = now
    this.onmessage?.(message)
  }

  /** A client that comes back takes the stream over. */
  listen(res: ServerResponse, headers: Record<string, string>): void {
    this.#stream?.end()
    const stream = new EventStream(res)
    this.#stream = stream
    stream.open(headers)
    stream.flush()
    res.on('close', () => {
      if (this.#stream === stream) this.#stream = undefined
    })
  }

  async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const requestId = 'method' in message ? options?.relatedRequestId : message.id
    this.write(JSON.stringify(message), requestId)
  }

  write(json: string, requestId?: RequestId): void {
    if (requestId === undefined) {
      this.#stream?.send('message', json)
      return
    }
    this.#sendReply(requestId, json)
  }

  dropRequest(requestId: RequestId): void {
    this.#sendReply(requestId)
  }

  keepAlive(now: number): void {
    if (this.#stream !== undefined || this.#replies.size > 0) this.#lastUsedAt = now
    this.#stream?.keepAlive()
    if (now - this.#lastUsedAt > idleTimeoutMs) void this.close()
  }

  async close(): Promise<void> {
    this.#stream?.end()
    this.onclose?.()
    for (const id of [...this.#replies.keys()]) this.#sendReply(id)
  }

  #sendReply(id: RequestId, json?: string): void {
    const reply = this.#replies.get(id)
    this.#replies.delete(id)
    reply?.(json)
  }
}
