import { createServer } from 'node:http'
import { serveHttp } from './serve.ts'

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
serveHttp(server)
