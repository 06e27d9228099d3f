import type { ErrorCode, toolServerErrorTable } from './errors.ts'

/**
 * What an error code means, and what to do about it. The API sends these sentences, with values in place of
 * `{placeholders}`, and `npm run generate` writes them to docs/errors.md. Markdown.
 */
export interface ErrorText {
  meaning: string
  action: string
  /** What Zapier users should know as well. Only in the docs. */
  zapier?: string
}

/**
 * Returns the `message` of an error response: what happened, then what to do. Plain text.
 *
 * @throws {Error} if a placeholder has no value
 */
export const toErrorMessage = ({ meaning, action }: ErrorText, values: Record<string, string> = {}): string =>
  `${meaning} ${action}`.replaceAll(/[`*]/g, '').replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`invariant: an error text needs a value for ${name}`)
    return value
  })

/** The codes of the API: `error.code`. */
export const errorTexts = {
  malformed_json: {
    meaning: "The request body is empty, is incomplete, or isn't valid JSON in UTF-8.",
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
    meaning: 'The connection is missing a permission that the request needs: {scopes}.',
    action: 'Reconnect the account and allow it.',
  },
  not_found: {
    meaning: "The URL doesn't exist, or the workspace has nothing with this ID.",
    action: 'Check the URL, the ID, and the workspace that the account is connected to.',
  },
  method_not_allowed: {
    meaning: "{method} isn't supported at this URL.",
    action: 'Use {methods}.',
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
    meaning: "The request body isn't marked as JSON in UTF-8, or it's compressed.",
    action: 'Send uncompressed JSON with `Content-Type: application/json`.',
  },
  validation_failed: {
    meaning: "One or more fields aren't valid.",
    action: 'Correct the fields that `details` lists.',
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
    meaning: '{source} sent more than {limit} requests in a minute.',
    action: 'Try again in {seconds}.',
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
    action: 'If the header names one of your own hosts, add this host to `ALLOWED_HOSTS` in Outdial.',
  },
  too_many_sessions: {
    meaning: 'The agent has too many open tool sessions.',
    action: 'Close unused sessions, then try again.',
  },
  invalid: {
    meaning: "A part of the request to the tool server isn't valid, for example the session ID.",
    action: 'Correct the part that `details` names.',
  },
} satisfies Record<
  Exclude<keyof typeof toolServerErrorTable, ErrorCode> | 'attempt_ended' | 'invalid',
  ErrorText
>

/** The codes of one field: `error.details[].code`. */
export const detailTexts = {
  required: {
    meaning: '{field} is required.',
    action: 'Enter a value.',
    zapier: 'In a Zap, check that the mapped field has a value.',
  },
  unknown_field: {
    meaning: "{field} isn't a known field.",
    action: 'Check its spelling, or remove it.',
  },
  invalid_type: {
    meaning: '{field} has the wrong type.',
    action: 'Enter {type}.',
  },
  invalid_value: {
    meaning: "{field} has a value that isn't allowed.",
    action: 'Use one of these: {values}.',
  },
  invalid_format: {
    meaning: '{field} has the wrong format.',
    action: 'Use the format in the description of the field.',
  },
  too_long: { meaning: '{field} is too long.', action: 'Use at most {limit}.' },
  too_short: { meaning: '{field} is too short.', action: 'Use at least {limit}.' },
  too_big: { meaning: '{field} is too large.', action: 'Use at most {limit}.' },
  too_small: { meaning: '{field} is too small.', action: 'Use at least {limit}.' },
  too_deep: {
    meaning: '{field} is nested too deeply.',
    action: 'Use at most 16 levels of nesting.',
  },
  invalid_key: {
    meaning: '{field} has a key that is empty, too long, or not allowed.',
    action: 'Use a different key.',
  },
  invalid_text: {
    meaning:
      '{field} contains an invisible NUL character, or part of a character, such as half of an emoji that was cut off.',
    action: 'Type the text again.',
  },
  not_found: {
    meaning: 'The workspace has nothing with this ID.',
    action: 'Use a different ID, or check which workspace the account is connected to.',
  },
  invalid_phone_number: {
    meaning: "The phone number isn't valid, or its country code is missing.",
    action: 'Include the country code, for example +1 202 555 0100.',
    zapier: 'You can also set **Country**.',
  },
  phone_number_extension: {
    meaning: "The phone number has an extension, which can't be dialed.",
    action: 'Remove the extension.',
  },
  invalid_country: {
    meaning: "{country} isn't a supported country code.",
    action: 'Use a two-letter code, for example US.',
  },
  invalid_email: {
    meaning: "{field} isn't a valid email address.",
    action: 'Enter it like ada@example.com, or leave it blank.',
  },
  invalid_url: {
    meaning: "{field} isn't a valid URL.",
    action: 'Enter the whole URL, for example https://example.com/hook.',
  },
  invalid_target_url: {
    meaning: "Outdial can't deliver events to this URL.",
    action: 'Use a public HTTPS URL of at most 2,000 characters, without a user name or password.',
  },
  invalid_datetime: {
    meaning: "{field} isn't a valid date and time.",
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
    action: 'Choose a different start or end time.',
  },
  agent_not_live: errorTexts.agent_not_live,
  number_not_active: errorTexts.number_not_active,
  campaign_archived: errorTexts.campaign_archived,
  invalid_idempotency_key: {
    meaning: "The idempotency key is empty, too long, or has characters that aren't allowed.",
    action: 'Use 1 to 255 printable ASCII characters.',
  },
} satisfies Record<string, ErrorText>
