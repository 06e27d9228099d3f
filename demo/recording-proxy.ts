import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** Those of one connection; and fetch unpacks the answer's body. */
const notPassedOn = /^(host|connection|keep-alive|content-(encoding|length)|transfer-encoding)$/

export interface Exchange {
  method: string
  path: string
  status: number
  sent: unknown
  received: unknown
}

/** Between the connector and the backend, on loopback: passes everything on, and tells what went by. */
export async function openWire(target: string, tell: (exchange: Exchange) => void) {
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', url: path = '/' } = request
    const sent = await buffer(request)
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      notPassedOn.test(name) ? [] : [[name, String(value)]],
    )
    const answer = await fetch(new URL(path, target), {
      method,
      headers,
      redirect: 'manual',
      ...(sent.length > 0 && { body: sent }),
    })
    const received = Buffer.from(await answer.arrayBuffer())
    const kept = [...answer.headers].filter(([name]) => !notPassedOn.test(name))
    response.writeHead(answer.status, Object.fromEntries(kept)).end(received)
    tell({ method, path, status: answer.status, sent: read(sent), received: read(received) })
  }
  const server = createServer((request, response) => {
    pass(request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** JSON or a form, as a value. */
function read(body: Buffer): unknown {
  const text = body.toString()
  if (text === '') return undefined
  return /^[{[]/.test(text) ? (JSON.parse(text) as unknown) : Object.fromEntries(new URLSearchParams(text))
}
