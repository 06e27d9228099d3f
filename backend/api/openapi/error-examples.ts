// cspell:ignore fristname
import {
  detailTexts,
  type ErrorCode,
  type ErrorDetail,
  errorTable,
  errorTexts,
  toErrorMessage,
} from '@outdial/contract'
import { ApiError } from '../../core/errors.ts'
import { NoRequestBody, type Route } from '../define-route.ts'

/** Descriptions of the error statuses in the document. */
export const statusDescriptions: Record<number, string> = {
  400: "The body isn't valid JSON",
  401: 'The credential is missing, unknown, or expired',
  403: 'The credential lacks a scope',
  404: 'The workspace has no such object',
  409: 'A request with this Idempotency-Key is in progress',
  413: 'The body is larger than 1 MiB',
  415: "The body isn't marked as JSON in UTF-8",
  422: "A field or parameter isn't valid",
  429: 'Too many requests',
  500: 'Outdial had an unexpected error',
  503: 'Outdial is temporarily unavailable',
}

/** Lists the error codes that a route can return. */
export function listErrorCodes(route: Route): ErrorCode[] {
  const codes: ErrorCode[] = [
    'missing_credential',
    'invalid_credential',
    'expired_credential',
    'insufficient_scope',
    'validation_failed',
    'unknown_field',
    'rate_limited',
    'internal_error',
    'unavailable',
    ...(route.errors ?? []),
  ]
  if (route.body !== NoRequestBody) codes.push('malformed_json', 'body_too_large', 'unsupported_media_type')
  if (route.idempotent === true) codes.push('idempotency_key_in_use', 'idempotency_key_reused')
  return codes.sort((a, b) => errorTable[a].status - errorTable[b].status)
}

/** Returns a response about one field. */
const aboutField = (field: string, code: keyof typeof detailTexts) => {
  const message = toErrorMessage(detailTexts[code], { field })
  return { message, details: [{ field, code, message }] }
}

const toMessage = (code: ErrorCode, values: Record<string, string>) => ({
  message: toErrorMessage(errorTexts[code], values),
})

const examples: Partial<Record<ErrorCode, { message: string; details?: ErrorDetail[] }>> = {
  validation_failed: aboutField('phone_number', 'required'),
  unknown_field: aboutField('fristname', 'unknown_field'),
  agent_not_live: aboutField('agent_id', 'agent_not_live'),
  number_not_active: aboutField('phone_number_id', 'number_not_active'),
  method_not_allowed: toMessage('method_not_allowed', { method: 'PUT', methods: 'GET or POST' }),
  rate_limited: toMessage('rate_limited', { source: 'This connection', limit: '600', seconds: '12 seconds' }),
  insufficient_scope: toMessage('insufficient_scope', { scopes: 'contacts:write' }),
}

/** Returns an example of an error response, for the document. */
export function errorExample(code: ErrorCode): { value: unknown } {
  const { message, details = [] } = examples[code] ?? {}
  return {
    value: new ApiError(code, message, { details }).toResponse('4f1c2a9e-1d2b-4c3d-8e4f-5a6b7c8d9e0f'),
  }
}
