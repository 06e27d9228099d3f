import type { ErrorCode, ToolServerErrorCode } from './errors.ts'
import { deduplicationKeyText, endedReasonTexts } from './field-texts.ts'

/**
 * Says what an error code means, and what to do about it. The API sends these sentences, with values in place of
 * `{placeholders}`, and `npm run generate` writes them to docs/reference/errors.md. The sentences are Markdown.
 *
 * A code can have several texts. Their keys are the code, a dot, and a name that only the source code uses.
 */
export interface ErrorText {
  meaning: string
  action: string
  /** Additional advice for Zapier users. Only the docs show it. */
  zapier?: string
  /** The text that Zapier shows instead of the API's sentences. */
  inZapier?: string
}

export type ErrorValues = Readonly<Record<string, string | number>>

declare const catalog: unique symbol
/** A message made of texts in this file. TypeScript rejects any other text where this type is required. */
export type CatalogMessage = string & { readonly [catalog]: true }

/**
 * Returns the `message` of an error response: what happened, then what to do. Plain text.
 *
 * @throws {Error} if a placeholder has no value
 */
export const toErrorMessage = ({ meaning, action }: ErrorText, values: ErrorValues = {}): CatalogMessage =>
  `${meaning} ${action}`.replaceAll(/[`*]/g, '').replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`invariant: an error text needs a value for ${name}`)
    return String(value)
  }) as CatalogMessage

type CodeOf<Key extends string> = Key extends `${infer Code}.${string}` ? Code : Key

/** Returns the code of a text: `not_found` for `not_found.url`. */
export const codeOf = <Key extends string>(key: Key) => key.split('.', 1)[0] as CodeOf<Key>

/** Texts by code, or by code and name. */
type TextsOf<Code extends string> = Partial<Record<Code | `${Code}.${string}`, ErrorText>>

/** The texts of the API's errors. Their codes are `error.code`. */
export const errorTexts = {
  malformed_json: {
    meaning: "The request body is empty, is incomplete, or isn't valid JSON in UTF-8.",
    action: 'Correct the JSON and send the request again.',
  },
  'malformed_json.empty': { meaning: 'The request body is empty.', action: 'Send a JSON object.' },
  'malformed_json.syntax': {
    meaning: "The request body isn't valid JSON in UTF-8.",
    action: 'Correct the JSON and send the request again.',
  },
  'malformed_json.incomplete': {
    meaning: 'The request body is incomplete.',
    action: 'Send the request again.',
  },
  'malformed_json.length': {
    meaning: "The length of the request body doesn't match its `Content-Length`.",
    action: 'Send the request again.',
  },
  'malformed_json.timeout': { meaning: 'The request took too long to arrive.', action: 'Send it again.' },
  'malformed_json.headers': {
    meaning: 'The request headers are too large.',
    action: 'Send fewer or shorter headers.',
  },
  'malformed_json.http': {
    meaning: "This isn't a valid HTTP request.",
    action: 'Check your HTTP client.',
  },
  'malformed_json.url': {
    meaning: 'The URL is longer than {limit} characters.',
    action: 'Send the parameters in the request body.',
  },
  'malformed_json.host': {
    meaning: "Outdial doesn't know the host name in this URL.",
    action: 'Use the address in PUBLIC_URL, or add the name to ALLOWED_HOSTS.',
  },
  'malformed_json.host_count': {
    meaning: 'The request has no `Host` header, or more than one.',
    action: 'Check your HTTP client.',
  },
  'malformed_json.expectation': {
    meaning: 'The only `Expect` header that Outdial supports is `Expect: 100-continue`.',
    action: 'Send the request again without the header.',
  },
  missing_credential: {
    meaning: 'The request has no API key or access token.',
    action: 'Send one in the `Authorization: Bearer` header.',
  },
  invalid_credential: {
    meaning: 'The API key or access token is unknown or was revoked, or the app was disconnected.',
    action: 'Reconnect the account, or create a new API key.',
  },
  'invalid_credential.connection_removed': {
    meaning: 'This connection was removed.',
    action: 'Reconnect your Outdial account.',
  },
  expired_credential: {
    meaning: 'The access token has expired.',
    action: 'Refresh it, or reconnect the account.',
    zapier: 'Zapier refreshes it automatically.',
  },
  insufficient_scope: {
    meaning: 'The connection is missing a permission that the request needs: {scopes}.',
    action: 'Reconnect the account and allow the permission.',
    inZapier:
      "Outdial's Zapier connection is missing a permission. Reconnect your Outdial account and allow the permission.",
  },
  not_found: {
    meaning: "The URL doesn't exist, or the workspace has nothing with this ID.",
    action: 'Check the URL, the ID, and the workspace that the account is connected to.',
  },
  'not_found.url': { meaning: "This URL doesn't exist.", action: 'Check the path.' },
  'not_found.id': { meaning: 'This workspace has nothing with this ID.', action: 'Check the ID.' },
  'not_found.object': { meaning: 'This workspace has no {object} with this ID.', action: 'Check the ID.' },
  method_not_allowed: {
    meaning: "{method} isn't supported at this URL.",
    action: 'Use {methods}.',
  },
  idempotency_key_in_use: {
    meaning: 'Another request with this idempotency key is in progress.',
    action: 'Try again in one second.',
    zapier: 'Zapier tries again automatically.',
    inZapier: `Another request with this ${deduplicationKeyText.label} is in progress.`,
  },
  body_too_large: {
    meaning: 'The request body is larger than 1 MiB.',
    action: 'Send less data.',
  },
  'body_too_large.limit': {
    meaning: 'The request body is larger than {limit}.',
    action: 'Send less data.',
  },
  unsupported_media_type: {
    meaning: "The request body isn't marked as JSON in UTF-8, or it's compressed.",
    action: 'Send uncompressed JSON with `Content-Type: application/json`.',
  },
  'unsupported_media_type.missing': {
    meaning: "The request isn't marked as JSON.",
    action: 'Send JSON with `Content-Type: application/json`.',
  },
  'unsupported_media_type.type': {
    meaning: "This `Content-Type` isn't supported.",
    action: 'Send JSON with `Content-Type: application/json`.',
  },
  'unsupported_media_type.compressed': {
    meaning: "Compressed request bodies aren't supported.",
    action: 'Send the body without `Content-Encoding`.',
  },
  'unsupported_media_type.charset': {
    meaning: "This charset isn't supported.",
    action: 'Send JSON in UTF-8.',
  },
  validation_failed: {
    meaning: "One or more fields aren't valid.",
    action: 'Correct the fields that `details` lists.',
  },
  'validation_failed.do_not_call': {
    meaning: 'No call was queued, because this number is on the do-not-call list.',
    action: 'If this person agrees to be called, remove the number from the list first.',
  },
  'validation_failed.subscription_disabled': {
    meaning: 'This subscription is disabled, so nothing is sent to it.',
    action: 'Enable it, then send the test event.',
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
  'campaign_archived.change': {
    meaning: "This campaign is archived and can't be changed.",
    action: 'Create a new campaign instead.',
  },
  idempotency_key_reused: {
    meaning: 'The idempotency key was used in the last 24 hours with different data.',
    action: 'Use a new key for each new request. Reuse a key only to send the same request again.',
    zapier: `In Zapier, the key is the **${deduplicationKeyText.label}** field.`,
    inZapier: `The ${deduplicationKeyText.label} was used in the last 24 hours with different data. Use a different key for each call.`,
  },
  'idempotency_key_reused.call': {
    meaning: 'The idempotency key was used in the last 24 hours with different data, for call {id} ({url}).',
    action: 'Use a new key for each new request.',
  },
  rate_limited: {
    meaning: '{source} sent more than {limit} requests in a minute.',
    action: 'Try again in {seconds}.',
    zapier: 'Zapier tries again automatically.',
  },
  'rate_limited.network': {
    meaning: 'Your network sent too many requests for tokens.',
    action: 'Wait a minute, then try again.',
  },
  'rate_limited.bodies': {
    meaning: "You're sending more than {limit} requests at once.",
    action: 'Wait for those requests to finish, then try again.',
  },
  'rate_limited.body_bytes': {
    meaning: "You're sending more than {limit} MB of request data at once.",
    action: 'Wait for those requests to finish, then try again.',
  },
  'rate_limited.uploads': {
    meaning: "You're uploading more than {limit} MB at once.",
    action: 'Wait for the other uploads to finish, then try again.',
  },
  'rate_limited.in_progress': {
    meaning: 'You have more than {limit} requests in progress.',
    action: 'Wait for some of them to finish, then try again.',
  },
  internal_error: {
    meaning: 'Outdial had an unexpected error.',
    action: 'Try again. If this keeps happening, contact Outdial support with the request ID.',
  },
  unavailable: {
    meaning: 'Outdial is temporarily unavailable.',
    action: 'Try again in a few seconds.',
  },
} satisfies Record<ErrorCode, ErrorText> & TextsOf<ErrorCode>

/** The texts of errors that only agent runtimes get. */
export const runtimeErrorTexts = {
  'missing_credential.runtime': {
    meaning: 'The request has no attempt token or runtime secret.',
    action:
      'Send one of them in the `X-Agent-Secret` or `Authorization: Bearer` header. For the tool server, the `token` query parameter works, too.',
  },
  'invalid_credential.runtime': {
    meaning: "The attempt token or runtime secret isn't valid.",
    action:
      'Use the `attempt_token` of the dial request, or one of the secrets that Outdial is configured with.',
  },
  'invalid_credential.different': {
    meaning: 'The request contains different attempt tokens or runtime secrets.',
    action: 'Send only one.',
  },
  'expired_credential.attempt': {
    meaning: 'This attempt token has expired, because its call attempt has ended.',
    action: "Don't send the request again.",
  },
  'expired_credential.conversation': {
    meaning: 'This conversation token has expired, because its chat has ended.',
    action: "Don't send the request again.",
  },
  'not_found.attempt': { meaning: 'There is no call attempt with this ID.', action: 'Check the ID.' },
  attempt_ended: {
    meaning: "The call attempt has ended, so the report wasn't saved.",
    action: "Don't send the report again.",
  },
  'origin_not_allowed.host': {
    meaning: "The tool server doesn't accept the host in the `Host` header.",
    action: "If it's one of your own hosts, add it to `ALLOWED_HOSTS`.",
  },
  'origin_not_allowed.origin': {
    meaning: "The tool server doesn't accept the host in the `Origin` header.",
    action: "If it's one of your own hosts, add it to `ALLOWED_HOSTS`.",
  },
  'agent_not_live.session': {
    meaning: "This agent isn't Live.",
    action: 'Publish or resume it in the dashboard first.',
  },
  'not_found.session': { meaning: "This session doesn't exist or has ended.", action: 'Open a new one.' },
  too_many_sessions: {
    meaning: 'This agent has {count} open sessions, which is the maximum.',
    action: 'Close unused sessions, then try again.',
  },
  'too_many_sessions.all': {
    meaning: 'This service has {count} open sessions, which is the maximum.',
    action: 'Close unused sessions, then try again.',
  },
  'malformed_json.nesting': {
    meaning: 'The message is nested too deeply. It can have at most {limit} levels.',
    action: 'Send fewer levels.',
  },
  'malformed_json.message': {
    meaning: "This isn't a JSON-RPC 2.0 message.",
    action: 'Send one object with `jsonrpc`, `method`, and, for a request, `id`.',
  },
  'malformed_json.batch': {
    meaning: "Batches of messages aren't supported.",
    action: 'Send each message in its own request.',
  },
  'malformed_json.request_meta': {
    meaning: 'The metadata of the MCP request is incomplete.',
    action: 'Put the protocol version and the client capabilities into `params._meta`.',
  },
  'malformed_json.protocol_version': {
    meaning: "This version of MCP isn't supported.",
    action: 'Use {version}, or an earlier version, which starts with `initialize`.',
  },
  'malformed_json.header_mismatch': {
    meaning: 'The header `{header}` is missing or differs from the message.',
    action: 'Send the same value as in the message.',
  },
  'not_found.method': {
    meaning: 'Method not found.',
    action: 'Use `server/discover`, `tools/list`, or `tools/call`.',
  },
  'malformed_json.initialized': {
    meaning: 'This session is already initialized.',
    action: 'To start a new one, leave out `Mcp-Session-Id`.',
  },
  'body_too_large.message': { meaning: 'The message is larger than {limit} KiB.', action: 'Send less data.' },
  'unavailable.tool': {
    meaning: '{tool} is temporarily unavailable.',
    action: 'Try again once, or continue without it.',
  },
  'internal_error.tool': { meaning: "{tool} isn't set up correctly.", action: 'Continue without it.' },
  'unavailable.session': {
    meaning: "The server can't reach this session right now.",
    action: 'Try again shortly.',
  },
  'unavailable.restarting': { meaning: 'The service is restarting.', action: 'Connect again shortly.' },
} satisfies TextsOf<ToolServerErrorCode | 'attempt_ended'>

/** The texts about one field. Their codes are `error.details[].code`. */
export const detailTexts = {
  required: {
    meaning: '{field} is required.',
    action: 'Enter a value.',
    zapier: 'In a Zap, check that the mapped field has a value.',
  },
  'required.number_or_contact': {
    meaning: 'The request has no phone number and no contact ID.',
    action: 'Send `phone_number` or `contact_id`.',
    zapier: 'In a Zap, fill in **Phone Number**.',
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
  'invalid_value.number_and_contact': {
    meaning: 'The request has both a phone number and a contact ID.',
    action: 'Send only one of them.',
  },
  'invalid_value.repeated': { meaning: '{field} has the same value twice.', action: 'Remove one of them.' },
  invalid_format: {
    meaning: '{field} has the wrong format.',
    action: 'Use the format in the description of the field.',
  },
  'invalid_format.days': { meaning: "{field} isn't a whole number of days.", action: 'Use digits only.' },
  'invalid_format.spreadsheet_id': {
    meaning: "{field} isn't a spreadsheet ID.",
    action: "Enter only the ID. In a Google Sheets URL, it's the part between /d/ and /edit.",
  },
  'invalid_format.country': {
    meaning: "{field} isn't a two-letter country code in capitals.",
    action: 'Enter a code such as US.',
  },
  'invalid_format.start_time': {
    meaning: "{field} isn't a time from 00:00 to 23:59.",
    action: 'Enter a time such as 09:00.',
  },
  'invalid_format.end_time': {
    meaning: "{field} isn't a time from 00:00 to 24:00.",
    action: 'Enter a time such as 17:00.',
  },
  too_long: { meaning: '{field} is too long.', action: 'Use at most {limit}.' },
  too_short: { meaning: '{field} is too short.', action: 'Use at least {limit}.' },
  too_big: { meaning: '{field} is too large.', action: 'Use at most {limit}.' },
  'too_big.variables': {
    meaning: 'A contact can have at most {limit} variables, including those already saved.',
    action: "Use fewer variables, or remove saved ones that you don't need.",
  },
  too_small: { meaning: '{field} is too small.', action: 'Use at least {limit}.' },
  'too_small.days': { meaning: 'Calling hours have no day.', action: 'Choose at least one day.' },
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
  'not_found.object': {
    meaning: 'This workspace has no {object} with this ID.',
    action: 'Choose another {object}.',
  },
  invalid_phone_number: {
    meaning: "The phone number isn't valid, or its country code is missing.",
    action: 'Include the country code, for example +1 202 555 0100.',
    zapier: 'You can also set **Country**.',
  },
  'invalid_phone_number.several': {
    meaning: 'There is more than one phone number.',
    action: 'Enter only one phone number.',
  },
  'invalid_phone_number.none': {
    meaning: 'No phone number was found.',
    action: 'Include the country code, for example +1 202 555 0100.',
    zapier: 'You can also set **Country**.',
  },
  phone_number_extension: {
    meaning: "The phone number has an extension, which can't be dialed.",
    action: 'Remove the extension.',
  },
  used_for_call: { meaning: 'The key was used for call {id} ({url}).', action: 'Open that call.' },
  unknown_variable: {
    meaning: "{field} isn't one of the agent's variables.",
    action: 'Check its name.',
  },
  missing_value: {
    meaning: "The agent's greeting uses {field}, but the contact has no value for it.",
    action: 'Send a value, or give the greeting a fallback.',
  },
  consent_kind_cleared: {
    meaning: '{field} was cleared, because the new consent has another source or date, and no kind.',
    action: 'Send the kind of the new consent if you know it.',
  },
  number_type_not_allowed: {
    meaning: "This workspace doesn't call premium-rate, shared-cost, personal, pager, or satellite numbers.",
    action: 'Use another number, or allow these numbers under **Settings → Who may be called**.',
  },
  country_not_allowed: {
    meaning: "This workspace doesn't call numbers in {country}.",
    action: 'Use another number, or add the country under **Settings → Who may be called**.',
  },
  'country_not_allowed.none': {
    meaning: "This workspace doesn't call numbers that belong to no country.",
    action: 'Use another number, or allow all countries under **Settings → Who may be called**.',
  },
  invalid_country: {
    meaning: "{country} isn't a supported country code.",
    action: 'Use a two-letter code, for example US.',
    inZapier: "Country isn't known. Enter its two-letter code, for example US.",
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
  too_many_callback_urls: {
    meaning: 'This call already has {limit} callback URLs, which is the maximum.',
    action: 'Subscribe to `call.completed` instead.',
    inZapier: 'Five Zaps already wait for this call. Use the Call Completed trigger instead.',
  },
  'invalid_target_url.unreadable': {
    meaning: "This URL isn't valid.",
    action: 'Copy the whole URL, including https://.',
  },
  'invalid_target_url.credentials': {
    meaning: 'The URL contains a user name or password.',
    action: 'Remove it from the URL.',
  },
  'invalid_target_url.too_long': {
    meaning: 'The URL is longer than {limit} characters.',
    action: 'Use a shorter URL.',
  },
  'invalid_target_url.not_https': {
    meaning: "The URL doesn't start with https://.",
    action: 'Use an HTTPS URL.',
  },
  'invalid_target_url.not_public': {
    meaning: 'The URL points to a private network.',
    action: 'Use a public URL.',
  },
  invalid_datetime: {
    meaning: "{field} isn't a valid date and time.",
    action: 'Use ISO 8601 with a time zone, for example 2026-05-04T09:30:00+02:00.',
    inZapier: 'Consent Date must be a date and time, for example 2026-05-04 09:30.',
  },
  'invalid_datetime.year': {
    meaning: "{field} isn't between the years 1900 and 9998.",
    action: 'Correct the year.',
  },
  invalid_time_zone: {
    meaning: "{field} isn't a valid time zone.",
    action: 'Use an IANA time zone, for example Europe/Berlin.',
    inZapier: 'Time Zone must be a time zone, for example New York or America/New_York.',
  },
  in_the_future: {
    meaning: 'The consent date is in the future.',
    action: 'Enter the date when the person agreed.',
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
  // Warnings about a call that isn't placed.
  consent_missing: {
    meaning: endedReasonTexts.consent_missing.meaning,
    action: "The contact isn't called. Send the consent to queue another call.",
  },
  consent_expired: {
    meaning: endedReasonTexts.consent_expired.meaning,
    action: "The contact isn't called. Send a new consent to queue another call.",
  },
  frequency: {
    meaning: endedReasonTexts.frequency.meaning,
    action: "The contact isn't called. Queue another call later.",
  },
  no_permitted_hour: {
    meaning: endedReasonTexts.no_permitted_hour.meaning,
    action:
      "The contact isn't called. Compare the campaign's calling hours with **Settings → Who may be called**.",
  },
  // Warnings about a campaign.
  'no_permitted_hour.campaign': {
    meaning: "Numbers in {places} aren't called: these calling hours and the hours by law don't overlap.",
    action: 'Choose other calling hours.',
  },
  'frequency.no_retries': {
    meaning: 'The rules allow {limit} per number in 30 days, so no call can have {attempts} attempts.',
    action: 'Choose fewer attempts, or allow more under **Settings → Who may be called**.',
  },
  'frequency.late_retries': {
    meaning: 'The rules allow {limit} per number in 24 hours, so later retries wait.',
    action: 'Choose fewer attempts, or allow more under **Settings → Who may be called**.',
  },
  agent_not_live: errorTexts.agent_not_live,
  number_not_active: errorTexts.number_not_active,
  campaign_archived: errorTexts.campaign_archived,
  invalid_idempotency_key: {
    meaning: "The idempotency key is empty, too long, or has characters that aren't allowed.",
    action: 'Use 1 to 255 printable ASCII characters.',
    inZapier: `The ${deduplicationKeyText.label} is empty, too long, or has characters that aren't allowed. Use 1 to 255 printable ASCII characters.`,
  },
} satisfies Record<string, ErrorText>

