import http from 'node:http'

/** As little of a client as there can be: what is measured is the server. */
export interface BenchClient {
  request(method: string, params?: object): Promise<void>
  notify(method: string): Promise<void>
  close(): void
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 256 })

export async function openClient(port: number, path: string): Promise<BenchClient> {
  const waiting = new Map<number, () => void>()
  let ids = 0
  let endpoint = ''
  const req = http.request({
    host: '127.0.0.1',
    port,
    path,
    agent: false,
    headers: { accept: 'text/event-stream' },
  })
  await new Promise<void>((resolve, reject) => {
    req.on('error', reject).on('response', (res) => {
      if (res.statusCode !== 200) reject(new Error(`the stream was refused: ${res.statusCode}`))
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
            const { id, error } = JSON.parse(data) as { id: number; error?: { message: string } }
            if (error !== undefined) throw new Error(error.message)
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
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      http
        .request({ host: '127.0.0.1', port, path: endpoint, method: 'POST', agent, headers }, (res) => {
          if (res.statusCode !== 202) reject(new Error(`a message was refused: ${res.statusCode}`))
          res.resume().on('end', resolve)
        })
        .on('error', reject)
        .end(body)
    })
  return {
    request: async (method, params) => {
      const id = (ids += 1)
      const answered = new Promise<void>((resolve) => waiting.set(id, resolve))
      await Promise.all([post({ jsonrpc: '2.0', id, method, ...(params && { params }) }), answered])
    },
    notify: (method) => post({ jsonrpc: '2.0', method }),
    close: () => req.destroy(),
  }
}
