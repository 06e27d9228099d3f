import nock from 'nock'
import zapier from 'zapier-platform-core'
import app from '../../index.ts'

const baseUrl = 'https://outdial.test'

Object.assign(process.env, { BASE_URL: baseUrl, CLIENT_ID: 'client-1', CLIENT_SECRET: 'secret-of-client-1' })
nock.disableNetConnect()

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
    bundle: { authData: { access_token: 'token-1' }, inputData: {}, meta: { page: 0 }, ...bundle },
  })
  return results as Result
}

/** What a run fails with. Core packs the parts of some errors into JSON. */
export interface Failure {
  name: string
  message: string
  delay?: number
  code?: string
  status?: number
}

/** Runs a method that must fail. */
export async function failure(method: string, bundle: BundleParts = {}): Promise<Failure> {
  try {
    await run(method, bundle)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const { name, message } = error
    if (!message.startsWith('{')) return { name, message }
    return { name, ...(JSON.parse(message) as Omit<Failure, 'name'>) }
  }
  throw new Error(`${method} succeeded`)
}

/** One request as it arrived. */
export interface Arrived {
  url: URL
  headers: Headers
  text: string
}

/** Answers the next request of this method below this path, and keeps what arrived. */
export function answer(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  status: number,
  body?: nock.ReplyBody,
  headers: Record<string, string> = {},
): Arrived[] {
  const arrived: Arrived[] = []
  const reply = async (request: Request): Promise<nock.ReplyFnResult> => {
    arrived.push({ url: new URL(request.url), headers: request.headers, text: await request.text() })
    return [status, body ?? '', headers]
  }
  nock(baseUrl)
    .intercept((asked) => asked.split('?')[0] === path, method)
    .reply(reply)
  return arrived
}

export const api = (path: string) => `/api/public/v1${path}`

/** An error of the API. */
export const refusal = (code: string, message: string, details: object[] = []) => ({
  error: { type: 'invalid_request', code, message, details, request_id: 'req_42' },
})

/** The only request's body, parsed. */
export function bodyOf(arrived: Arrived[]): unknown {
  const [request] = arrived
  if (!request) throw new Error('nothing arrived')
  return JSON.parse(request.text)
}
