import * as z from 'zod'

/** Every error code with its HTTP status and type. */
export const errorTable = {
  malformed_json: { status: 400, type: 'invalid_request' },
  missing_credential: { status: 401, type: 'authentication_failed' },
  invalid_credential: { status: 401, type: 'authentication_failed' },
  expired_credential: { status: 401, type: 'authentication_failed' },
  insufficient_scope: { status: 403, type: 'permission_denied' },
  not_found: { status: 404, type: 'not_found' },
  method_not_allowed: { status: 405, type: 'invalid_request' },
  idempotency_key_in_use: { status: 409, type: 'conflict' },
  body_too_large: { status: 413, type: 'invalid_request' },
  unsupported_media_type: { status: 415, type: 'invalid_request' },
  validation_failed: { status: 422, type: 'invalid_request' },
  unknown_field: { status: 422, type: 'invalid_request' },
  agent_not_live: { status: 422, type: 'invalid_request' },
  number_not_active: { status: 422, type: 'invalid_request' },
  campaign_archived: { status: 422, type: 'invalid_request' },
  idempotency_key_reused: { status: 422, type: 'invalid_request' },
  rate_limited: { status: 429, type: 'rate_limited' },
  internal_error: { status: 500, type: 'server_error' },
  unavailable: { status: 503, type: 'server_error' },
} as const

/** The error codes of the tool server. Its callers are programs, so some statuses differ. */
export const toolServerErrorTable = {
  ...errorTable,
  agent_not_live: { status: 403, type: 'permission_denied' },
  origin_not_allowed: { status: 403, type: 'permission_denied' },
  too_many_sessions: { status: 429, type: 'rate_limited' },
} as const
export type ToolServerErrorCode = keyof typeof toolServerErrorTable

export type ErrorCode = keyof typeof errorTable
export type ErrorType = (typeof errorTable)[ErrorCode]['type']

const codes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]]
const types = [...new Set(codes.map((code) => errorTable[code].type))] as [ErrorType, ...ErrorType[]]

/** A validation issue about one field. `field` is its path, joined by dots: `calling_hours.start`. */
export const ErrorDetail = z
  .object({
    field: z.string(),
    code: z.string().describe('For example required, invalid_phone_number, or unknown_field.'),
    message: z.string(),
  })
  .meta({ id: 'ErrorDetail' })
export type ErrorDetail = z.infer<typeof ErrorDetail>

/** A warning that a part of a request was left out, or is probably a mistake. `message` never contains the field's value. */
export const Warning = ErrorDetail.meta({ id: 'Warning' })
export type Warning = z.infer<typeof Warning>

/** The shape of every error of the API. */
export const ErrorResponse = z
  .object({
    error: z.object({
      type: z.enum(types),
      code: z.enum(codes),
      message: z.string().describe('What happened and what to do, for the person who built the automation.'),
      details: z.array(ErrorDetail),
      request_id: z.string(),
    }),
  })
  .meta({ id: 'ErrorAnswer' })
export type ErrorResponse = z.infer<typeof ErrorResponse>
