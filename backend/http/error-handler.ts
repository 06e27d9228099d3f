import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import type { ErrorCode } from '@outdial/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, describeError, errorCode } from '../core/errors.ts'
import { isOutage } from '../db/outage.ts'

/** Seconds after which a caller may try again while the database is away. */
const retryAfterOutage = '5'

/** Every error leaves in the one shape, and a bug tells nothing of itself. */
export function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const apiError = request.raw.errored ? bodyIncomplete : toApiError(error)
  if (apiError.status >= 500) {
    const level = apiError.code === 'unavailable' ? 'warn' : 'error'
    request.log[level]({ error: describeError(error) }, apiError.code)
  }
  void reply
    .code(apiError.status)
    .headers({ ...wwwAuthenticateHeaders(apiError), ...apiError.headers, 'X-Request-Id': request.id })
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send(apiError.toResponse(request.id))
}

/**
 * The caller has disconnected and won't receive this error. It keeps the log from reporting the disconnection as an
 * error of the service.
 */
const bodyIncomplete = new ApiError('malformed_json', 'The body broke off before its end.')

/** RFC 9110, section 15.5.2: every 401 says how to authenticate. */
const wwwAuthenticateHeaders = (apiError: ApiError): Record<string, string> =>
  apiError.status === 401 ? { 'WWW-Authenticate': 'Bearer realm="Outdial", error="invalid_token"' } : {}

/** What the caller is told of an error. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isOutage(error)) {
    return new ApiError('unavailable', 'The service is away for a moment: try again shortly.', {
      headers: { 'Retry-After': retryAfterOutage },
    })
  }
  const known = fastifyErrors[errorCode(error)]
  if (known !== undefined) return new ApiError(...known)
  return new ApiError('internal_error', 'Something broke on our side. Support can find it by the request id.')
}

const urlNotFound: [ErrorCode, string] = ['not_found', 'There is nothing at this address.']

/** What the framework refuses by itself. */
const fastifyErrors: Record<string, [ErrorCode, string] | undefined> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'The body is too large: at most 1 MiB is accepted.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'The Content-Type cannot be read: send JSON as application/json.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'malformed_json',
    'The body is shorter or longer than its Content-Length says.',
  ],
  FST_ERR_BAD_URL: urlNotFound,
  FST_ERR_MAX_PARAM_LENGTH: urlNotFound,
}

/**
 * Answers what is no HTTP, or too much of it, before there is a request: in the one shape as far as
 * it goes, with a status of HTTP's own where the contract's table has none.
 */
export function handleClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, message] = statusLines[error.code ?? ''] ?? statusLines.other
  const requestId = randomUUID()
  const body = JSON.stringify(new ApiError('malformed_json', message).toResponse(requestId))
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}

const statusLines: { [code: string]: [string, string]; other: [string, string] } = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers of this request are too large.'],
  other: ['400 Bad Request', 'This is no HTTP request that can be read.'],
}
