import type { OpenAPIV3_1 } from 'openapi-types'
import type { Route } from '../define-route.ts'

type Header = OpenAPIV3_1.HeaderObject

const textHeader = (description: string, example: string): Header => ({
  description,
  schema: { type: 'string' },
  example,
})

export const headerComponents: Record<string, Header> = {
  'X-Request-Id': textHeader(
    'Names this request, to support and in the log.',
    '4f1c2a9e-1d2b-4c3d-8e4f-5a6b7c8d9e0f',
  ),
  'RateLimit-Policy': textHeader(
    'The quota of this connection: requests in a window of seconds.',
    '"default";q=600;w=60',
  ),
  RateLimit: textHeader(
    'What is left of it, and in how many seconds it is full again.',
    '"default";r=598;t=42',
  ),
  'WWW-Authenticate': textHeader(
    'The challenge of RFC 6750.',
    'Bearer realm="Outdial", error="invalid_token"',
  ),
  'Retry-After': {
    description: 'Whole seconds to wait before this request is sent again.',
    schema: { type: 'integer', minimum: 1 },
    example: 12,
  },
  'Idempotent-Replayed': textHeader('Sent where this is the kept answer to an earlier request.', 'true'),
}

/** The headers that an answer with `status` carries. */
export function responseHeaders(status: number, route: Route): Record<string, OpenAPIV3_1.ReferenceObject> {
  const names = [
    'X-Request-Id',
    ...(status === 401 ? [] : ['RateLimit-Policy', 'RateLimit']),
    ...(status === 401 || status === 403 ? ['WWW-Authenticate'] : []),
    ...([409, 429, 503].includes(status) ? ['Retry-After'] : []),
    ...(status < 300 && route.idempotent === true ? ['Idempotent-Replayed'] : []),
  ]
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

type Parameter = OpenAPIV3_1.ParameterObject

export const requestIdParameter: Parameter = {
  name: 'X-Request-Id',
  in: 'header',
  description: 'Your own name for this request. One that is not sane is replaced.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$' },
}

export const idempotencyKeyParameter: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Names what you mean to do once. The same key with the same body is answered as before, for 24 hours.',
  schema: { type: 'string', pattern: '^[ -~]{1,255}$' },
  example: 'lead-2291-first-call',
}

export const pathIdParameter: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
}
