import type { Deps } from '../deps.ts'
import { describeNetworkError } from '../platform/outbound/describe-network-error.ts'
import type { GuardedRequest, GuardedSend } from '../platform/outbound/guard.ts'
import { signWebhook } from '../platform/outbound/sign-webhook.ts'
import { findTargetUrlIssue } from '../platform/outbound/target-url.ts'
import { version } from '../version.ts'
import type { LeasedDelivery } from './delivery-store.ts'
import { parseRetryAfter } from './retry-delay.ts'
import type { FindSigningKeys } from './signing-keys.ts'

/** The result of an attempt. After an `internal_error`, nothing was sent and the receiver isn't at fault. */
export type DeliveryAttemptResult =
  | { kind: 'delivered' | 'gone'; statusCode: number }
  | { kind: 'rejected'; statusCode: number; retryAfterMs: number | undefined; error: string }
  | { kind: 'unreachable'; error: string }
  | { kind: 'internal_error'; error: string }

// The maximum number of bytes to read of a response's body, which isn't used. Reading it lets the receiver finish sending it.
const maxResponseBytes = 4096

const userAgent = `Outdial/${version}`

/** The headers of an event, without its signature. */
export const unsignedHeaders = { 'content-type': 'application/json', 'user-agent': userAgent }

/**
 * Sends one request: an event, signed with the time `at`, or the report to Zapier that a subscription has ended. `signal`
 * aborts connecting, waiting, and reading.
 */
export async function attemptDelivery(
  { config, clock }: Pick<Deps, 'config' | 'clock'>,
  { send, findSigningKeys }: { send: GuardedSend; findSigningKeys: FindSigningKeys },
  delivery: LeasedDelivery,
  at: Date,
  signal: AbortSignal,
): Promise<DeliveryAttemptResult> {
  const issue = findTargetUrlIssue(config, delivery.targetUrl)
  if (issue !== undefined) return { kind: 'unreachable', error: issue }
  const request = toRequest(findSigningKeys, delivery, at)
  if (request === undefined)
    return {
      kind: 'internal_error',
      error:
        "Outdial can't decrypt the signing secret. Ask your Outdial administrator to add the key that encrypted it to SECRET_KEY.",
    }

  const url = new URL(delivery.targetUrl)
  try {
    const response = await send({ ...request, url, signal, maxBytes: maxResponseBytes })
    // Any response means that Zapier has got the report, whatever its status.
    if (delivery.eventId === null) return { kind: 'delivered', statusCode: response.status }
    return toDeliveryAttemptResult(
      response.status,
      parseRetryAfter(String(response.headers['retry-after'] ?? ''), clock.now()),
    )
  } catch (error) {
    const message = describeNetworkError(error)
    if (message === undefined) throw error
    return { kind: 'unreachable', error: toSentence(message) }
  }
}

/** Returns undefined if the signing secret can't be decrypted. */
function toRequest(
  findSigningKeys: FindSigningKeys,
  delivery: LeasedDelivery,
  at: Date,
): Pick<GuardedRequest, 'method' | 'headers' | 'body'> | undefined {
  const { eventId: id, body } = delivery
  if (id === null || body === null)
    return { method: 'DELETE', headers: { 'user-agent': userAgent }, body: undefined }
  const keys = findSigningKeys(delivery, at)
  if (keys === undefined) return undefined
  const headers = { ...unsignedHeaders, ...signWebhook({ id, at, body, keys }) }
  return { method: 'POST', headers, body }
}

function toDeliveryAttemptResult(
  statusCode: number,
  retryAfterMs: number | undefined,
): DeliveryAttemptResult {
  if (statusCode >= 200 && statusCode < 300) return { kind: 'delivered', statusCode }
  if (statusCode === 410) return { kind: 'gone', statusCode }
  const isRedirect = statusCode >= 300 && statusCode < 400
  const error = isRedirect
    ? `The receiver responded with a redirect (status ${statusCode}). Outdial doesn't follow redirects.`
    : `The receiver responded with status ${statusCode}.`
  return { kind: 'rejected', statusCode, retryAfterMs, error }
}

const toSentence = (clause: string): string => `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`
