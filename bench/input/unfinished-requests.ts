import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Connections of the benchmark. A process has fewer slots. */
const connections = 220
const bytesOfEach = 2 * 1024 * 1024

/** Sends bodies of 1 GB to a path that answers at the headers, and returns the status of a form that someone sends meanwhile. */
export async function sendAnsweredBodies(origin: string): Promise<number> {
  const sockets = await openRequests(origin, 'POST /nonexistent', 'Content-Length: 1000000000\r\n')
  for (const socket of sockets) socket.write(Buffer.alloc(bytesOfEach))
  return sendForm(origin)
}

/** Begins forms that nobody finishes, and returns the status of a page that someone opens meanwhile. */
export async function sendHalfForms(origin: string): Promise<number> {
  await openRequests(
    origin,
    'POST /sign-in',
    'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n',
  )
  const response = await fetch(`${origin}/sign-in`)
  await response.text()
  return response.status
}

/** Begins messages to the tool server that nobody finishes, and returns the status of a form that someone sends meanwhile. */
export async function sendHalfMessages(origin: string): Promise<number> {
  await openRequests(
    origin,
    'POST /api/mcp/messages/?sessionId=unknown',
    'Content-Type: application/json\r\nContent-Length: 1000\r\n',
  )
  return sendForm(origin)
}

/** Sends the headers of requests, and the first byte of their bodies. The service closes the connections. */
async function openRequests(origin: string, line: string, headers: string): Promise<Socket[]> {
  const { hostname, port, host } = new URL(origin)
  return Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => {}) // an ended request's connection can be reset
      socket.resume()
      await once(socket, 'connect')
      socket.write(`${line} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n{`)
      return socket
    }),
  )
}

async function sendForm(origin: string): Promise<number> {
  const body = new URLSearchParams({ email: 'x' })
  const response = await fetch(`${origin}/sign-in`, { method: 'POST', body })
  await response.text()
  return response.status
}
