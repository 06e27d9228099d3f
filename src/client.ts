import type { BeforeRequestMiddleware, HttpResponse, ZObject } from 'zapier-platform-core'
import { withoutBlanks } from './blanks.ts'
import {
  apiError,
  type ErrorOptions,
  toZapierError,
  tryAgain,
  uncertainError,
  unreadableResponse,
  withoutContext,
} from './errors.ts'
import { version } from './generated.ts'
import { isObject, toText } from './values.ts'

const apiPath = '/api/public/v1'

/** How long all requests of a step may take together. Zapier ends a step after 30 seconds without an explanation. */
const timeoutMs = 25_000

/** A request to the API. */
interface ApiRequest extends ErrorOptions {
  method: 'GET' | 'POST' | 'DELETE'
  /** The path after the version, for example `/campaigns/`. */
  path: string
  /** A list is sent as one parameter per item. */
  query?: Record<string, unknown>
  /** Blank values are dropped. */
  body?: Record<string, unknown>
  /** Headers that depend on the body, in which `otherIds` can replace an ID. */
  headers?: (body: Record<string, unknown>) => Record<string, string>
  /**
   * Functions that find another ID for a field of the body. They run only if Outdial finds nothing with the first ID, because
   * a look-up for each queued call would use up the rate limit.
   */
  otherIds?: Record<string, (() => Promise<number | undefined>) | undefined>
  /** Error statuses that count as success. */
  acceptedStatuses?: readonly number[]
  /** True if Outdial's error that something doesn't exist counts as success. A proxy's page with the same status doesn't. */
  acceptsNotFound?: boolean
}

/**
 * @throws if the integration was set up without the address of the service, or with one that would send data
 * unencrypted over the network
 */
export function baseUrl(z: ZObject): string {
  const url = process.env.BASE_URL ?? ''
  if (!/^(https:|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$))/i.test(url))
    throw new z.errors.Error(
      "Outdial's Zapier integration isn't set up. Contact Outdial support. (For the developer: set the environment variable BASE_URL to the address of the Outdial service, which begins with https://.)",
    )
  return url.replace(/(?<!\/)\/+$/, '')
}

/** Adds the connection's token to API requests, but not to other requests, such as those to the token endpoint. */
export const addBearer: BeforeRequestMiddleware = (request, z, bundle) => {
  const token = bundle.authData.access_token
  if (!token || !request.url.startsWith(`${baseUrl(z)}${apiPath}/`)) return request
  return { ...request, headers: { ...request.headers, Authorization: `Bearer ${token}` } }
}

/**
 * Sends a request to the API, and returns the response's body.
 *
 * @param isExpected checks an object that the API returned with a success status; undefined if the API returns no body
 * @throws an error of `z.errors` with a message that says what to do, for people who don't code
 */
export async function callApi<Data>(
  z: ZObject,
  request: ApiRequest,
  isExpected?: (data: Record<string, unknown>) => boolean,
): Promise<Data> {
  const { method, path, query, body, headers, acceptedStatuses = [] } = request
  const options: ErrorOptions = { isIdempotent: method === 'GET', ...request }
  const outgoing: Outgoing = {
    method,
    url: `${baseUrl(z)}${apiPath}${path}${queryString(query)}`,
    headers: {
      Accept: 'application/json',
      'X-Outdial-Client': `zapier/${version}`,
      ...(body ? { 'Content-Type': 'application/json' } : {}),
      ...(body && headers?.(body)),
    },
    body: body ? JSON.stringify(withoutBlanks(body) ?? {}) : undefined,
  }
  const reconnectError = withoutContext(
    new z.errors.RefreshAuthError(
      'Outdial no longer accepts this connection. Reconnect your Outdial account and try again.',
    ),
  )
  const response = await send<Data>(z, outgoing, reconnectError, options)
  if (acceptedStatuses.includes(response.status)) return response.data
  if (request.acceptsNotFound && apiError(response.data)?.code === 'not_found') return response.data
  const other = await withOtherId(request, response)
  if (other) return callApi(z, other, isExpected)
  if (response.status >= 400) throw toZapierError(z, response, options)
  const { data }: { data: unknown } = response
  const isValid = isExpected ? isObject(data) && isExpected(data) : response.status === 204
  if (response.status >= 300 || !isValid) throw unreadableResponse(z, response, options)
  return response.data
}

