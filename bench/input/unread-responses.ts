import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const connections = 100
const requestsPerConnection = 450

/** Another address than that of the measurements, because the service refuses connections of this one for a while. */
const floodAddress = '127.0.0.2'

/** How long the connections stay open, if the service doesn't close them. */
const openMs = 2_000

/**
 * Requests the largest public document many times on each of many connections, reads none of the responses, and returns
 * the status of a page that someone opens meanwhile.
 */
export async function requestWithoutReading(origin: string): Promise<number> {
  const { hostname, port, host } = new URL(origin)
  const request = `GET /api/public/v1/openapi.json HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect({ port: Number(port), host: hostname, localAddress: floodAddress })
      socket.on('error', () => {}) // the service closes the connection
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
