import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector, Client, type Dispatcher } from 'undici'
import { secondMs } from '../core/durations.ts'
import { isLocalhost, isPermittedAddress } from './ip-address.ts'

/** Resolves to the addresses of a hostname. Rejects, or resolves to an empty list, if the hostname has none. */
export type ResolveHost = (host: string) => Promise<string[]>

export interface GuardedRequest {
  url: URL
  method: Dispatcher.HttpMethod
  headers: Record<string, string>
  body: string | undefined
  /** Aborts the request at any stage: connecting, waiting, or reading. */
  signal: AbortSignal
  /** How many bytes of the response body are read. The rest is dropped. */
  maxBytes: number
}

export interface GuardedResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: string
  /** True if the body was longer than `maxBytes`, or the connection closed or the signal aborted while it was read. */
  isTruncated: boolean
}

export interface GuardOptions {
  allowLoopback: boolean
  resolve?: ResolveHost
}

/** Sends one request to a server that a customer chose. Returns redirects instead of following them. */
export type GuardedSend = (request: GuardedRequest) => Promise<GuardedResponse>

/** Thrown if the host is an address that the service must not connect to, or resolves only to such addresses. */
export class ForbiddenAddressError extends Error {
  override name = 'ForbiddenAddressError'
}

/**
 * Creates a function that sends requests to servers that customers choose. Such requests must use this function,
 * `createReusingSend` (for servers that get many requests), or `createGuardedFetch` (for libraries). Each connection
 * resolves its hostname and uses only the addresses that were checked, so they can't change between the check and the
 * connection. Every request of this function uses a new connection, so no request relies on an earlier check.
 */
export function createGuardedSend(options: GuardOptions): GuardedSend {
  const connect = guardedConnector(options)
  return async (request) => {
    request.signal.throwIfAborted()
    const client = new Client(request.url.origin, { ...clientOptions, connect, pipelining: 0 })
    try {
      return await sendOnce(client, request)
    } finally {
      await client.destroy()
    }
  }
}

/** Turns off undici's timeouts, because each request has a signal that limits its time. */
export const clientOptions = { headersTimeout: 0, bodyTimeout: 0 } as const

/** Sends one request on a separate connection. Destroys the client if the signal aborts. */
export async function sendOnce(
  client: Client,
  { url, method, headers, body, signal, maxBytes }: GuardedRequest,
): Promise<GuardedResponse> {
  // The signal isn't passed to the request, because undici ignores it until there's a connection.
  const destroyClient = () => void client.destroy(signal.reason as Error)
  signal.addEventListener('abort', destroyClient, { once: true })
  try {
    const path = url.pathname + url.search
    const response = await client.request({ path, method, headers, body: body ?? null })
    const read = await readBody(response.body, maxBytes)
    return { status: response.statusCode, headers: response.headers, ...read }
  } finally {
    signal.removeEventListener('abort', destroyClient)
  }
}

/** Creates a connector that connects only to permitted addresses. */
export function guardedConnector({
  allowLoopback,
  resolve = resolveByDns,
}: GuardOptions): buildConnector.connector {
  const resolvePermitted = async (host: string): Promise<string[]> => {
    const addresses = await resolve(host)
    const permitted = addresses.filter(
      (address) => isIP(address) && isPermittedAddress(address, allowLoopback),
    )
    if (permitted.length === 0 && addresses.length > 0) throw new ForbiddenAddressError(host)
    return permitted
  }
  const lookup: LookupFunction = (host, { all }, callback) => {
    resolvePermitted(host).then(
      (addresses) => {
        const found = addresses.map((address) => ({ address, family: isIP(address) }))
        const [first] = found
        if (first === undefined) callback(addressNotFoundError(host), '')
        else if (all) callback(null, found)
        else callback(null, first.address, first.family)
      },
      (error: unknown) => {
        callback(error as NodeJS.ErrnoException, '')
      },
    )
  }
  const connect = buildConnector({ lookup, allowH2: false, autoSelectFamily: true })

  return (target, callback) => {
    // IP literals never reach `lookup`.
    const host = target.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) && !isPermittedAddress(host, allowLoopback)) {
      callback(markNotSent(new ForbiddenAddressError(host)), null)
      return
    }
    connect(target, (...[error, socket]) => {
      if (error === null) callback(null, socket)
      else callback(markNotSent(error), null)
    })
  }
}

/** Marks an error that occurred before any part of a request was sent. */
export function markNotSent<Failure>(error: Failure): Failure {
  if (typeof error === 'object' && error !== null) Reflect.set(error, 'isRequestSent', false)
  return error
}

/** Returns whether a request failed before any part of it was sent. Such a request certainly had no effect. */
export function isNotSent(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  return Reflect.get(error, 'isRequestSent') === false || isNotSent(Reflect.get(error, 'cause'))
}

const addressNotFoundError = (host: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`no address for ${host}`), { code: 'ENOTFOUND' })

/**
 * Queries the name servers directly, without /etc/hosts. With getaddrinfo, each lookup would occupy one of Node's four
 * threads, so a few domains that don't respond would block everything else that uses these threads.
 */
const resolveByDns: ResolveHost = async (host) => {
  if (isLocalhost(host)) return ['127.0.0.1', '::1']
  // A resolver reads the machine's name servers only once, and they may change.
  const resolver = new Resolver({ timeout: 2 * secondMs, tries: 2 })
  const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const addresses = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  if (addresses.length > 0 || results.every(isEmptyResult)) return addresses
  throw Object.assign(new Error(`no name server responded for ${host}`), { code: 'EAI_AGAIN' })
}

const isEmptyResult = (result: PromiseSettledResult<string[]>): boolean =>
  result.status === 'fulfilled' ||
  ['ENOTFOUND', 'ENODATA'].includes((result.reason as NodeJS.ErrnoException).code ?? '')

async function readBody(body: AsyncIterable<Buffer>, maxBytes: number) {
  const chunks: Buffer[] = []
  let bytes = 0
  let isTruncated = false
  try {
    for await (const chunk of body) {
      chunks.push(chunk.subarray(0, maxBytes - bytes))
      bytes += chunk.length
      isTruncated = bytes > maxBytes
      if (isTruncated) break
    }
  } catch {
    isTruncated = true // not an error, because the status has arrived
  }
  return { body: Buffer.concat(chunks).toString('utf8'), isTruncated }
}