/** The texts about a part of an agent runtime's request, or about an argument of a tool. */
export const runtimeDetailTexts = {
  'required.widget_id': { meaning: '{field} is required.', action: "Send the agent's widget ID." },
  'not_found.widget_id': { meaning: 'No agent has this {field}.', action: 'Check the ID.' },
  'not_found.call_id': {
    meaning: 'This agent has no call in progress with this {field}.',
    action: 'Check the ID.',
  },
  'invalid.session_missing': {
    meaning: 'The {field} header is missing.',
    action: 'Send an initialize request first.',
  },
  'invalid.version': {
    meaning: "This {field} isn't supported.",
    action: 'Use the version from the initialize response.',
  },
  'invalid.request_id': {
    meaning: 'Another request with this ID is still in progress.',
    action: 'Use a different ID.',
  },
  'too_long.request_id': {
    meaning: 'The request ID is too long. It can have at most {limit} characters.',
    action: 'Use a shorter ID.',
  },
  'invalid.endpoint_missing': {
    meaning: '{field} is missing.',
    action: 'Post to the URL from the endpoint event.',
  },
  'invalid.endpoint': { meaning: "{field} isn't valid.", action: 'Use the URL from the endpoint event.' },
  'not_found.contact': {
    meaning: 'No contact found with this phone number.',
    action: 'Ask for another number.',
  },
  'required.contact': {
    meaning: "This session isn't for a call.",
    action: "Pass the contact's {field}.",
  },
  'not_found.erased': { meaning: 'This contact was erased.', action: "Don't promise a callback." },
  do_not_call: { meaning: 'This number is on the do-not-call list.', action: "Don't promise a callback." },
  'campaign_archived.callback': {
    meaning: 'This campaign is archived.',
    action: "Don't promise a callback.",
  },
  not_callable: {
    meaning: "The workspace's rules don't allow a call to this person at that time.",
    action: "Don't promise a callback at this time.",
  },
  callback_in_progress: {
    meaning: 'The callback from this conversation is already being placed.',
    action: "Don't promise another one.",
  },
  too_many_callbacks: {
    meaning: "This is already the second callback in a row, and a third can't be scheduled.",
    action: "Don't promise a callback. Ask the person to get in touch when it suits them.",
  },
  'invalid_datetime.callback': {
    meaning: '{field} must be a date and time, for example {example}.',
    action: "Correct the time. It's {now} now.",
  },
  in_the_past: { meaning: '{time} is in the past.', action: "Ask for a later time. It's {now} now." },
  'too_far_ahead.callback': {
    meaning: '{time} is more than a year ahead.',
    action: "Ask for an earlier time. It's {now} now.",
  },
} satisfies Record<string, ErrorText>

