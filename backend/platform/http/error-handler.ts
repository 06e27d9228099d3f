import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, describeError, errorCode, type ErrorKey } from '../core/errors.ts'
import { isOutage } from '../db/outage.ts'
import { megabyte } from './http-limits.ts'

/** The Retry-After header while the database is unavailable, in seconds. */
const retryAfterOutage = '5'

/** Sends an error in the contract's format. The details of an unexpected error are only in the log. */
export function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const apiError = toApiError(findCause(error, request))
  request.errorCode = apiError.code
  request.errorDetails = apiError.details
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

/** Returns the error to report: a more precise one for a body that's too large or a client that has disconnected. */
export function findCause(error: unknown, { raw, routeOptions }: FastifyRequest): unknown {
  if (raw.errored) return bodyIncomplete
  // Fastify's error doesn't say which limit the route has.
  if (errorCode(error) !== 'FST_ERR_CTP_BODY_TOO_LARGE') return error
  return new ApiError('body_too_large.limit', { values: { limit: formatBytes(routeOptions.bodyLimit) } })
}

const formatBytes = (bytes: number): string =>
  bytes < megabyte ? `${Math.floor(bytes / 1024)} KB` : `${Math.floor(bytes / megabyte)} MiB`

/**
 * The error of a request whose client has disconnected. The client can't receive it, but this error keeps the log from
 * reporting an error of the service.
 */
const bodyIncomplete = new ApiError('malformed_json.incomplete')

/** RFC 9110, section 15.5.2: every 401 says how to authenticate. */
const wwwAuthenticateHeaders = (apiError: ApiError): Record<string, string> =>
  apiError.status === 401 ? { 'WWW-Authenticate': 'Bearer realm="Outdial", error="invalid_token"' } : {}

/** Returns the error that the caller sees. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isOutage(error)) {
    return new ApiError('unavailable', { headers: { 'Retry-After': retryAfterOutage } })
  }
  return new ApiError(fastifyErrors[errorCode(error)] ?? 'internal_error')
}

/** The API's errors for requests that Fastify itself rejects, by the code of Fastify's error. */
const fastifyErrors: Record<string, ErrorKey | undefined> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type.type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_json.length',
  FST_ERR_BAD_URL: 'not_found.url',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found.url',
  // A path such as /assets/../main.ts, which @fastify/static rejects.
  FST_STATIC_FORBIDDEN_PATH: 'not_found.url',
}
