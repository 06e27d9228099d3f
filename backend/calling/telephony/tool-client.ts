import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { rejectOnAbort } from '../../platform/core/abort.ts'
import { toolSessionPaths } from '../../platform/core/runtime-paths.ts'
import { version } from '../../version.ts'

interface ToolResult {
  text: string
  isError: boolean
}

/** A client with an open session on the tool server. */
export interface ToolClient {
  /** The input schemas of the session's tools, by name. */
  tools: ReadonlyMap<string, InputSchema>
  call(name: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult>
  close(): Promise<void>
}

/**
 * Opens a session and lists its tools. Rejects if the server denies access or `signal` aborts first.
 *
 * @param secret sent in a header, because URLs end up in logs
 */
export async function openToolClient(url: URL, secret: string, signal: AbortSignal): Promise<ToolClient> {
  // Imported only here, because it's large, and with an agent runtime only "Try a tool" needs it.
  const [{ Client }, { SSEClientTransport }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/sse.js'),
  ])
  const client = new Client({ name: 'outdial-simulated-agent', version })
  const transport = new SSEClientTransport(url, { requestInit: { headers: { 'X-Agent-Secret': secret } } })
  const open = async () => {
    await client.connect(transport, { signal })
    return client.listTools(undefined, { signal })
  }
  try {
    const { tools } = await rejectOnAbort(open(), signal)
    return {
      tools: new Map(tools.map(({ name, inputSchema }) => [name, inputSchema])),
      call: async (name, args, callSignal) => {
        const calling = client.callTool({ name, arguments: args }, undefined, { signal: callSignal })
        return toToolResult(await rejectOnAbort(calling, callSignal))
      },
      close: () => client.close(),
    }
  } catch (error) {
    // Otherwise the transport keeps reconnecting.
    await transport.close()
    throw error
  }
}

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

/** The part of a tool's JSON Schema that an agent needs to fill in arguments. */
export interface InputSchema {
  properties?: Record<string, unknown>
  required?: readonly string[]
}