/** The texts that agents get when a tool can't do its work, with the reason and how to continue. */
export const toolResultTexts = {
  invalid_arguments: {
    meaning: "{tool} wasn't called: {issues}.",
    action: 'Correct the arguments and try again.',
  },
  not_set_up: { meaning: "{tool} isn't set up for this agent.", action: 'Continue without it.' },
  canceled: {
    meaning: '{tool} was canceled before it responded.',
    action: "The request may have taken effect. Don't repeat it.",
  },
  timeout: {
    meaning: "{tool} didn't respond within {seconds} seconds.",
    action: "The request may have taken effect. Don't repeat it. Continue without the result.",
  },
  unanswered: {
    meaning: 'The response was lost.',
    action: "The request may have taken effect. Don't repeat it. Continue without the result.",
  },
  stopping: {
    meaning: '{tool} was interrupted by a service restart.',
    action: "The request may have taken effect. Don't repeat it. Continue without the result.",
  },
  failed: {
    meaning: '{tool} failed (reference {reference}).',
    action: "Don't repeat the request. Continue without the result.",
  },
  unavailable: runtimeErrorTexts['unavailable.tool'],
  all_unavailable: {
    meaning: 'Tools are temporarily unavailable.',
    action: 'Try again once, or continue without them.',
  },
  call_ended: { meaning: 'The call has ended.', action: 'Close the session.' },
  chat_ended: { meaning: 'The chat has ended.', action: 'Close the session.' },
  agent_deleted: { meaning: 'The agent no longer exists.', action: 'Close the session.' },
  session_ended: {
    meaning: 'The session ended before the response.',
    action: "The request may have taken effect. Don't repeat it.",
  },
  too_many_calls: {
    meaning: '{limit} tool calls are already in progress, which is the maximum.',
    action: 'Wait for one to finish, then try again.',
  },
  no_call_to_look_up: {
    meaning: "This session isn't for a call.",
    action: 'Pass `phone_number`, `email`, or `external_id`.',
  },
  no_call_to_opt_out: {
    meaning: "This session isn't for a call.",
    action: 'Pass the number in `phone_number`.',
  },
  no_call_to_repeat: {
    meaning: "This session isn't for a call, so you can't schedule a callback.",
    action: 'Continue without a callback.',
  },
  time_missing: { meaning: 'The time is missing.', action: 'Pass it in the `at` argument.' },
  note_empty: { meaning: 'The note is empty.', action: 'Pass the note in the `text` argument.' },
  nothing_to_update: { meaning: 'No fields to update.', action: 'Pass at least one field.' },
  query_empty: { meaning: 'The query is empty.', action: 'Pass the words to search for.' },
  no_contact_with_number: runtimeDetailTexts['not_found.contact'],
  no_contact_with_email: {
    meaning: 'No contact found with this email.',
    action: 'Ask for another email or a phone number.',
  },
  no_contact_with_external_id: {
    meaning: 'No contact found with this external ID.',
    action: 'Ask for a phone number or an email.',
  },
  no_contact_for_call: {
    meaning: 'No contact found for this call.',
    action: "Continue without the contact's details.",
  },
  no_contact_in_chat: {
    meaning: 'This chat has no contact, because it uses sample values.',
    action: 'Continue without one.',
  },
  argument_missing: { meaning: '{argument} is required.', action: 'Pass it and try again.' },
  argument_type: {
    meaning: "{argument} isn't text, a number, true, or false.",
    action: 'Correct it and try again.',
  },
  argument_path: {
    meaning: '{argument} is empty, or it contains "." or ".." as a path segment.',
    action: 'Correct it and try again.',
  },
  argument_fixed: { meaning: '{argument} is set by the tool.', action: 'Leave it out and try again.' },
  request_not_sent: {
    meaning: "The request can't be sent. {reason}",
    action: 'Continue without the result.',
  },
  no_response: {
    meaning: 'The request to the service failed: {reason}.',
    action: 'Try again once, or continue without the result.',
  },
  no_response_to_change: {
    meaning: 'The request to the service failed: {reason}.',
    action: "The request may have taken effect. Don't repeat it.",
  },
  redirected: {
    meaning: "The service returned a redirect (status {status}). Outdial doesn't follow redirects.",
    action: 'Continue without the result.',
  },
  incomplete_response: {
    meaning: "The service's response was incomplete (status {status}).",
    action: 'Continue without the result.',
  },
  unreadable_response: {
    meaning: "The service's response ({type}) isn't readable text.",
    action: 'Continue without the result.',
  },
  service_error: {
    meaning: 'The service returned error {status}.',
    action: 'Correct the arguments, or continue without the result.',
  },
  server_error_response: {
    meaning: 'The request to the server {server} failed: {reason}.',
    action: 'Correct the arguments, or continue without the result.',
  },
  server_rejection: {
    meaning: 'The request to the server {server} failed: {reason}.',
    action: 'Continue without the result.',
  },
  server_failure: {
    meaning: 'The request to the server {server} failed: {reason}.',
    action: "The request may have taken effect. Don't repeat it.",
  },
  no_reason: { meaning: '{tool} failed without giving a reason.', action: 'Continue without the result.' },
  unknown_column: {
    meaning: 'The spreadsheet has no column {unknown}.',
    action: 'Use these columns: {columns}.',
  },
  no_spreadsheet: {
    meaning: 'This workspace has no spreadsheet with this ID.',
    action: "A workspace member must correct the ID in the agent's tool settings.",
  },
  no_google_account: {
    meaning: 'This workspace has no Google service account yet.',
    action: 'A workspace member must add one under **Spreadsheets** in the dashboard.',
  },
  google_key: {
    meaning: "Google rejected the service account's key.",
    action: 'A workspace member must add a new key under **Spreadsheets** in the dashboard.',
  },
  google_access: {
    meaning: 'Google denied access.',
    action: 'A workspace member must share the spreadsheet with {email} as an editor.',
  },
  google_spreadsheet: {
    meaning: 'Google has no spreadsheet with this ID.',
    action: "A workspace member must correct the ID in the agent's tool settings.",
  },
  google_columns: {
    meaning: 'The Google spreadsheet has no column names.',
    action: 'A workspace member must enter them in its first row, starting in cell A1.',
  },
  google_limit: {
    meaning: 'Google Sheets received too many requests.',
    action: 'Wait a minute before you try again.',
  },
  google_error: {
    meaning: 'Google Sheets returned error {status}.',
    action: 'A workspace member can find the reason in the Google Cloud console.',
  },
  google_silent: { meaning: "Google Sheets didn't respond.", action: "Don't wait for it." },
  row_not_added: { meaning: "The row wasn't added.", action: 'Continue the conversation.' },
  row_uncertain: { meaning: 'The row may have been added.', action: "Don't add it again." },
  columns_not_loaded: {
    meaning: "The spreadsheet's column names weren't loaded.",
    action: 'Continue the conversation.',
  },
} satisfies Record<string, ErrorText>

