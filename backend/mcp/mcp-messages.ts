import {
  CallToolRequestSchema,
  InitializeRequestSchema,
  isTaskAugmentedRequestParams,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type JSONRPCRequest,
  type JSONRPCResultResponse,
  ListToolsRequestSchema,
  PingRequestSchema,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js'
import { malformedMessage } from './tool-server-error.ts'

/**
 * Reads a JSON-RPC 2.0 message of MCP.
 *
 * @throws {ToolServerError} malformed_json
 */
export function parseMessage(value: unknown): JSONRPCMessage {
  const parsed = JSONRPCMessageSchema.safeParse(value)
  if (parsed.success) return parsed.data
  throw malformedMessage(
    'This is no JSON-RPC 2.0 message: send one object with jsonrpc, method, and id for a request.',
  )
}

export interface ToolCallParams {
  name: string
  args: Record<string, unknown>
}

/** Reads the parameters of `tools/call`; returns a sentence if they're wrong. */
export function parseToolCall(request: JSONRPCRequest): ToolCallParams | string {
  const parsed = CallToolRequestSchema.safeParse(request)
  if (!parsed.success) return formatIssues(parsed.error.issues)
  return { name: parsed.data.params.name, args: parsed.data.params.arguments ?? {} }
}

const schemas = {
  initialize: InitializeRequestSchema,
  ping: PingRequestSchema,
  'tools/list': ListToolsRequestSchema,
}

/** Says what's wrong with the parameters of another request; undefined if nothing is, or the method isn't known. */
export function findParamsIssue(request: JSONRPCRequest): string | undefined {
  const { method } = request
  if (!Object.hasOwn(schemas, method)) return undefined
  const parsed = schemas[method as keyof typeof schemas].safeParse(request)
  return parsed.success ? undefined : formatIssues(parsed.error.issues)
}

function formatIssues(issues: readonly { path: PropertyKey[]; message: string }[]): string {
  const messages = issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`)
  return `Invalid params: ${messages.slice(0, 10).join('; ').slice(0, 1_000)}`
}

/** Whether a request asks for a task. This server supports none. */
export const requestsTask = ({ params }: JSONRPCRequest): boolean =>
  params !== undefined && 'task' in params && isTaskAugmentedRequestParams(params)

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
export const invalidParams = -32602
export const internalError = -32603
