import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { afterAll, afterEach } from '@jest/globals'
import zapier from 'zapier-platform-core'
import app from '../../index.ts'

type Handler = (event: object) => Promise<{ results: unknown }>
const { createAppHandler } = zapier as { createAppHandler?: (app: object) => Handler }
if (!createAppHandler) throw new Error('core has no createAppHandler')
const handler = createAppHandler(app)

interface BundleParts {
  inputData?: Record<string, unknown>
  authData?: Record<string, unknown>
  meta?: { page: number }
  targetUrl?: string
  subscribeData?: Record<string, unknown>
  cleanedRequest?: unknown
}

/** Runs one method of the connector as Zapier does, through core's handler. */
export async function run<Result>(method: string, bundle: BundleParts = {}): Promise<Result> {
  const { results } = await handler({
    command: 'execute',
    method,
    // Without this, core patches node:http permanently, which affects the other tests of this process.
    calledFromCli: true,
    bundle: { authData: { access_token: 'token-1' }, inputData: {}, meta: { page: 0 }, ...bundle },
  })
  return results as Result
}

/** The error of a failed run. Core encodes the parts of some errors as JSON. */
export interface ConnectorError {
  name: string
  message: string
  delay?: number
  code?: string
  status?: number
}

/** Runs a method that must fail, and returns its error. */
export async function runExpectingError(method: string, bundle: BundleParts = {}): Promise<ConnectorError> {
  try {
    await run(method, bundle)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const { name, message } = error
    if (!message.startsWith('{')) return { name, message }
    return { name, ...(JSON.parse(message) as Omit<ConnectorError, 'name'>) }
  }
  throw new Error(`${method} succeeded`)
}

/** A request that the server received. */
export interface ReceivedRequest {
  url: URL
  headers: IncomingHttpHeaders
  text: string
}

interface StubbedResponse {
  method: string
  path: string
  status: number
  body: string
  headers: Record<string, string>
  requests: ReceivedRequest[]
}

const stubs: StubbedResponse[] = []

/** Responds to the next request with this method and path. The returned list then contains that request. */
export function stubResponse(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  status: number,
  body: object | string = '',
  headers: Record<string, string> = {},
): ReceivedRequest[] {
  const requests: ReceivedRequest[] = []
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  stubs.push({ method, path, status, body: text, headers, requests })
  return requests
}

// Stands in for the service on loopback, so tests check the actual HTTP requests.
const handleRequest = async (request: IncomingMessage, response: ServerResponse) => {
  const url = new URL(request.url ?? '/', baseUrl)
  const position = stubs.findIndex(({ method, path }) => method === request.method && path === url.pathname)
  const [stub] = position < 0 ? [] : stubs.splice(position, 1)
  if (!stub) {
    response.writeHead(418).end(`unexpected request: ${request.method} ${url.pathname}`)
    return
  }
  stub.requests.push({ url, headers: request.headers, text: await readText(request) })
  response.writeHead(stub.status, { 'Content-Type': 'application/json', ...stub.headers }).end(stub.body)
}
const server = createServer((request, response) => void handleRequest(request, response))
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
export const baseUrl = `http://127.0.0.1:${port}`
Object.assign(process.env, { BASE_URL: baseUrl, CLIENT_ID: 'client-1', CLIENT_SECRET: 'secret-of-client-1' })

afterEach(() => {
  stubs.length = 0
})
afterAll(() => {
  server.close()
})

export const apiPath = (path: string) => `/api/public/v1${path}`

/** Returns the body of an API error response. */
export const errorBody = (code: string, message: string, details: object[] = []) => ({
  error: { type: 'invalid_request', code, message, details, request_id: 'req_42' },
})

/** Returns the parsed body of the only request. */
export function parseBody(requests: ReceivedRequest[]): unknown {
  const [request] = requests
  if (!request) throw new Error('no request arrived')
  return JSON.parse(request.text)
}
