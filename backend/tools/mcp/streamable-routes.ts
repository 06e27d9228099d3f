import type { ServerResponse } from 'node:http'
import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import { toErrorMessage, toolResultTexts } from '@outdial/contract'
import { toolSessionPaths } from '../../platform/core/runtime-paths.ts'
import {
  digestCredentials,
  permitsCredentials,
  type RuntimeCredentialVerifier,
} from '../../platform/secrets/verify-runtime-credential.ts'
import type { Backlog } from './event-stream.ts'
import { readMessage, sendAccepted, sendJson } from './mcp-http.ts'
import { errorResponse, findParamsIssue, internalError, invalidParams } from './mcp-messages.ts'
import { requireDelivered, type SessionReply, type SessionRequest } from './remote-sessions.ts'
import type { ToolSessions } from './session-registry.ts'
import { handleSessionless, isSessionless } from './sessionless-requests.ts'
import { StreamableTransport } from './streamable-transport.ts'
import { malformedMessage, ToolServerError } from './tool-server-error.ts'
import {
  type MethodHandlers,
  parseQuery,
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

  /**
   * Handles a request here, or in the process that has the session. If that process is gone, the session continues here,
   * because no known client opens a new session when it gets the 404 that the protocol has for this.
   */
  const deliver = async (request: TransportRequest, sent: SessionRequest): Promise<SessionReply> => {
    const { sessionId } = sent
    const forwarded = toolSessions.isOwn(sessionId) ? undefined : await toolSessions.forward(sent)
    const isElsewhere = forwarded !== undefined && forwarded.state !== 'gone'
    if (!isElsewhere && toolSessions.canContinue(sessionId)) {
      const client = await toolSessions.authorize(request)
      // Another request may have continued or ended the session meanwhile.
      if (toolSessions.canContinue(sessionId))
        toolSessions.open(client, sessionId, new StreamableTransport(now(), backlog))
    }
    const reply = isElsewhere ? forwarded : await handle(sent)
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
    // Checks the credential before reading the body, so that only authenticated clients can send a body.
    const credential = credentials.require(req.headers, parseQuery(req))
    const message = await readMessage(request, credential)
    if (isSessionless(message, req.headers)) return handleSessionless(options, request, message)
    if (isInitialize(message)) return initialize(request, message)
    const reply = await deliver(request, toSessionRequest(request, 'POST', message))
    if (reply.state === 'responded') sendJson(res, requestId, reply.response)
    else if (reply.state === 'unanswered' && isRequest(message))
      sendJson(res, requestId, errorResponse(message.id, internalError, unansweredMessage))
    else sendAccepted(res, requestId)
  }

  const get = async (request: TransportRequest): Promise<void> => {
    const opened = toSessionRequest(request, 'GET')
    await deliver(request, opened)
    const found = findSession(opened)
    if (found === undefined) throw streamElsewhere()
    found.transport.listen(request.res, { 'X-Request-Id': request.requestId })
  }

  const methods: MethodHandlers = {
    GET: get,
    POST: post,
    DELETE: async (request) => {
      await deliver(request, toSessionRequest(request, 'DELETE'))
      request.res.writeHead(204, { 'X-Request-Id': request.requestId }).end()
    },
  }
  return { routes: new Map([[toolSessionPaths.streamable, methods]]), handle }
}

/**
 * Returns the error for a request to open the stream of a session that another process has. Processes don't pass on
 * notifications. The protocol has status 405 for servers without a stream, so clients continue without one.
 */
function streamElsewhere(): ToolServerError {
  const methods = 'POST, DELETE'
  return new ToolServerError('method_not_allowed', {
    values: { method: 'GET', methods },
    headers: { Allow: methods },
  })
}

/** Sent with status 200, because an error status could make the client send the request again. */
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
