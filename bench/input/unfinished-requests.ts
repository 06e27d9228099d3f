import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** How many connections the benchmark opens. It's more than the number of requests that one process handles at a time. */
const connections = 220
const bytesOfEach = 2 * 1024 * 1024

/** Sends bodies of 1 GB to a path that responds before reading them. Returns the status of a form that's sent meanwhile. */
export async function sendAnsweredBodies(origin: string): Promise<number> {
  const sockets = await openRequests(origin, 'POST /nonexistent', 'Content-Length: 1000000000\r\n')
  for (const socket of sockets) socket.write(Buffer.alloc(bytesOfEach))
  return sendForm(origin)
}

/** Begins forms without finishing them. Returns the status of a page that's opened meanwhile. */
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

/** Begins messages to the tool server without finishing them. Returns the status of a form that's sent meanwhile. */
export async function sendHalfMessages(origin: string): Promise<number> {
  await openRequests(
    origin,
    'POST /api/mcp/messages/?sessionId=unknown',
    'Content-Type: application/json\r\nContent-Length: 1000\r\n',
  )
  return sendForm(origin)
}

/** Opens connections, and sends the headers and a body's first byte on each. The service closes them later. */
async function openRequests(origin: string, line: string, headers: string): Promise<Socket[]> {
  const { hostname, port, host } = new URL(origin)
  return Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => {}) // the service can reset the connection after it has responded
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
