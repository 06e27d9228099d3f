import { type ErrorCode, type ErrorDetail, errorTable } from '@outdial/contract'
import { ApiError } from '../../core/errors.ts'
import { NoRequestBody, type Route } from '../define-route.ts'

/** What each status means, in the document. */
export const statusDescriptions: Record<number, string> = {
  400: 'The body is not JSON',
  401: 'No credential, or one that is unknown or expired',
  403: 'The credential lacks a scope',
  404: 'There is no such object in this workspace',
  409: 'A request with this Idempotency-Key is still running',
  413: 'The body is over 1 MiB',
  415: 'The body is not said to be JSON in UTF-8',
  422: 'A field or parameter cannot be accepted',
  429: 'Too many requests',
  500: 'Something broke on our side',
  503: 'The service is away for a moment',
}

/** The error codes that a route can answer. */
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

const detail = (field: string, code: string, message: string): ErrorDetail => ({ field, code, message })

const examples: Partial<Record<ErrorCode, { message: string; details?: ErrorDetail[] }>> = {
  validation_failed: {
    message: 'phone_number is required.',
    details: [detail('phone_number', 'required', 'phone_number is required.')],
  },
  unknown_field: {
    message: 'fristname is not a field that this request knows.',
    details: [detail('fristname', 'unknown_field', 'fristname is not a field that this request knows.')],
  },
  agent_not_live: {
    message: 'This agent is not Live: publish it in the dashboard first, or choose another.',
    details: [detail('agent_id', 'agent_not_live', 'This agent is not Live.')],
  },
  number_not_active: {
    message: 'This phone number is no longer active: choose another.',
    details: [detail('phone_number_id', 'number_not_active', 'This phone number is no longer active.')],
  },
  not_found: { message: 'There is nothing with this id in this workspace.' },
  rate_limited: { message: 'This connection may send 600 requests a minute: try again in 12 seconds.' },
  insufficient_scope: { message: 'This connection was not allowed to do that. Connect your account again.' },
}

/** An error as it is answered, for the document. */
export function errorExample(code: ErrorCode): { value: unknown } {
  const { message = `${statusDescriptions[errorTable[code].status]}.`, details = [] } = examples[code] ?? {}
  return {
    value: new ApiError(code, message, { details }).toResponse('4f1c2a9e-1d2b-4c3d-8e4f-5a6b7c8d9e0f'),
  }
}