/** The OAuth errors that apps get most often, in the words of the OAuth library. */
const libraryErrorTexts = {
  invalid_client: {
    meaning: 'client authentication failed',
    action: "Check the app's client ID and client secret.",
  },
  invalid_grant: {
    meaning: 'grant request is invalid',
    action:
      'The code or refresh token was already used, has expired, was revoked, or belongs to another app. Connect again.',
  },
  unsupported_grant_type: {
    meaning: 'unsupported grant_type requested',
    action: 'Use `authorization_code` or `refresh_token`.',
  },
} satisfies Record<string, ErrorText>

/** The texts of OAuth errors. `meaning` is the `error_description`: a part of a sentence, without what to do. */
export const oauthErrorTexts = {
  ...libraryErrorTexts,
  invalid_request: { meaning: 'a parameter contains a NUL character', action: 'Remove the character.' },
  invalid_scope: { meaning: 'unknown scope', action: 'Request only scopes that the API has.' },
  interaction_required: { meaning: 'a workspace must be chosen', action: 'Leave out `prompt=none`.' },
  access_denied: {
    meaning: 'the user canceled the connection',
    action: 'Connect again and allow the connection.',
  },
} satisfies Record<string, ErrorText>

/** Every text of an error code. */
export const allErrorTexts = { ...errorTexts, ...runtimeErrorTexts }
/** Every text about a field. */
export const allDetailTexts = { ...detailTexts, ...runtimeDetailTexts }
export type DetailKey = keyof typeof allDetailTexts
