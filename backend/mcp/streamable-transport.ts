import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import { errorJson, invalidParams, paramsFault } from './mcp-messages.ts'
import { badMessage, unknownSession } from './tool-server-error.ts'
import type { RuntimeSecrets } from '../secrets/verify-runtime-secret.ts'
import { answerAccepted, answerJson, receiveMessage } from './mcp-http.ts'
import { type Methods, queryOf, type SessionDesk, type ToolHttpRequest, type ToolRoutes } from './tool-transport.ts'
import { StreamableTransport } from '../tools/transport/streamable.ts'

/** The one address of Streamable HTTP. Every request shows the secret. */
export function createStreamableRoutes(options: {
  desk: SessionDesk
  secrets: RuntimeSecrets
  now: () => number
}): ToolRoutes {
  const { desk, secrets, now } = options

  const find = ({ req }: ToolHttpRequest): StreamableTransport => {
    const secret = secrets.require(req.headers, queryOf(req))
    requireKnownVersion(req.headers['mcp-protocol-version'])
    const id = req.headers['mcp-session-id']
    if (typeof id !== 'string') {
      throw badMessage('Mcp-Session-Id is missing: begin with initialize.', 'Mcp-Session-Id')
    }
    const session = desk.find(id)
    if (session?.secret !== secret || !(session.transport instanceof StreamableTransport))
      throw unknownSession()
    return session.transport
  }

  const begin = async (request: ToolHttpRequest, message: JSONRPCRequest): Promise<void> => {
    const { res, requestId } = request
    const admission = await desk.admit(request)
    if (res.destroyed) return // the client has gone meanwhile
    const fault = paramsFault(message)
    if (fault !== undefined) {
      answerJson(res, requestId, errorJson(message.id, invalidParams, fault))
      return
    }
    const id = desk.newId()
    const transport = new StreamableTransport(now())
    desk.open(admission, id, transport)
    transport.request(message, now(), (json = '') => {
      if (isResult(json)) return answerJson(res, requestId, json, { 'Mcp-Session-Id': id })
      // Who is refused has no session, and would leave this one to its time limit.
      void transport.close()
      answerJson(res, requestId, json)
    })
  }

  const receive = (request: ToolHttpRequest, message: JSONRPCMessage): void => {
    const { req, res, requestId } = request
    if (isInitialize(message)) {
      if (req.headers['mcp-session-id'] !== undefined)
        throw badMessage('This session is initialized already.')
      begin(request, message).catch(request.fail)
      return
    }
    const transport = find(request)
    if (!isRequest(message)) {
      transport.notify(message, now())
      answerAccepted(res, requestId)
      return
    }
    transport.request(message, now(), (json) =>
      json === undefined ? answerAccepted(res, requestId) : answerJson(res, requestId, json),
    )
  }

  const post = (request: ToolHttpRequest): void => {
    const { req } = request
    // Before the body is read: strangers send none.
    secrets.require(req.headers, queryOf(req))
    receiveMessage(req, (message) => receive(request, message), request.fail)
  }

  const methods: Methods = {
    GET: (request) => find(request).listen(request.res, { 'X-Request-Id': request.requestId }),
    POST: post,
    DELETE: (request) => {
      void find(request).close()
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

function requireKnownVersion(version: string | string[] | undefined): void {
  if (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))) return
  throw badMessage('This MCP-Protocol-Version is not known here.', 'MCP-Protocol-Version')
}
