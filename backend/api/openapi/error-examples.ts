// cspell:ignore fristname
import { type ErrorCode, type ErrorDetail, errorTable, errorTexts, toErrorMessage } from '@outdial/contract'
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

const detail = (field: string, code: string, message: string): ErrorDetail => ({ field, code, message })

const agentNotLive = toErrorMessage(errorTexts.agent_not_live)
const numberNotActive = toErrorMessage(errorTexts.number_not_active)
const unknownField = "fristname isn't a known field. Check the spelling or remove it."

const examples: Partial<Record<ErrorCode, { message?: string; details?: ErrorDetail[] }>> = {
  validation_failed: {
    message: 'phone_number is required.',
    details: [detail('phone_number', 'required', 'phone_number is required.')],
  },
  unknown_field: {
    message: unknownField,
    details: [detail('fristname', 'unknown_field', unknownField)],
  },
  agent_not_live: {
    details: [detail('agent_id', 'agent_not_live', agentNotLive)],
  },
  number_not_active: {
    details: [detail('phone_number_id', 'number_not_active', numberNotActive)],
  },
  not_found: { message: 'This workspace has nothing with this ID. Check the ID.' },
  rate_limited: {
    message: 'This connection sent more than 600 requests in a minute. Try again in 12 seconds.',
  },
  insufficient_scope: {
    message:
      'This connection is missing a permission that the request needs: contacts:write. Reconnect your Outdial account and allow it.',
  },
}

/** Returns an example of an error response, for the document. */
export function errorExample(code: ErrorCode): { value: unknown } {
  const { message, details = [] } = examples[code] ?? {}
  return {
    value: new ApiError(code, message, { details }).toResponse('4f1c2a9e-1d2b-4c3d-8e4f-5a6b7c8d9e0f'),
  }
}
