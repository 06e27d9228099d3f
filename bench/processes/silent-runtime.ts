import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from './serve.ts'

/** An agent runtime whose calls never end: it accepts every dial request, and has nothing to report. */
const server = createServer((request, response) => {
  const attemptId = request.url?.split('/').at(-1)
  request.resume().on('end', () => {
    if (request.method === 'POST') response.writeHead(202).end()
    else
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ attempt_id: attemptId, reports: [] }))
  })
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
