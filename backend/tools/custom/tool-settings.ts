import * as z from 'zod'
import type { ToolDefinition } from '../kinds/tool-kind.ts'

/** A remote server's tool, as the server described it when its tools were last saved or refreshed. */
export const RemoteTool = z.strictObject({
  name: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  /** True if the tool changes nothing, according to the server. */
  readOnly: z.boolean(),
})
export type RemoteTool = z.infer<typeof RemoteTool>

/** Settings of a remote MCP server. The URL's query and the headers may refer to secrets as `{{secret.NAME}}`. */
export const RemoteSettings = z.strictObject({
  url: z.string().min(1).max(2000),
  /** `auto` tries Streamable HTTP, then HTTP+SSE. */
  transport: z.enum(['streamable', 'sse', 'auto']).default('auto'),
  headers: z.record(z.string(), z.string()).default({}),
  tools: z.array(RemoteTool),
})
export type RemoteSettings = z.infer<typeof RemoteSettings>

/** Returns the name that agents use for a server's tool. */
export const prefixedToolName = (server: string, tool: string): string => `${server}__${tool}`

export const toToolDefinition = (
  server: string,
  { name, description, inputSchema }: RemoteTool,
): ToolDefinition => ({
  name: prefixedToolName(server, name),
  description,
  inputSchema,
})

export const httpMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Settings of an HTTP tool. The URL and the values of headers may refer to secrets as `{{secret.NAME}}`. */
export const HttpSettings = z.strictObject({
  method: z.enum(httpMethods),
  /** A template: `{city}` in its path or query is replaced with the argument `city`. */
  url: z.string().min(1).max(2000),
  headers: z.record(z.string(), z.string()).default({}),
})
export type HttpSettings = z.infer<typeof HttpSettings>

/** Returns true if arguments that aren't in the URL go to the body. Otherwise, they go to the query. */
export const takesBody = (method: HttpSettings['method']): boolean => method !== 'GET' && method !== 'DELETE'
