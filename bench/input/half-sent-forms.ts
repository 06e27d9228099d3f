import { once } from 'node:events'
import { connect } from 'node:net'

/** More than the slots of a process. */
const connections = 220

/**
 * Begins many forms that nobody finishes, and returns the status of a page that someone opens meanwhile. The service closes
 * the connections.
 */
export async function sendHalfForms(origin: string): Promise<number> {
  const { hostname, port, host } = new URL(origin)
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => {}) // a rejected form's connection can be reset
      socket.resume()
      await once(socket, 'connect')
      socket.write(
        `POST /sign-in HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/x-www-form-urlencoded\r\n` +
          'Content-Length: 1000\r\n\r\na',
      )
    }),
  )
  const response = await fetch(`${origin}/sign-in`)
  await response.text()
  return response.status
}
