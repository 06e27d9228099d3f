import { createServer } from 'node:http'
import { serveHttp } from './serve.ts'

/** Accepts webhooks without looking at them. */
const server = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(204).end())
})
serveHttp(server)
