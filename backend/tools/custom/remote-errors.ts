import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { describeNetworkError } from '../../outbound/describe-network-error.ts'
import { TooLargeError } from '../../outbound/guarded-fetch.ts'

/** The server answered a message with an HTTP error. */
export class HttpStatusError extends Error {
  override name = 'HttpStatusError'
  readonly status: number

  constructor(status: number, text: string) {
    super(text)
    this.status = status
  }
}

/** The stream that was to bring an answer ended without it. */
export class BrokenStreamError extends Error {
  override name = 'BrokenStreamError'
}

/** The session is gone, and the message was not taken: it may be sent again in a new one. */
export class SessionGoneError extends Error {
  override name = 'SessionGoneError'
}

/**
 * The specification has 404 for a session that is gone. Servers made after its examples answer 400 and speak of the
 * session; any other 400 may have been said after something was done.
 */
export function rethrowSessionGone(error: unknown): never {
  const isGone =
    error instanceof HttpStatusError &&
    (error.status === 404 || (error.status === 400 && /session/i.test(error.message)))
  throw isGone ? new SessionGoneError(error.message, { cause: error }) : error
}

/** Whether the connection can still be used: an answer came, though it says no. */
export const isErrorResponse = (error: unknown): boolean =>
  error instanceof McpError && error.code !== Number(ErrorCode.ConnectionClosed)

/** Whether the server said that it did not do what it was asked. */
export const isRejection = (error: unknown): boolean =>
  isErrorResponse(error) || error instanceof HttpStatusError || error instanceof SessionGoneError

/** What went wrong at or on the way to a remote server, as the end of a sentence. It may quote the server. */
export function describeRemoteFailure(error: unknown): string {
  if (error instanceof SessionGoneError) return describeRemoteFailure(error.cause)
  if (error instanceof HttpStatusError) {
    if (error.status === 401 || error.status === 403)
      return `it refused the credentials (status ${error.status})`
    return `it answered with the error ${error.status}${error.message && `: ${error.message}`}`
  }
  if (isErrorResponse(error))
    return `it answered: ${String((error as McpError).message).replace(/^MCP error -?\d+: /, '')}`
  return (
    describeTransportError(error) ??
    (error instanceof McpError ? connectionLost : "it doesn't respond like an MCP server")
  )
}

const connectionLost = 'the connection broke off'

function describeTransportError(error: unknown): string | undefined {
  if (error instanceof TooLargeError) return 'its answer is too large'
  if (error instanceof BrokenStreamError) return connectionLost
  const cause: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'cause') : undefined
  return describeNetworkError(error) ?? (cause === undefined ? undefined : describeTransportError(cause))
}
