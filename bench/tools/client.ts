import http from 'node:http'

/**
 * A minimal client. It sends what the SDK's client sends: the headers of the SDK's `fetch`, in the same order, over connections
 * that stay open.
 */
export interface BenchClient {
  request(message: Message): Promise<void>
  notify(message: Message): Promise<void>
  close(): void
}

interface Message {
  method: string
  params?: object
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 256 })

/** Closes the open connections before a server closes them. A message that's sent while a server closes would be lost. */
export const hangUp = () => agent.destroy()

const fetchHeaders = {
  'accept-language': '*',
  'sec-fetch-mode': 'cors',
  'user-agent': 'node',
  'accept-encoding': 'gzip, deflate',
}

export async function openClient(port: number, path: string): Promise<BenchClient> {
  const waiting = new Map<number, () => void>()
  const place = { host: '127.0.0.1', port, agent }
  let version: { 'mcp-protocol-version'?: string } = {}
  let ids = -1
  let endpoint = ''
  const req = http.request({
    ...place,
    path,
    agent: false,
    headers: {
      connection: 'keep-alive',
      accept: 'text/event-stream',
      ...fetchHeaders,
      pragma: 'no-cache',
      'cache-control': 'no-cache',
    },
  })
  await new Promise<void>((resolve, reject) => {
    req.on('error', reject).on('response', (res) => {
      if (res.statusCode !== 200) reject(new Error(`the server rejected the stream: ${res.statusCode}`))
      let rest = ''
      res.setEncoding('utf8').on('error', () => {})
      res.on('data', (text: string) => {
        const blocks = (rest + text).split('\n\n')
        rest = blocks.pop() ?? ''
        for (const block of blocks) {
          const data = block.slice(block.indexOf('\ndata: ') + 7)
          if (block.startsWith('event: endpoint')) {
            endpoint = data
            resolve()
          } else if (block.startsWith('event: message')) {
            const { id, error, result } = JSON.parse(data) as JsonRpcResponse
            if (error !== undefined) throw new Error(error.message)
            if (result?.isError === true) throw new Error(`a tool call failed: ${data}`)
            waiting.get(id)?.()
            waiting.delete(id)
          }
        }
      })
    })
    req.end()
  })
  req.on('error', () => {})
  const post = (message: object) =>
    new Promise<void>((resolve, reject) => {
      const body = JSON.stringify(message)
      const headers = {
        connection: 'keep-alive',
        ...version,
        'content-type': 'application/json',
        accept: '*/*',
        ...fetchHeaders,
        'content-length': Buffer.byteLength(body),
      }
      http
        .request({ ...place, path: endpoint, method: 'POST', headers }, (res) => {
          if (res.statusCode !== 202) reject(new Error(`the server rejected a message: ${res.statusCode}`))
          res.resume().on('end', resolve)
        })
        .on('error', reject)
        .end(body)
    })
  return {
    request: async (message) => {
      const id = (ids += 1)
      const answered = new Promise<void>((resolve) => waiting.set(id, resolve))
      await Promise.all([post({ ...message, jsonrpc: '2.0', id }), answered])
      if (message.method === 'initialize') version = { 'mcp-protocol-version': '2025-11-25' }
    },
    notify: (message) => post({ ...message, jsonrpc: '2.0' }),
    close: () => req.destroy(),
  }
}

interface JsonRpcResponse {
  id: number
  error?: { message: string }
  result?: { isError?: boolean }
}
