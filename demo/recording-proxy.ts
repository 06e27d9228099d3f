import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** Headers that apply to one connection only, and headers that are wrong after `fetch` has decompressed the response body. */
const hopByHopHeaders = /^(host|connection|keep-alive|content-(encoding|length)|transfer-encoding)$/

export interface Exchange {
  method: string
  path: string
  status: number
  sent: unknown
  received: unknown
}

/** Opens a proxy on loopback between the connector and the backend. It reports each request with its response. */
export async function openRecordingProxy(target: string, onExchange: (exchange: Exchange) => void) {
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', url: path = '/' } = request
    const sent = await buffer(request)
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      hopByHopHeaders.test(name) ? [] : [[name, String(value)]],
    )
    const backendResponse = await fetch(new URL(path, target), {
      method,
      headers,
      redirect: 'manual',
      ...(sent.length > 0 && { body: sent }),
    })
    const received = Buffer.from(await backendResponse.arrayBuffer())
    const responseHeaders = [...backendResponse.headers].filter(([name]) => !hopByHopHeaders.test(name))
    response.writeHead(backendResponse.status, Object.fromEntries(responseHeaders)).end(received)
    onExchange({
      method,
      path,
      status: backendResponse.status,
      sent: parseBody(sent),
      received: parseBody(received),
    })
  }
  const server = createServer((request, response) => {
    forward(request, response).catch((error: unknown) =>
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

/** Parses a JSON or form body. */
function parseBody(body: Buffer): unknown {
  const text = body.toString()
  if (text === '') return undefined
  return /^[{[]/.test(text) ? (JSON.parse(text) as unknown) : Object.fromEntries(new URLSearchParams(text))
}
