import {
  CallToolRequestSchema,
  InitializeRequestSchema,
  type InitializeResult,
  isTaskAugmentedRequestParams,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type JSONRPCRequest,
  type JSONRPCResultResponse,
  LATEST_PROTOCOL_VERSION,
  ListToolsRequestSchema,
  PingRequestSchema,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import { version } from '../version.ts'
import { malformedMessage, ToolServerError } from './tool-server-error.ts'

/**
 * Parses an MCP message (JSON-RPC 2.0).
 *
 * @throws {ToolServerError} malformed_json
 */
export function parseMessage(value: unknown): JSONRPCMessage {
  const parsed = JSONRPCMessageSchema.safeParse(value)
  if (parsed.success) {
    requireShortId(parsed.data)
    return parsed.data
  }
  throw new ToolServerError('malformed_json.message')
}

/** Responses and in-flight requests repeat the ID, so a long one would multiply. */
const maxIdLength = 256

function requireShortId(message: JSONRPCMessage): void {
  if (!('id' in message) || typeof message.id !== 'string' || message.id.length <= maxIdLength) return
  throw malformedMessage('id', 'too_long.request_id', { limit: maxIdLength })
}

export interface ToolCallParams {
  name: string
  args: Record<string, unknown>
}

/** Parses the parameters of `tools/call`. Returns a description of the issues if they're invalid. */
export function parseToolCall(request: JSONRPCRequest): ToolCallParams | string {
  const parsed = CallToolRequestSchema.safeParse(request)
  if (!parsed.success) return formatIssues(parsed.error.issues)
  return { name: parsed.data.params.name, args: parsed.data.params.arguments ?? {} }
}

const schemas = {
  initialize: InitializeRequestSchema,
  ping: PingRequestSchema,
  'tools/list': ListToolsRequestSchema,
  'tools/call': CallToolRequestSchema,
}

type KnownMethod = keyof typeof schemas

export const isKnownMethod = (method: string): method is KnownMethod => Object.hasOwn(schemas, method)

/** Describes the issues with a request's parameters. Returns undefined if they're valid or the method is unknown. */
export function findParamsIssue(request: JSONRPCRequest): string | undefined {
  if (!isKnownMethod(request.method)) return undefined
  const parsed = schemas[request.method].safeParse(request)
  return parsed.success ? undefined : formatIssues(parsed.error.issues)
}

function formatIssues(issues: readonly { path: PropertyKey[]; message: string }[]): string {
  const messages = issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`)
  return `Invalid params: ${messages.slice(0, 10).join('; ').slice(0, 1_000)}`
}

/** Checks whether a request asks for an MCP task. This server doesn't support tasks. */
export const isTaskRequest = ({ params }: JSONRPCRequest): boolean =>
  params !== undefined && 'task' in params && isTaskAugmentedRequestParams(params)

/**
 * Returns the result of `initialize`, whose parameters must be valid. Uses the client's protocol version if it's
 * supported, otherwise the latest.
 */
export function initializeResult({ params }: JSONRPCRequest): InitializeResult {
  const requested = String(params?.protocolVersion)
  return {
    protocolVersion: SUPPORTED_PROTOCOL_VERSIONS.includes(requested) ? requested : LATEST_PROTOCOL_VERSION,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'outdial', version },
  }
}

export const resultResponse = (
  id: RequestId,
  result: JSONRPCResultResponse['result'],
): JSONRPCResultResponse => ({ result, jsonrpc: '2.0', id })

export const errorResponse = (id: RequestId, code: number, message: string): JSONRPCErrorResponse => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})

/** JSON-RPC 2.0, section 5.1. */
export const methodNotFound = -32601
export const invalidParams = -32602
export const internalError = -32603
