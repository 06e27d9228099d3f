import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from './serve.ts'

/** Accepts webhooks without a look at them. */
const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(204).end())
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  serve({
    port,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
})
