import { createRequire } from 'node:module'
import type { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals'
import nock from 'nock'
import zapier from 'zapier-platform-core'
import app from '../../index.ts'

type Handler = (event: object) => Promise<{ results: unknown }>
const { createAppHandler } = zapier as { createAppHandler?: (app: object) => Handler }
if (!createAppHandler) throw new Error('core has no createAppHandler')
const handler = createAppHandler(app)

// After 250 runs, core ends a process that uses more than 450 MB. This limit is for Zapier's servers, not for Jest, so it's
// disabled.
const constants = createRequire(import.meta.url)('zapier-platform-core/src/constants') as {
  KILL_MAX_LIMIT: number
}
constants.KILL_MAX_LIMIT = Infinity

/** Returns a step's value for a file of a call. Zapier runs the hydrator only when a later step uses the file. */
export const fileOfCall = (hydrator: string, call_id: number): string =>
  `hydrate|||${JSON.stringify({ type: 'file', method: `hydrators.${hydrator}`, bundle: { call_id } })}|||hydrate`

interface BundleParts {
  inputData?: Record<string, unknown>
  authData?: Record<string, unknown>
  meta?: { page?: number; isLoadingSample?: boolean; timezone?: string | null }
  targetUrl?: string
  subscribeData?: Record<string, unknown>
  cleanedRequest?: unknown
  rawRequest?: unknown
  outputData?: object
}

interface RunOptions extends BundleParts {
  /** The URL that `z.generateCallbackUrl` returns to the connector. */
  callbackUrl?: string
}

/** Runs one method of the connector as Zapier does, through core's handler. */
export async function run<Result>(
  method: string,
  { callbackUrl, ...bundle }: RunOptions = {},
): Promise<Result> {
  const { results } = await handler({
    command: 'execute',
    method,
    // Otherwise, core would patch node:http permanently, which would affect later tests in this process.
    calledFromCli: true,
    callback_url: callbackUrl,
    bundle: {
      authData: { access_token: 'token-1' },
      inputData: {},
      ...bundle,
      meta: { page: 0, ...bundle.meta },
    },
  })
  return results as Result
}

/** The error of a failed run. For some errors, the message is JSON. */
interface ConnectorError {
  name: string
  message: string
  delay?: number
  code?: string
  status?: number
}

/** Runs a method that must fail. Returns its error. */
export async function runExpectingError(method: string, bundle: RunOptions = {}): Promise<ConnectorError> {
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

/** A request that the connector sent. */
export interface SentRequest {
  url: URL
  headers: Record<string, string>
  text: string
}

export const baseUrl = 'https://outdial.example.com'
Object.assign(process.env, { BASE_URL: baseUrl, CLIENT_ID: 'client-1', CLIENT_SECRET: 'secret-of-client-1' })

type Method = 'GET' | 'POST' | 'DELETE'
type Reply = readonly [status: number, body: string | Readable, headers: Record<string, string>]

/**
 * Responds to the next request with this method and path. Returns a list to which this request is then added.
 *
 * @param reply returns the response, either immediately or later
 */
export function stubReply(method: Method, path: string, reply: () => Reply | Promise<Reply>): SentRequest[] {
  const requests: SentRequest[] = []
  nock(baseUrl)
    .intercept(path, method)
    .query(true)
    .reply(async (request: Request) => {
      const text = await request.text()
      requests.push({ url: new URL(request.url), headers: Object.fromEntries(request.headers), text })
      return reply()
    })
  return requests
}

/** Responds to the next request with this method and path. Returns a list to which this request is then added. */
export function stubResponse(
  method: Method,
  path: string,
  status: number,
  body: object | string = '',
  headers: Record<string, string> = {},
): SentRequest[] {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return stubReply(method, path, () => [status, text, { 'Content-Type': 'application/json', ...headers }])
}

/** Lets the next request with this method and path fail with Node's error for a failed connection. */
export function stubFailure(method: Method, path: string, code: string): void {
  nock(baseUrl)
    .intercept(path, method)
    .query(true)
    .replyWithError(Object.assign(new Error(code), { code }))
}

const unexpected: string[] = []
const recordUnexpected = (request: Request) => unexpected.push(`${request.method} ${request.url}`)

beforeAll(() => {
  // Importing nock activates it only the first time.
  if (!nock.isActive()) nock.activate()
  nock.disableNetConnect()
  nock.emitter.on('no match', recordUnexpected)
})
afterEach(() => {
  const unused = nock.pendingMocks()
  nock.abortPendingRequests()
  nock.cleanAll()
  expect({ unused, unexpected: unexpected.splice(0) }).toEqual({ unused: [], unexpected: [] })
})
afterAll(() => {
  nock.emitter.off('no match', recordUnexpected)
  nock.enableNetConnect()
  nock.restore()
})

export const apiPath = (path: string) => `/api/public/v1${path}`

/** Returns the body of an API error response. */
export const errorBody = (code: string, message: string, details: object[] = []) => ({
  error: { type: 'invalid_request', code, message, details, request_id: 'req_42' },
})

/** Returns the parsed body of the first request in the list. */
export function parseBody(requests: SentRequest[]): unknown {
  const [request] = requests
  if (!request) throw new Error('no request was sent')
  return JSON.parse(request.text)
}
