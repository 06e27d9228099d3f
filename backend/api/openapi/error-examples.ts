// cspell:ignore fristname
import { type ErrorCode, errorTable, errorTexts } from '@outdial/contract'
import { ApiError, type ErrorOptions, fieldIssue } from '../../platform/core/errors.ts'
import { NoRequestBody, type Route } from '../define-route.ts'

/** Descriptions of the statuses that several codes share, and of those whose only code has a text with placeholders. */
const generalDescriptions: Record<number, string> = {
  401: 'The API key or access token is missing, unknown, or expired',
  403: 'The connection is missing a permission that the request needs',
  405: "The method isn't supported at this URL",
  422: "A field, parameter, or header isn't valid",
  429: 'Too many requests in a minute',
}

/** Describes an error status in the document. A status that has only one code gets the meaning of this code. */
export function describeStatus(status: number, [code]: readonly ErrorCode[]): string {
  const description = generalDescriptions[status] ?? (code && errorTexts[code].meaning.replace(/\.$/, ''))
  if (description === undefined || /[{}]/.test(description)) {
    throw new Error(`invariant: status ${status} has no description`)
  }
  return description
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
  if (route.idempotent !== undefined) codes.push('idempotency_key_in_use', 'idempotency_key_reused')
  return codes.sort((a, b) => errorTable[a].status - errorTable[b].status)
}

const examples: Partial<Record<ErrorCode, ErrorOptions>> = {
  validation_failed: { details: [fieldIssue('phone_number', 'required')] },
  unknown_field: { details: [fieldIssue('fristname', 'unknown_field')] },
  agent_not_live: { details: [fieldIssue('agent_id', 'agent_not_live')] },
  number_not_active: { details: [fieldIssue('phone_number_id', 'number_not_active')] },
  method_not_allowed: { values: { method: 'PUT', methods: 'GET or POST' } },
  rate_limited: { values: { source: 'This connection', limit: 600, seconds: '12 seconds' } },
  insufficient_scope: { values: { scopes: 'contacts:write' } },
}

/** Returns an example of an error response, for the document. */
export const errorExample = (code: ErrorCode): { value: unknown } => ({
  value: new ApiError(code, examples[code]).toResponse('4f1c2a9e-1d2b-4c3d-8e4f-5a6b7c8d9e0f'),
})
