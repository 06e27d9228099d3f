import type { IncomingHttpHeaders } from 'node:http'
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js'
import type { Backlog } from './event-stream.ts'
import { sendAccepted, sendJson } from './mcp-http.ts'
import { invalidParams, methodNotFound, resultResponse, serverInfo } from './mcp-messages.ts'
import type { ToolSessions } from './session-registry.ts'
import { StreamableTransport } from './streamable-transport.ts'
import { RpcError } from './tool-server-error.ts'
import type { TransportRequest } from './tool-transport.ts'

/** The revision of MCP without sessions and without `initialize`. */
const revision = '2026-07-28'

const metaKeys = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
}

/** The error codes of this revision. */
const headerMismatch = -32020
const unsupportedVersion = -32022

/**
 * Returns whether a message is of a revision without sessions. Every request of such a revision names the revision in its
 * metadata.
 */
export function isSessionless(message: JSONRPCMessage, headers: IncomingHttpHeaders): boolean {
  const meta = 'params' in message ? message.params?._meta : undefined
  return headers['mcp-protocol-version'] === revision || (meta !== undefined && metaKeys.version in meta)
}

/** Handles a message of a revision without sessions. Each request gets a temporary session, which ends with the response. */
export async function handleSessionless(
  { toolSessions, now, backlog }: { toolSessions: ToolSessions; now: () => number; backlog: Backlog },
  request: TransportRequest,
  message: JSONRPCMessage,
): Promise<void> {
  const { req, res, requestId } = request
  if (!('method' in message && 'id' in message)) {
    sendAccepted(res, requestId) // this revision has no notifications that matter to a server with only tools
    return
  }
  requireValid(message, req.headers)
  const client = await toolSessions.authorize(request)
  if (res.destroyed) return // the client has disconnected
  if (message.method === 'server/discover') {
    sendJson(res, requestId, toResponse(message, resultResponse(message.id, discovered)))
    return
  }
  const transport = new StreamableTransport(now(), backlog)
  const session = toolSessions.open(client, toolSessions.createId(), transport)
  // In this revision, a client cancels a request by closing the connection.
  res.once('close', () => session.close())
  const response = await transport.request(message, now())
  session.close()
  if (response !== undefined) sendJson(res, requestId, toResponse(message, response))
}

/**
 * The response to `server/discover`. It leaves out `listChanged`, because a notification would need a stream that
 * outlives the request.
 */
const discovered = { supportedVersions: [revision], capabilities: { tools: {} } }

const methods: readonly string[] = ['server/discover', 'tools/list', 'tools/call']

/** @throws {RpcError} */
function requireValid({ id, method, params = {} }: JSONRPCRequest, headers: IncomingHttpHeaders): void {
  const meta = params._meta ?? {}
  const requireHeader = (header: string, expected: unknown) => {
    if (decodeHeader(headers[header.toLowerCase()]) === expected) return
    throw new RpcError('malformed_json.header_mismatch', { id, code: headerMismatch, values: { header } })
  }
  const version = meta[metaKeys.version]
  const capabilities = meta[metaKeys.capabilities]
  if (version === undefined || typeof capabilities !== 'object' || capabilities === null)
    throw new RpcError('malformed_json.request_meta', { id, code: invalidParams })
  requireHeader('MCP-Protocol-Version', version)
  if (version !== revision)
    throw new RpcError('malformed_json.protocol_version', {
      ...{ id, code: unsupportedVersion },
      ...{ values: { version: revision }, data: { supported: [revision], requested: version } },
    })
  requireHeader('Mcp-Method', method)
  if (!methods.includes(method)) throw new RpcError('not_found.method', { id, code: methodNotFound })
  if (method === 'tools/call' && typeof params.name === 'string') requireHeader('Mcp-Name', params.name)
}

/** Decodes a header whose value couldn't be sent as it is: `=?base64?…?=`. */
function decodeHeader(value: string | string[] | undefined): string | undefined {
  if (typeof value !== 'string') return undefined
  const encoded = /^=\?base64\?([\w+/]*={0,2})\?=$/.exec(value)?.[1]
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString()
}

/** Adds the fields that each result has in this revision. Keeps clients from caching tools, which can change at any time. */
function toResponse({ method }: JSONRPCRequest, response: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in response)) return response
  const result = {
    ...response.result,
    ...(method !== 'tools/call' && { ttlMs: 0, cacheScope: 'private' }),
    resultType: 'complete',
    _meta: { [metaKeys.serverInfo]: serverInfo },
  }
  return { ...response, result }
}
