import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'

export interface Tools {
  names: readonly string[]
  /** Returns a tool's result, or its error, for the agent to act on. */
  use(name: string, args: Record<string, unknown>): Promise<string>
  close(): Promise<void>
}

/** Opens the agent's tools for one call. A real agent would show names, descriptions, and schemas to its model. */
export async function openTools(url: string, attemptToken: string): Promise<Tools> {
  const headers = { authorization: `Bearer ${attemptToken}` }
  const client = new Client({ name: 'example-runtime', version: '1.0.0' })
  await client.connect(new SSEClientTransport(new URL(url), { requestInit: { headers } }), { timeout: 5_000 })
  const { tools } = await client.listTools()
  return {
    names: tools.map(({ name }) => name),
    use: async (name, args) => {
      const { content } = await client.callTool({ name, arguments: args }, undefined, { timeout: 10_000 })
      return (content as { text?: string }[]).map(({ text = '' }) => text).join('\n')
    },
    close: () => client.close(),
  }
}
