import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import * as z from 'zod'

const Message = z.object({
  id: z.union([z.number(), z.string()]).optional(),
  method: z.string().optional(),
  params: z.looseObject({ protocolVersion: z.string().optional() }).optional(),
})

const manyTools = `{"tools":[${Array<string>(690_000).fill('{}').join(',')}]}`

/** Starts an MCP server on loopback whose tool list contains 2 MB of empty objects. Returns its URL. */
export async function startHostileMcpServer(): Promise<string> {
  const server = createServer((request, response) => void respond(request, response))
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') return void response.writeHead(405).end()
  const { id, method, params } = Message.parse(JSON.parse(await text(request)))
  if (id === undefined) return void response.writeHead(202).end()
  const initialized = {
    protocolVersion: params?.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'hostile', version: '1' },
  }
  const result = method === 'initialize' ? JSON.stringify(initialized) : manyTools
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`)
}
