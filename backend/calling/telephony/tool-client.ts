import { isIPv6 } from 'node:net'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import type { Config } from '../../config.ts'
import { rejectOnAbort } from '../../platform/core/abort.ts'
import { toolSessionPaths } from '../../platform/core/runtime-paths.ts'
import { version } from '../../version.ts'

interface ToolResult {
  text: string
  isError: boolean
}

/** A tool of a session. */
export interface ClientTool {
  description: string
  inputSchema: InputSchema
  /** True if using the tool changes nothing. */
  isReadOnly: boolean
}

/** A client with an open session on the tool server. */
export interface ToolClient {
  /** The session's tools, by name. */
  tools: ReadonlyMap<string, ClientTool>
  /** Calls a tool. When `signal` aborts, rejects, and cancels the tool call on the server. */
  call(name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult>
  close(): Promise<void>
}

/**
 * Opens a session over the transport that the URL is for, and lists its tools. Rejects if the server denies access or
 * `signal` aborts first.
 *
 * @param secret sent in a header, because URLs end up in logs
 */
export async function openToolClient(url: URL, secret: string, signal: AbortSignal): Promise<ToolClient> {
  // Imported only when it's needed, because the package is large. With an agent runtime, only chats and "Try a tool" need it.
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
  const client = new Client({ name: 'outdial', version })
  const createConnection = url.pathname === toolSessionPaths.streamable ? createStreamable : createSse
  const connection = await createConnection(url, { headers: { 'X-Agent-Secret': secret } })
  const open = async () => {
    await client.connect(connection.transport, { signal })
    return client.listTools(undefined, { signal })
  }
  try {
    const { tools } = await rejectOnAbort(open(), signal)
    return {
      tools: new Map(tools.map((tool) => [tool.name, toClientTool(tool)])),
      call: async (name, args, callSignal) => {
        const calling = client.callTool({ name, arguments: args }, undefined, { signal: callSignal })
        return toToolResult(await rejectOnAbort(calling, callSignal))
      },
      close: () => connection.close(),
    }
  } catch (error) {
    // Otherwise the transport keeps reconnecting, or the server keeps the session.
    await connection.close()
    throw error
  }
}

/** A connection to the server. `close` ends the session and never rejects. */
interface Connection {
  transport: SSEClientTransport | StreamableHTTPClientTransport
  close: () => Promise<void>
}

async function createSse(url: URL, requestInit: RequestInit): Promise<Connection> {
  const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js')
  const transport = new SSEClientTransport(url, { requestInit })
  return { transport, close: () => transport.close() }
}

async function createStreamable(url: URL, requestInit: RequestInit): Promise<Connection> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
  const transport = new StreamableHTTPClientTransport(url, { requestInit, fetch: fetchWithoutStream })
  const close = async () => {
    // If the server can't be reached, the session ends after a while without requests.
    await transport.terminateSession().catch(() => {})
    await transport.close()
  }
  return { transport, close }
}

/**
 * Sends a request, but doesn't open the stream for notifications: it would be another connection for each session, and tools
 * are listed only once. Instead, returns the status that the protocol has for servers without this stream.
 */
const fetchWithoutStream: typeof fetch = (input, init) =>
  init?.method === 'GET' ? Promise.resolve(new Response(null, { status: 405 })) : fetch(input, init)

const toClientTool = ({ description = '', inputSchema, annotations }: Tool): ClientTool => ({
  ...{ description, inputSchema },
  isReadOnly: annotations?.readOnlyHint === true,
})

function toToolResult(result: Awaited<ReturnType<Client['callTool']>>): ToolResult {
  const content = Array.isArray(result.content) ? (result.content as unknown[]) : []
  return { text: content.flatMap(extractText).join('\n'), isError: result.isError === true }
}

function extractText(part: unknown): string[] {
  const isText = typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string'
  return isText ? [String(part.text)] : []
}

/** Returns the URL of an agent's tool session, in a call or without one. */
export function toolSessionUrl(
  baseUrl: string,
  call: { widgetId: string; attemptId?: string },
  transport: keyof typeof toolSessionPaths = 'sse',
): URL {
  const url = new URL(`${baseUrl}${toolSessionPaths[transport]}`)
  url.searchParams.set('widget_id', call.widgetId)
  if (call.attemptId !== undefined) url.searchParams.set('call_id', call.attemptId)
  return url
}

/** Maps each value of `HOST` that means all addresses to an address that a client can connect to. */
const loopbackOf: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/**
 * Returns the URL of this process's own tool server over Streamable HTTP. Doesn't use INTERNAL_URL, which could lead through a
 * proxy to another process. The URL doesn't name the agent, because the conversation token identifies it.
 */
export function ownToolServerUrl({ host, port }: Pick<Config, 'host' | 'port'>): URL {
  const address = loopbackOf[host] ?? host
  return new URL(`http://${isIPv6(address) ? `[${address}]` : address}:${port}${toolSessionPaths.streamable}`)
}

/** A tool's JSON Schema, with the part that an agent needs to fill in arguments. */
export type InputSchema = Record<string, unknown> & {
  properties?: Record<string, unknown>
  required?: readonly string[]
}
