import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const connections = 100
const requestsPerConnection = 450

/** The service refuses connections from this address for a while, so the measurements use another one. */
const floodAddress = '127.0.0.2'

/** How long the connections stay open unless the service closes them. */
const openMs = 2_000

/**
 * Requests the largest public document many times on each of many connections, without reading the responses. Returns the
 * status of a page that's opened meanwhile.
 */
export async function requestWithoutReading(origin: string): Promise<number> {
  const { hostname, port, host } = new URL(origin)
  const request = `GET /api/public/v1/openapi.json HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect({ port: Number(port), host: hostname, localAddress: floodAddress })
      socket.on('error', () => {}) // the service closes the connection early
      socket.pause()
      await once(socket, 'connect')
      socket.write(request.repeat(requestsPerConnection))
      return socket
    }),
  )
  const response = await fetch(`${origin}/sign-in`)
  await response.text()
  await delay(openMs)
  for (const socket of sockets) socket.destroy()
  return response.status
}
