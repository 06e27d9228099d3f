import { once } from 'node:events'
import { createServer } from 'node:net'

/** The range of ports. It's below the ports of outgoing connections, which could take a port before the test uses it. */
const lowest = 12_000
const highest = 32_000

/** Finds a port for a program that a test starts again at the same address. */
export async function findFixedPort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