/** Returns the request with another ID in place of the one that Outdial didn't find. */
async function withOtherId(request: ApiRequest, { data }: HttpResponse): Promise<ApiRequest | undefined> {
  const { otherIds = {}, body } = request
  const error = apiError(data)
  const field = error?.code === 'not_found' ? (error.details[0]?.field ?? '') : ''
  const id = await otherIds[field]?.()
  if (id === undefined || !isObject(body)) return undefined
  return { ...request, body: { ...body, [field]: id }, otherIds: { ...otherIds, [field]: undefined } }
}

/** Returns true for an object with an ID, as the API returns it. */
export const hasId = ({ id }: Record<string, unknown>): boolean => Number.isInteger(id)

/** A list of the API. */
export interface ApiList<Item> {
  path: string
  /** Checks the fields that the connector relies on. */
  isItem: (value: unknown) => value is Item
}

/** Reads a page of a list. */
export const readList = <Item>(
  z: ZObject,
  { path, isItem }: ApiList<Item>,
  query: Record<string, unknown>,
  options: ErrorOptions = {},
): Promise<{ results: Item[] }> =>
  callApi(
    z,
    { method: 'GET', path, query, ...options },
    ({ results }) => Array.isArray(results) && results.every(isItem),
  )

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

/** Node's codes for a connection that failed before anything was sent. */
const unsent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/**
 * Sends a request. Only the download of a recording calls z.request as well. `merge: false` and a body that is already
 * text keep core from changing what the user wrote: it rejects `{{bundle.…}}` in a merged request and removes `{{…}}`
 * from an object. The API never redirects, so a redirect isn't followed with the contact's data.
 */
async function send<Data>(
  z: ZObject,
  outgoing: Outgoing,
  unauthorizedError: Error,
  options: ErrorOptions = {},
): Promise<HttpResponse<Data>> {
  const controller = new AbortController()
  // Core's `timeout` isn't enough, because it starts again when the response's body begins.
  const timer = setTimeout(() => controller.abort(), remainingMs(z))
  const { signal } = controller
  // Not passed as a literal, because TypeScript would reject `merge` and `signal`: core supports them, but its types lack them.
  const request = { ...outgoing, merge: false, skipThrowForStatus: true, redirect: 'manual' as const, signal }
  try {
    return await z.request<Data>(request)
  } catch (error) {
    // Core throws this error for every 401, without a message, before the connector sees the response.
    if (error instanceof z.errors.RefreshAuthError) throw unauthorizedError
    const fail = (code: string, reason: string, unclear = options) =>
      uncertainError(z, { reason, advice: tryAgain, code }, unclear)
    if (signal.aborted) throw fail('timeout', "Outdial didn't respond within 25 seconds.")
    if (unsent.has(String((error as { code?: unknown }).code)))
      throw fail('unreachable', "Outdial couldn't be reached.", { isIdempotent: options.isIdempotent })
    throw fail('interrupted', 'The connection to Outdial was interrupted.')
  } finally {
    clearTimeout(timer)
  }
}

/** The times by which all requests of a step must be finished. The key is `z`, because each step gets a different one. */
const deadlines = new WeakMap<ZObject, number>()

/** Returns the time that the requests of a step have left. */
export function remainingMs(z: ZObject): number {
  const deadline = deadlines.get(z) ?? Date.now() + timeoutMs
  deadlines.set(z, deadline)
  return deadline - Date.now()
}

function queryString(query: ApiRequest['query'] = {}): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const item of [withoutBlanks(value) ?? []].flat()) params.append(name, toText(item))
  }
  return params.size === 0 ? '' : `?${params.toString()}`
}
