import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

type Flood = 'requests' | 'notifications' | 'gzip'

const event = (message: object): string =>
  `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`
const notification = event({ method: 'notifications/progress', params: { progressToken: 1, progress: 1 } })

/** Starts an MCP server on loopback that responds to each message with an endless stream of events. Returns its URL. */
export async function startFloodingMcpServer(flood: Flood): Promise<string> {
  const gzipped = flood === 'gzip' ? gzipSync(notification.repeat(1_000_000)) : undefined
  const server = createServer((request, response) => {
    request.resume()
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const headers = { 'content-type': 'text/event-stream' }
    if (gzipped !== undefined)
      response.writeHead(200, { ...headers, 'content-encoding': 'gzip' }).end(gzipped)
    else sendWithoutEnd(response.writeHead(200, headers), flood)
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

function sendWithoutEnd(response: ServerResponse, flood: Flood): void {
  let id = 0
  const send = () => {
    if (response.destroyed) return
    const events = Array.from({ length: 100 }, () =>
      flood === 'requests' ? event({ id: (id += 1), method: 'ping' }) : notification,
    )
    if (response.write(events.join(''))) setImmediate(send)
    else response.once('drain', send)
  }
  response.on('error', () => {})
  send()
}
