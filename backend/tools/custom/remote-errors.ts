import type { ProtocolError } from '@modelcontextprotocol/client'
import { errorCode } from '../../platform/core/errors.ts'
import { describeNetworkError } from '../../platform/outbound/describe-network-error.ts'
import { isNotSent } from '../../platform/outbound/guard.ts'
import { type ResponseLimits, TooLargeError } from '../../platform/outbound/guarded-fetch.ts'
import { connectionLost, type RemoteFailure } from './remote-failure.ts'

/** Limits for a response. Validating one with 10,000 values takes up to 0.1 s. */
export const responseLimits: ResponseLimits = { bytes: 2 * 1024 * 1024, values: 10_000, events: 1_000 }

/** The server responded to a message with an HTTP error. */
export class HttpStatusError extends Error {
  override name = 'HttpStatusError'
  readonly status: number

  constructor(status: number, text: string) {
    super(text)
    this.status = status
  }
}

/** The stream ended before it delivered the response. */
export class BrokenStreamError extends Error {
  override name = 'BrokenStreamError'
}

/** The session has ended and the server rejected the message, so it's safe to send it again in a new session. */
class SessionGoneError extends Error {
  override name = 'SessionGoneError'
}

/**
 * Rethrows an error as SessionGoneError if it means that the session has ended. The specification requires status 404.
 * Servers based on its examples return 400 and mention the session. Any other 400 may have come after the tool did
 * something, so the message must not be sent again.
 */
export function rethrowSessionGone(error: unknown): never {
  const isGone =
    error instanceof HttpStatusError &&
    (error.status === 404 || (error.status === 400 && /session/i.test(error.message)))
  throw isGone ? new SessionGoneError(error.message, { cause: error }) : error
}

/** Recognizes the error by its name, because the SDK is imported only when a session is opened. */
const isProtocolError = (error: unknown): error is ProtocolError =>
  error instanceof Error && error.name === 'ProtocolError'

/** Returns whether the connection closed before the response. */
const isConnectionClosed = (error: unknown): boolean =>
  error instanceof Error && error.name === 'SdkError' && errorCode(error) === 'CONNECTION_CLOSED'

/** Describes an error for the main thread. */
export const toRemoteFailure = (error: unknown): RemoteFailure => ({
  kind: kindOf(error),
  reason: describeRemoteError(error),
})

function kindOf(error: unknown): RemoteFailure['kind'] {
  if (isProtocolError(error)) return 'error_response'
  if (error instanceof SessionGoneError) return 'session_gone'
  return error instanceof HttpStatusError || isNotSent(error) ? 'no_effect' : 'unknown_effect'
}

function describeRemoteError(error: unknown): string {
  if (error instanceof SessionGoneError) return describeRemoteError(error.cause)
  if (error instanceof HttpStatusError) {
    if (error.status === 401 || error.status === 403)
      return `it rejected the credentials (status ${error.status})`
    return `it returned error ${error.status}${error.message && `: ${error.message}`}`
  }
  if (isProtocolError(error)) return `it returned an error: ${error.message}`
  return (
    describeTransportError(error) ??
    (isConnectionClosed(error) ? connectionLost : "it doesn't respond like an MCP server")
  )
}

const responseTooLarge = `its response is too large: more than ${responseLimits.bytes / 1024 / 1024} MiB, ${responseLimits.values.toLocaleString('en-US')} values, or ${responseLimits.events.toLocaleString('en-US')} events`

function describeTransportError(error: unknown): string | undefined {
  if (error instanceof TooLargeError) return responseTooLarge
  if (error instanceof BrokenStreamError) return connectionLost
  const cause: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'cause') : undefined
  return describeNetworkError(error) ?? (cause === undefined ? undefined : describeTransportError(cause))
}
