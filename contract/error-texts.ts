import type { ErrorCode, toolServerErrorTable } from './errors.ts'

/**
 * What an error code means, and what to do about it. The API sends these sentences unless it can be more specific, and
 * `npm run generate` writes them to docs/errors.md. Markdown.
 */
export interface ErrorText {
  meaning: string
  action: string
  /** What Zapier users should know as well. Only in the docs. */
  zapier?: string
}

/** Returns the `message` of an error response: what happened, then what to do. Plain text. */
export const toErrorMessage = ({ meaning, action }: ErrorText): string =>
  `${meaning} ${action}`.replaceAll(/[`*]/g, '')

/** The codes of the API: `error.code`. */
export const errorTexts = {
  malformed_json: {
    meaning: "The request body is empty, incomplete, or isn't valid JSON in UTF-8.",
    action: 'Correct the JSON and send the request again.',
  },
  missing_credential: {
    meaning: 'The request has no API key or access token.',
    action: 'Send one in the `Authorization: Bearer` header.',
  },
  invalid_credential: {
    meaning: 'The API key or access token is unknown or was revoked, or the app was disconnected.',
    action: 'Reconnect the account, or create a new API key.',
  },
  expired_credential: {
    meaning: 'The access token has expired.',
    action: 'Refresh it, or reconnect the account.',
    zapier: 'Zapier refreshes it automatically.',
  },
  insufficient_scope: {
    meaning: 'The connection is missing a permission that the request needs.',
    action: 'Reconnect the account and allow the permissions that the message lists.',
  },
  not_found: {
    meaning: "The URL doesn't exist, or the workspace has nothing with this ID.",
    action: 'Check the URL, the ID, and the workspace that the account is connected to.',
  },
  method_not_allowed: {
    meaning: "The URL doesn't support this HTTP method.",
    action: 'Use one of the methods in the `Allow` header.',
  },
  idempotency_key_in_use: {
    meaning: 'Another request with this idempotency key is in progress.',
    action: 'Try again in one second.',
    zapier: 'Zapier tries again automatically.',
  },
  body_too_large: {
    meaning: 'The request body is larger than 1 MiB.',
    action: 'Send less data.',
  },
  unsupported_media_type: {
    meaning: "The request body isn't marked as JSON in UTF-8, or is compressed.",
    action: 'Send uncompressed JSON with `Content-Type: application/json`.',
  },
  validation_failed: {
    meaning: "One or more fields aren't valid.",
    action: 'Correct the fields in `details`.',
  },
  unknown_field: {
    meaning: "The request has a field or parameter that the API doesn't recognize.",
    action: 'Check its spelling, or remove it.',
  },
  agent_not_live: {
    meaning: "The agent isn't Live.",
    action: 'Publish or resume it under **Agents**, or choose another agent.',
  },
  number_not_active: {
    meaning: "The phone number to call from isn't active.",
    action: 'Activate it under **Phone numbers**, or choose another number.',
  },
  campaign_archived: {
    meaning: "The campaign is archived, so calls can't be added to it.",
    action: 'Choose another campaign.',
  },
  idempotency_key_reused: {
    meaning: 'The idempotency key was used in the last 24 hours with different data.',
    action: 'Use a new key for each new request. Reuse a key only to send the same request again.',
    zapier: 'In Zapier, the key is the **Deduplication Key** field.',
  },
  rate_limited: {
    meaning: 'Too many requests were sent in a minute.',
    action: 'Wait the number of seconds in the `Retry-After` header.',
    zapier: 'Zapier tries again automatically.',
  },
  internal_error: {
    meaning: 'Outdial had an unexpected error.',
    action: 'Try again. If this keeps happening, contact Outdial support with the request ID.',
  },
  unavailable: {
    meaning: 'Outdial is temporarily unavailable.',
    action: 'Try again in a few seconds.',
  },
} satisfies Record<ErrorCode, ErrorText>

/** The codes that only agent runtimes get. */
export const runtimeErrorTexts = {
  attempt_ended: {
    meaning: "The call attempt has ended, so the report wasn't saved.",
    action: "Don't send the report again.",
  },
  origin_not_allowed: {
    meaning: 'The tool server rejected the `Host` or `Origin` header of the request.',
    action: 'If the host is one of yours, add it to `ALLOWED_HOSTS`.',
  },
  too_many_sessions: {
    meaning: 'The agent has too many open tool sessions.',
    action: 'Close unused sessions, then try again.',
  },
  invalid: {
    meaning: "A field in the message to the tool server isn't valid.",
    action: 'Correct the field that `details` names.',
  },
} satisfies Record<
  Exclude<keyof typeof toolServerErrorTable, ErrorCode> | 'attempt_ended' | 'invalid',
  ErrorText
>

/** The codes of one field: `error.details[].code`. */
export const detailTexts = {
  required: {
    meaning: 'A required field is missing or empty.',
    action: 'Enter a value.',
    zapier: 'In a Zap, check that the mapped field has a value.',
  },
  unknown_field: errorTexts.unknown_field,
  invalid_type: {
    meaning: 'The value has the wrong type, for example text instead of a number.',
    action: 'Send a value of the type that the message names.',
  },
  invalid_value: {
    meaning: "The value isn't allowed.",
    action: 'Use one of the values in the message.',
  },
  invalid_format: {
    meaning: 'The value, for example a time of day, has the wrong format.',
    action: 'Use the format shown in the message.',
  },
  too_long: { meaning: 'The text is too long.', action: 'Shorten it to the maximum length in the message.' },
  too_short: {
    meaning: 'The text is too short.',
    action: 'Lengthen it to the minimum length in the message.',
  },
  too_big: {
    meaning: 'The number is too high, or there are too many entries.',
    action: 'Stay within the limit in the message.',
  },
  too_small: {
    meaning: 'The number is too low, or there are too few entries.',
    action: 'Use at least the minimum in the message.',
  },
  too_deep: {
    meaning: 'Lists and objects are nested too deeply.',
    action: 'Use at most 16 levels of nesting.',
  },
  invalid_key: {
    meaning: 'A key in an object such as `variables` is empty, too long, or not allowed.',
    action: 'Use a different key. It can have at most 100 characters, and `__proto__` is not allowed.',
  },
  invalid_text: {
    meaning:
      'The text contains an invisible NUL character, or part of a character, such as half of an emoji that was cut off.',
    action: 'Type the text again.',
  },
  not_found: {
    meaning: 'The workspace has nothing with this ID.',
    action: 'Use a different ID, or check which workspace the account is connected to.',
  },
  invalid_phone_number: {
    meaning: "The phone number isn't valid, or its country code is missing.",
    action: 'Include the country code, for example +1 202 555 0100, or set **Country**.',
  },
  phone_number_extension: {
    meaning: "The phone number has an extension, which can't be dialed.",
    action: 'Remove the extension.',
  },
  invalid_country: {
    meaning: "The country code isn't supported.",
    action: 'Use a two-letter code, for example US.',
  },
  invalid_email: {
    meaning: "The email address isn't valid.",
    action: 'Correct it, or leave it blank.',
  },
  invalid_url: {
    meaning: "The URL isn't valid.",
    action: 'Enter the whole URL, including https://.',
  },
  invalid_target_url: {
    meaning: "Outdial can't deliver events to this URL.",
    action: 'Use a public HTTPS URL of at most 2,000 characters, without a user name or password.',
  },
  invalid_datetime: {
    meaning: "The date and time isn't valid, or its time zone is missing.",
    action: 'Use ISO 8601 with a time zone, for example 2026-05-04T09:30:00+02:00.',
  },
  invalid_time_zone: {
    meaning: "The time zone isn't valid.",
    action: 'Use an IANA time zone, for example Europe/Berlin.',
  },
  too_far_ahead: {
    meaning: 'The earliest call time is more than one year ahead.',
    action: 'Choose an earlier time.',
  },
  skipped_time: {
    meaning: "The time doesn't exist on that day, because clocks skip it when daylight saving time starts.",
    action: 'Choose an earlier or later time.',
  },
  empty_calling_hours: {
    meaning: 'Calling hours start and end at the same time.',
    action: 'Set a different start or end.',
  },
  agent_not_live: errorTexts.agent_not_live,
  number_not_active: errorTexts.number_not_active,
  campaign_archived: errorTexts.campaign_archived,
  invalid_idempotency_key: {
    meaning: "The idempotency key is empty, too long, or has characters that aren't allowed.",
    action: 'Use 1 to 255 printable ASCII characters.',
  },
} satisfies Record<string, ErrorText>
