import type { RuntimeDialRequest } from '@outdial/contract'
import { Agent, fetch, type RequestRedirect } from 'undici'
import type { Clock } from '../../../platform/core/clock.ts'
import { hasMoreValues } from '../../../platform/core/count-values.ts'
import { secondMs } from '../../../platform/core/durations.ts'
import { errorCode } from '../../../platform/core/errors.ts'
import { signWebhook, toSigningKey } from '../../../platform/outbound/sign-webhook.ts'
import { type CallState, parseCallState, UnreadableStateError } from './parse-call-state.ts'
import type { Reachability } from './reachability.ts'

/**
 * The outcome of a dial request:
 *
 * - `unsent`: the connection failed, so the runtime can't have accepted the call.
 * - `unavailable`: the runtime, or the gateway in front of it, said that it's unavailable, or the connection ended. If
 *   `getCallState` then returns `not_found`, the call wasn't placed.
 * - `unknown`: the runtime failed. It may or may not have accepted the call.
 */
export type DialStatus = 'accepted' | 'rejected' | 'unsent' | 'unavailable' | 'unknown'

/** The runtime, or the gateway in front of it, can't be reached or says that it's unavailable. */
export class RuntimeUnavailableError extends Error {}

const unavailableStatuses = [502, 503, 504]

/** A client for a custom agent runtime. See docs/reference/runtime.md for the protocol. */
export interface RuntimeClient {
  /**
   * Requests a call. If it's unclear whether the runtime accepted it, use `getCallState` to find out. Never rejects.
   */
  dial(request: RuntimeDialRequest): Promise<DialStatus>
  /**
   * Returns the reports so far, or `not_found` if the runtime doesn't know the attempt. Rejects with a
   * `RuntimeUnavailableError` if the runtime can't be reached or is unavailable, and with an `UnreadableStateError` if its
   * response can't be used.
   */
  getCallState(attemptId: string): Promise<CallState | 'not_found'>
  /** Hangs up. Rejects unless the runtime confirms that the call is over. */
  hangUp(attemptId: string): Promise<void>
}

interface RuntimeClientOptions {
  /** The base URL of the runtime, without a trailing slash. */
  url: string
  /** Each key signs every request, so a runtime can verify requests with the old or the new one. */
  signingKeys: () => readonly string[]
  clock: Clock
  reachability: Pick<Reachability, 'startRequest'>
  timeoutMs?: number
}

/** How long connecting can take. It's less than a request can take, to distinguish an unreachable runtime from a slow one. */
const connectTimeoutMs = 5 * secondMs

export function createRuntimeClient(options: RuntimeClientOptions): RuntimeClient {
  const { url, signingKeys, clock, reachability, timeoutMs = 10 * secondMs } = options
  const dispatcher = new Agent({ connect: { timeout: connectTimeoutMs } })

  const send = (
    method: string,
    path: string,
    body: string | undefined,
    headers: Record<string, string>,
    redirect: RequestRedirect = 'error',
  ) => {
    const id = path.split('/').at(-1) ?? path
    const target = new URL(`${url}${path}`)
    // Without a body, the signature covers method and path, as the runtime sees them.
    const signed = signWebhook({
      id: headers['Idempotency-Key'] ?? id,
      at: clock.now(),
      body: body ?? `${method} ${target.pathname}`,
      keys: signingKeys().map(toSigningKey),
    })
    return fetch(target, {
      method,
      headers: { ...headers, ...signed },
      body,
      redirect,
      dispatcher,
      signal: AbortSignal.timeout(timeoutMs),
    })
  }

  return {
    dial: async (request) => {
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': request.attempt_id }
      const sent = reachability.startRequest()
      try {
        const response = await send('POST', '/calls', JSON.stringify(request), headers)
        await response.body?.cancel()
        if (unavailableStatuses.includes(response.status)) {
          sent.fail(new Error(`the runtime returned status ${response.status}`))
          return 'unavailable'
        }
        sent.succeed()
        if (response.ok) return 'accepted'
        return response.status < 500 ? 'rejected' : 'unknown'
      } catch (error) {
        sent.fail(error)
        return isConnectionError(getCause(error)) ? 'unsent' : 'unavailable'
      }
    },
    getCallState: async (attemptId) => {
      const headers = { Accept: 'application/json' }
      // With `manual`, a redirect is a response. By default, it would look like a failed connection.
      const response = await send('GET', `/calls/${attemptId}`, undefined, headers, 'manual').catch(
        (error: unknown) => {
          throw new RuntimeUnavailableError("can't reach the runtime", { cause: error })
        },
      )
      if (response.ok) return readState(response.body, clock.now())
      await response.body?.cancel()
      if (response.status === 404) return 'not_found'
      const isUnavailable = unavailableStatuses.includes(response.status)
      const ErrorType = isUnavailable ? RuntimeUnavailableError : UnreadableStateError
      throw new ErrorType(`the runtime returned status ${response.status}`)
    },
    hangUp: async (attemptId) => {
      const response = await send('DELETE', `/calls/${attemptId}`, undefined, {})
      await response.body?.cancel()
      if (!response.ok && response.status !== 404)
        throw new Error(`the runtime returned status ${response.status}`)
    },
  }
}

/** Limits of a response. The reports of the longest call are smaller, and parsing more would take too long. */
const maxState = { bytes: 4 * 1024 * 1024, values: 200_000 }

/** @throws {UnreadableStateError} for any failure, because the next response to the same request will probably fail, too */
async function readState(body: AsyncIterable<Uint8Array> | null, receivedAt: Date): Promise<CallState> {
  try {
    return parseCallState(await readText(body), receivedAt)
  } catch (error) {
    if (error instanceof UnreadableStateError) throw error
    throw new UnreadableStateError("can't read the runtime's response", { cause: error })
  }
}

/** @throws {UnreadableStateError} for more than `maxState` */
async function readText(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxState.bytes) throw new UnreadableStateError("the runtime's response is larger than 4 MiB")
    chunks.push(chunk)
  }
  const content = Buffer.concat(chunks)
  if (hasMoreValues(content, maxState.values))
    throw new UnreadableStateError("the runtime's response has more than 200,000 values")
  return new TextDecoder().decode(content)
}

/**
 * Returns true for an error that occurs before anything is sent. The same error codes can also occur later, on a
 * connection that has sent the request, so this checks the system call.
 */
function isConnectionError(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isConnectionError)
  if (errorCode(error) === 'UND_ERR_CONNECT_TIMEOUT') return true
  const syscall =
    typeof error === 'object' && error !== null && 'syscall' in error ? error.syscall : undefined
  return syscall === 'connect' || syscall === 'getaddrinfo'
}

const getCause = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'cause' in error ? error.cause : undefined
