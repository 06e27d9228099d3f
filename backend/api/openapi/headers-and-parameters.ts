import type { OpenAPIV3_1 } from 'openapi-types'
import { clientVersion } from '../../platform/http/request-log.ts'
import type { Route } from '../define-route.ts'

type Header = OpenAPIV3_1.HeaderObject

const textHeader = (description: string, example: string): Header => ({
  description,
  schema: { type: 'string' },
  example,
})

export const headerComponents: Record<string, Header> = {
  'X-Request-Id': textHeader(
    "The ID of this request. It is also in Outdial's log.",
    '4f1c2a9e-1d2b-4c3d-8e4f-5a6b7c8d9e0f',
  ),
  'RateLimit-Policy': textHeader(
    'The rate limit of this connection: `q` requests in a window of `w` seconds.',
    '"default";q=600;w=60',
  ),
  RateLimit: textHeader(
    'The remaining requests (`r`), and the seconds until the limit resets (`t`).',
    '"default";r=598;t=42',
  ),
  'WWW-Authenticate': textHeader(
    'The challenge, as defined in RFC 6750.',
    'Bearer realm="Outdial", error="invalid_token"',
  ),
  'Retry-After': {
    description: 'Seconds to wait before you send this request again.',
    schema: { type: 'integer', minimum: 1 },
    example: 12,
  },
  'Idempotent-Replayed': textHeader('`true` if this is the stored response to an earlier request.', 'true'),
}

export function responseHeaders(status: number, route: Route): Record<string, OpenAPIV3_1.ReferenceObject> {
  const names = [
    'X-Request-Id',
    ...(status === 401 ? [] : ['RateLimit-Policy', 'RateLimit']),
    ...(status === 401 || status === 403 ? ['WWW-Authenticate'] : []),
    ...([409, 429, 503].includes(status) ? ['Retry-After'] : []),
    ...(status < 300 && route.idempotent !== undefined ? ['Idempotent-Replayed'] : []),
  ]
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

type Parameter = OpenAPIV3_1.ParameterObject

export const requestIdParameter: Parameter = {
  name: 'X-Request-Id',
  in: 'header',
  description: 'Your own ID for this request. An invalid ID is replaced.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
}

export const clientParameter: Parameter = {
  name: 'X-Outdial-Client',
  in: 'header',
  description:
    "Your app's name and version. The API log shows it, so that support can see which version sent a request. An invalid value is ignored.",
  schema: { type: 'string', pattern: clientVersion.source },
  example: 'zapier/1.0.0',
}

export const idempotencyKeyParameter: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes retries safe: for 24 hours, a request with the same key and body returns the first response and does nothing else.',
  schema: { type: 'string', pattern: '^[ -~]{1,255}$' },
  example: 'lead-2291-first-call',
}

export const pathIdParameter: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  example: 311,
}
