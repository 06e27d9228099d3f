import { describeNetworkError } from '../../platform/outbound/describe-network-error.ts'
import { isNotSent } from '../../platform/outbound/guard.ts'

/** The failure of a request to a remote server. */
export interface RemoteFailure {
  /**
   * - `error_response`: the server responded with an error, so the connection still works
   * - `session_gone`: the session has ended and the server rejected the message, so it's safe to send it again in a new
   *   session
   * - `no_effect`: the server didn't get the message, or rejected it
   * - `unknown_effect`: anything else
   */
  kind: 'error_response' | 'session_gone' | 'no_effect' | 'unknown_effect'
  /** What went wrong, as the end of a sentence. May quote the server. */
  reason: string
}

export class RemoteError extends Error {
  override name = 'RemoteError'
  readonly kind: RemoteFailure['kind']

  constructor({ kind, reason }: RemoteFailure) {
    super(reason)
    this.kind = kind
  }
}

const isOfKind = (error: unknown, kind: RemoteFailure['kind']): boolean =>
  error instanceof RemoteError && error.kind === kind

/** Returns whether the error is a response, which means that the connection still works. */
export const isErrorResponse = (error: unknown): boolean => isOfKind(error, 'error_response')

export const isSessionGone = (error: unknown): boolean => isOfKind(error, 'session_gone')

/** Returns true if the request wasn't sent, or if it failed in any way except `unknown_effect`. */
export const hadNoEffect = (error: unknown): boolean =>
  isNotSent(error) || (error instanceof RemoteError && error.kind !== 'unknown_effect')

export const connectionLost = 'the connection was lost'

/** Describes what went wrong with a request to a remote server, as the end of a sentence. May quote the server. */
export const describeRemoteFailure = (error: unknown): string =>
  error instanceof RemoteError ? error.message : (describeNetworkError(error) ?? connectionLost)
