import type { BeforeRequestMiddleware, HttpResponse, PlainInputField, ZObject } from 'zapier-platform-core'
import { withoutBlanks } from './blanks.ts'
import { toZapierError, withoutContext } from './errors.ts'
import { toText } from './values.ts'

const apiPath = '/api/public/v1'

/** Zapier ends a step after 30 seconds without an explanation, so requests time out earlier, with one. */
const timeoutMs = 25_000

/** A request to the API. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'DELETE'
  /** After the version, for example `/campaigns/`. */
  path: string
  /** A list is sent as one parameter per item. */
  query?: Record<string, unknown>
  /** Blank values are dropped. */
  body?: unknown
  headers?: Record<string, string>
  /** The fields whose values are sent. Errors use their labels. */
  inputFields?: PlainInputField[]
  /** Error statuses that count as success. */
  acceptedStatuses?: number[]
}

/** @throws if the integration was set up without the address of the service */
export function baseUrl(z: ZObject): string {
  const url = process.env.BASE_URL
  if (!url)
    throw new z.errors.Error(
      "Outdial's Zapier integration isn't set up. Contact Outdial support. (For the developer: set the environment variable BASE_URL to the address of the Outdial service.)",
    )
  return url.replace(/\/+$/, '')
}

/** Adds the connection's token to API requests, but not to other requests, such as those to the token endpoint. */
export const addBearer: BeforeRequestMiddleware = (request, z, bundle) => {
  const token = bundle.authData.access_token
  if (!token || !request.url.startsWith(`${baseUrl(z)}${apiPath}/`)) return request
  return { ...request, headers: { ...request.headers, Authorization: `Bearer ${token}` } }
}

/** @throws an error of `z.errors` with a message that says what to do, for people who don't code */
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

/** Posts a form to the OAuth server. The caller checks the status. */
export async function postForm(z: ZObject, path: string, form: Record<string, string>) {
  const outgoing: Outgoing = {
    method: 'POST',
    url: `${baseUrl(z)}${path}`,
    headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  }
  const invalidClientError = new z.errors.Error(
    "Outdial's Zapier integration is set up incorrectly (invalid client). Contact Outdial support.",
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
 * Sends a request. Nothing else calls z.request. `merge: false` and a body that is already text keep core from changing
 * what the user wrote: it rejects `{{bundle.…}}` in a merged request and removes `{{…}}` from an object.
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
    // Core throws this for every 401, without a message, before we see the response.
    if (error instanceof z.errors.RefreshAuthError) throw unauthorizedError
    if (error instanceof Error && error.name === 'FetchError') {
      throw new z.errors.Error("Outdial couldn't be reached. Try again in a few minutes.", 'unreachable')
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
