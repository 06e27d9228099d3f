import {
  CallToolRequestSchema,
  InitializeRequestSchema,
  isTaskAugmentedRequestParams,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  ListToolsRequestSchema,
  PingRequestSchema,
  type JSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js'
import { malformedMessage } from './tool-server-error.ts'

type Fields = Record<string, unknown>

/**
 * A JSON-RPC 2.0 message of MCP. The usual shape is looked at by hand, since the SDK's schema costs more than all the
 * rest of a call; what is unusual in any way goes through that schema.
 *
 * @throws {Refusal} malformed_json
 */
export function parseMessage(value: unknown): JSONRPCMessage {
  if (isPlainMessage(value)) return value
  const parsed = JSONRPCMessageSchema.safeParse(value)
  if (parsed.success) return parsed.data
  throw malformedMessage(
    'This is no JSON-RPC 2.0 message: send one object with jsonrpc, method, and id for a request.',
  )
}

const fieldNames = new Set(['jsonrpc', 'id', 'method', 'params'])

function isPlainMessage(value: unknown): value is JSONRPCMessage {
  if (!isFields(value) || value.jsonrpc !== '2.0' || typeof value.method !== 'string') return false
  for (const name in value) if (!fieldNames.has(name)) return false
  const { id, params } = value
  if ('id' in value && typeof id !== 'string' && !Number.isSafeInteger(id)) return false
  return !('params' in value) || (isFields(params) && !('_meta' in params) && hasNoProtoField(params))
}

/** What `tools/call` asks for; a text where its parameters are wrong. */
export function parseToolCall(request: JSONRPCRequest): { name: string; args: Fields } | string {
  const { name, arguments: args = {}, task } = request.params ?? {}
  const isPlain = typeof name === 'string' && isFields(args) && hasNoProtoField(args) && task === undefined
  if (isPlain) return { name, args }
  const parsed = CallToolRequestSchema.safeParse(request)
  if (!parsed.success) return formatIssues(parsed.error)
  return { name: parsed.data.params.name, args: parsed.data.params.arguments ?? {} }
}

const schemas = {
  initialize: InitializeRequestSchema,
  ping: PingRequestSchema,
  'tools/list': ListToolsRequestSchema,
}

/** What is wrong with the parameters of another request; undefined where nothing is, or nobody knows the method. */
export function findParamsIssue(request: JSONRPCRequest): string | undefined {
  const { method, params } = request
  if (params === undefined && method !== 'initialize') return undefined
  if (!Object.hasOwn(schemas, method)) return undefined
  const parsed = schemas[method as keyof typeof schemas].safeParse(request)
  return parsed.success ? undefined : formatIssues(parsed.error)
}

const formatIssues = ({
  issues,
}: {
  issues: readonly { path: PropertyKey[]; message: string }[]
}): string => {
  const messages = issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`)
  return `Invalid params: ${messages.slice(0, 10).join('; ').slice(0, 1_000)}`
}

/** The version that an `initialize` of the usual shape asks for: no part of it needs a closer look. */
export function plainInitializeVersion({ method, params }: JSONRPCRequest): string | undefined {
  if (method !== 'initialize' || params === undefined) return undefined
  const { protocolVersion, capabilities, clientInfo, ...others } = params
  const isPlain =
    typeof protocolVersion === 'string' &&
    isFields(capabilities) &&
    Object.keys(capabilities).length === 0 &&
    isFields(clientInfo) &&
    Object.keys(clientInfo).sort().join() === 'name,version' &&
    typeof clientInfo.name === 'string' &&
    typeof clientInfo.version === 'string' &&
    Object.keys(others).length === 0
  return isPlain ? protocolVersion : undefined
}

/** Whether a task is asked for, which this server makes of nothing. */
export const requestsTask = ({ params }: JSONRPCRequest): boolean =>
  params !== undefined && 'task' in params && isTaskAugmentedRequestParams(params)

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** JSON may name a field `__proto__`: the SDK's schemas drop it. */
const hasNoProtoField = (fields: Fields): boolean => !Object.hasOwn(fields, '__proto__')

/** An answer as the SDK writes it, its result serialised already. */
export const resultJson = (id: RequestId, result: string): string =>
  `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`

export const errorJson = (id: RequestId, code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })

export const listChangedJson = JSON.stringify({ method: 'notifications/tools/list_changed', jsonrpc: '2.0' })

/** JSON-RPC 2.0, section 5.1. */
export const invalidParams = -32602
export const internalError = -32603
