import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resultTextFor, tools } from './kinds.ts'
import { report } from './report.ts'

// A server that shows what node:http itself costs. It checks no sessions and validates nothing.
const list = JSON.stringify({ tools })
const initialized = JSON.stringify({
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'floor', version: '1.0.0' },
})
const streams = new Map<string, ServerResponse>()
let opened = 0

interface Message {
  id?: number
  method: string
  params?: { name?: string }
}

function resultOf({ method, params }: Message): string {
  if (method === 'tools/list') return list
  if (method === 'initialize') return initialized
  return `{"content":[{"type":"text","text":${JSON.stringify(resultTextFor(params?.name ?? ''))}}]}`
}

function open(res: ServerResponse): void {
  const id = String((opened += 1))
  streams.set(id, res)
  res.on('close', () => streams.delete(id))
  res.removeHeader('Transfer-Encoding')
  res.writeHead(200, { 'Content-Type': 'text/event-stream' })
  res.write(`event: endpoint\ndata: /messages?sessionId=${id}\n\n`)
}

function post(req: IncomingMessage, res: ServerResponse): void {
  const url = req.url ?? ''
  const stream = streams.get(url.slice(url.indexOf('=') + 1))
  req.once('data', (body: Buffer) => {
    const message = JSON.parse(body.toString()) as Message
    res.writeHead(202, { 'Content-Length': 8 }).end('Accepted')
    if (message.id === undefined) return
    const json = `{"result":${resultOf(message)},"jsonrpc":"2.0","id":${message.id}}`
    stream?.write(`event: message\ndata: ${json}\n\n`)
  })
}

const http = createServer((req, res) => {
  if (req.method === 'GET') open(res)
  else post(req, res)
})
process.once('disconnect', () => process.exit(0))
http.listen(0, '127.0.0.1', () => report({ port: (http.address() as AddressInfo).port, queries: ['/sse'] }))
