import type { BeforeRequestMiddleware, HttpResponse, PlainInputField, ZObject } from 'zapier-platform-core'
import { withoutBlanks } from './blanks.ts'
import { toZapierError, withoutContext } from './errors.ts'
import { toText } from './values.ts'

const apiPath = '/api/public/v1'

/** Zapier ends a step after 30 seconds without a word: say what happened before that. */
const timeoutMs = 25_000

/** One call of the API. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'DELETE'
  /** Below the version, for example `/campaigns/`. */
  path: string
  /** A list is sent as one parameter for each item. */
  query?: Record<string, unknown>
  /** Blanks are dropped from it. */
  body?: unknown
  headers?: Record<string, string>
  /** The fields whose values are sent: errors name them by their labels. */
  inputFields?: PlainInputField[]
  /** Failures that are as good as success here. */
  acceptedStatuses?: number[]
}

/** @throws in words, if the integration was set up without the address of the service */
export function baseUrl(z: ZObject): string {
  const url = process.env.BASE_URL
  if (!url) throw new z.errors.Error('BASE_URL is not set: set it to the address of your Outdial service.')
  return url.replace(/\/+$/, '')
}

/** Adds the connection's token to calls of the API, and to nothing else: the token endpoint gets none. */
export const addBearer: BeforeRequestMiddleware = (request, z, bundle) => {
  const token = bundle.authData.access_token
  if (!token || !request.url.startsWith(`${baseUrl(z)}${apiPath}/`)) return request
  return { ...request, headers: { ...request.headers, Authorization: `Bearer ${token}` } }
}

/** @throws an error of `z.errors` whose message a no-code user can act on */
export async function callApi<Data>(z: ZObject, request: ApiRequest): Promise<Data> {
  const { method, path, query, body, headers, inputFields, acceptedStatuses = [] } = request
  const outgoing: Outgoing = {
    method,
    url: `${baseUrl(z)}${apiPath}${path}${queryString(query)}`,
    headers: {
      Accept: 'application/json',
      ...(body ? { 'Content-Type': 'application/json' } : {}),
      ...headers,
    },
    body: body ? JSON.stringify(withoutBlanks(body) ?? {}) : undefined,
  }
  const reconnectError = withoutContext(
    new z.errors.RefreshAuthError(
      'Outdial no longer accepts this connection. Reconnect your Outdial account and try again.',
    ),
  )
  const response = await send<Data>(z, outgoing, reconnectError)
  if (response.status < 400 || acceptedStatuses.includes(response.status)) return response.data
  throw toZapierError(z, response, inputFields)
}

/** Posts a form to the OAuth server; whoever calls it looks at the status. */
export async function postForm(z: ZObject, path: string, form: Record<string, string>) {
  const outgoing: Outgoing = {
    method: 'POST',
    url: `${baseUrl(z)}${path}`,
    headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  }
  const invalidClientError = new z.errors.Error(
    'Outdial does not know this integration: check its CLIENT_ID and CLIENT_SECRET.',
    'invalid_client',
    401,
  )
  return send(z, outgoing, invalidClientError)
}

interface Outgoing {
  method: ApiRequest['method']
  url: string
  headers: Record<string, string>
  body: string | undefined
}

/**
 * The only caller of z.request. `merge: false` and a body that is text already keep core's hands off
 * what the user wrote: it refuses `{{bundle.…}}` in a merged request, and cuts `{{…}}` out of an object.
 */
async function send<Data>(
  z: ZObject,
  outgoing: Outgoing,
  unauthorizedError: Error,
): Promise<HttpResponse<Data>> {
  const options = { ...outgoing, merge: false, skipThrowForStatus: true, timeout: timeoutMs }
  try {
    return await z.request<Data>(options)
  } catch (error) {
    // Core throws this for every 401 before anybody else sees the answer, and without a word.
    if (error instanceof z.errors.RefreshAuthError) throw unauthorizedError
    if (error instanceof Error && error.name === 'FetchError') {
      throw new z.errors.Error('Outdial could not be reached. Try again in a few minutes.', 'unreachable')
    }
    throw error
  }
}

function queryString(query: ApiRequest['query'] = {}): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const item of [withoutBlanks(value) ?? []].flat()) params.append(name, toText(item))
  }
  return params.size === 0 ? '' : `?${params.toString()}`
}
