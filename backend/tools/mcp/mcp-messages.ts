import {
  CallToolRequestSchema,
  InitializeRequestSchema,
  type InitializeResult,
  isTaskAugmentedRequestParams,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResultResponse,
  LATEST_PROTOCOL_VERSION,
  ListToolsRequestSchema,
  PingRequestSchema,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js'
import { version } from '../../version.ts'
import { malformedMessage, RpcError, ToolServerError } from './tool-server-error.ts'

/**
 * Parses an MCP message (JSON-RPC 2.0).
 *
 * @throws {ToolServerError} malformed_json
 */
export function parseMessage(value: unknown): JSONRPCMessage {
  if (Array.isArray(value)) throw new RpcError('malformed_json.batch', { id: null, code: invalidRequest })
  // For a plain message, the SDK's schema takes many times as long, and would return an equal message.
  const message = isPlainMessage(value) ? value : JSONRPCMessageSchema.safeParse(value).data
  if (message === undefined) throw new ToolServerError('malformed_json.message')
  requireShortId(message)
  return message
}

/** Returns whether a value is a request or notification without metadata. Other messages are rare. */
function isPlainMessage(value: unknown): value is JSONRPCRequest | JSONRPCNotification {
  if (!isRecord(value) || !Object.keys(value).every((key) => messageKeys.has(key))) return false
  const { jsonrpc, id, method, params } = value
  const hasValidId = typeof id === 'string' || Number.isSafeInteger(id) || !('id' in value)
  const hasPlainParams = params === undefined || (isRecord(params) && !Object.hasOwn(params, '_meta'))
  return jsonrpc === '2.0' && typeof method === 'string' && hasValidId && hasPlainParams
}

const messageKeys = new Set(['jsonrpc', 'id', 'method', 'params'])

/** Returns whether a parsed JSON value is an object without the key `__proto__`, which the SDK's schemas would drop. */
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Object.hasOwn(value, '__proto__')

/** Maximum characters of a request ID. Responses and in-flight requests repeat the ID, so a long one would multiply. */
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
  const { name, task } = request.params ?? {}
  // Some clients send null instead of leaving the arguments out.
  const args = request.params?.arguments ?? {}
  // Returns well-formed parameters at once, because the schema would find no issue.
  if (typeof name === 'string' && isRecord(args) && task === undefined) return { name, args }
  const parsed = CallToolRequestSchema.safeParse({
    ...request,
    params: { ...request.params, arguments: args },
  })
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

export const serverInfo = { name: 'outdial', version }

/**
 * Returns the result of `initialize`, whose parameters must be valid. Uses the client's protocol version if it's
 * supported, otherwise the latest.
 */
export function initializeResult({ params }: JSONRPCRequest): InitializeResult {
  const requested = String(params?.protocolVersion)
  return {
    protocolVersion: SUPPORTED_PROTOCOL_VERSIONS.includes(requested) ? requested : LATEST_PROTOCOL_VERSION,
    capabilities: { tools: { listChanged: true } },
    serverInfo,
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

/**
 * Returns the JSON of a message. It's valid to leave U+2028 and U+2029 unescaped, but many programs that read lines, such
 * as bridges to stdio, end a line there.
 */
export const toJson = (message: unknown): string =>
  JSON.stringify(message).replace(/[\u2028\u2029]/g, (character) =>
    character === '\u2028' ? '\\u2028' : '\\u2029',
  )

/** Error codes of JSON-RPC 2.0, section 5.1. */
const invalidRequest = -32600
export const methodNotFound = -32601
export const invalidParams = -32602
export const internalError = -32603

/** The SDK's code for a request whose connection ended. JSON-RPC reserves the range for servers. */
export const connectionClosed = -32000
