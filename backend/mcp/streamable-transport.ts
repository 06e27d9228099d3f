import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import { errorJson, invalidParams, findParamsIssue } from './mcp-messages.ts'
import { malformedMessage, sessionNotFound } from './tool-server-error.ts'
import type { RuntimeSecretVerifier } from '../secrets/verify-runtime-secret.ts'
import { sendAccepted, sendJson, receiveMessage } from './mcp-http.ts'
import {
  type MethodHandlers,
  parseQuery,
  type ToolSessions,
  type TransportRequest,
  type TransportRoutes,
} from './tool-transport.ts'
import { StreamableTransport } from '../tools/transport/streamable.ts'

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
