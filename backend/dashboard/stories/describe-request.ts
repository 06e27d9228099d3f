import { type ErrorCode, type ErrorText, errorTexts } from '@outdial/contract'
import type { RequestRow } from './request-queries.ts'

type LoggedRequest = Pick<
  RequestRow,
  'method' | 'route' | 'status' | 'error_code' | 'fields' | 'field_codes' | 'idempotency' | 'object_id'
> &
  Pick<RequestRow, 'call_id' | 'campaign_id' | 'subscription_id'>

/** Returns "POST /contacts/", with the ID of an object that exists. */
export const formatRequestLine = ({
  method,
  route,
  object_id,
}: Pick<RequestRow, 'method' | 'route' | 'object_id'>): string =>
  `${method} ${object_id === null ? route : route.replace(':id', String(object_id))}`

/** Returns "API key “Website”" or "Zapier, connected by Robin". */
export function formatCredential({
  client_id,
  key_name,
  app_name,
  user_name,
}: Pick<RequestRow, 'client_id' | 'key_name' | 'app_name' | 'user_name'>): string {
  if (client_id === null) return key_name === null ? 'an API key' : `API key “${key_name}”`
  return `${app_name ?? 'an app'}, connected by ${user_name ?? 'a former user'}`
}

/** Says what a request did, or why it did nothing. */
export function describeRequest(request: LoggedRequest): string {
  if (request.status >= 400) return describeRejection(request)
  if (request.method === 'GET' || request.method === 'HEAD') return 'Only read data.'
  if (request.route === '/calls/cancel') return 'Canceled the waiting calls to a contact.'
  if (request.route === '/do-not-call/') return 'Put a number on the do-not-call list.'
  if (request.method === 'DELETE') return `Ended webhook subscription ${request.object_id}.`
  const { call_id: callId, campaign_id: campaignId, subscription_id: subscriptionId } = request
  const isReplay = request.idempotency === 'replayed'
  const repeats =
    'Repeated request: this idempotency key was already used, so Outdial returned the earlier response, for'
  if (callId !== null) {
    if (isReplay) return `${repeats} call ${callId}.`
    if (request.status === 201) return `Queued call ${callId}.`
    return `Didn't queue a call, because the contact's call ${callId} in this campaign was still waiting or in progress.`
  }
  if (campaignId !== null)
    return isReplay ? `${repeats} campaign ${campaignId}.` : `Created campaign ${campaignId}.`
  if (subscriptionId === null) return 'Succeeded.'
  return request.status === 201
    ? `Created webhook subscription ${subscriptionId}.`
    : `Found webhook subscription ${subscriptionId}, which existed already.`
}

const texts: Partial<Record<string, ErrorText>> = errorTexts satisfies Partial<Record<ErrorCode, ErrorText>>

/** Returns "phone_number: phone_number_extension, email: invalid_email", or an empty text. */
export const formatIssues = ({ fields, field_codes }: Pick<RequestRow, 'fields' | 'field_codes'>): string =>
  fields.map((field, index) => [field, field_codes[index] ?? []].flat().join(': ')).join(', ')

function describeRejection(request: LoggedRequest): string {
  const { status, error_code: code } = request
  const issues = formatIssues(request)
  const what = `${code ?? status}${issues === '' ? '' : ` (${issues})`}`
  const meaning = texts[code ?? '']?.meaning.replaceAll('`', '').replaceAll(/:? ?\{\w+\}/g, '') ?? ''
  return `${status >= 500 ? `Failed with ${what}` : `Rejected with ${what}`}. ${meaning}`.trim()
}
