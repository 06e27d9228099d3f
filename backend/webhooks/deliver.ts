import type { Deps } from '../deps.ts'
import { describeNetworkError } from '../outbound/describe-network-error.ts'
import type { GuardedSend } from '../outbound/guard.ts'
import { signWebhook } from '../outbound/sign-webhook.ts'
import { findTargetUrlIssue } from '../outbound/target-url.ts'
import { version } from '../version.ts'
import type { LeasedDelivery } from './delivery-store.ts'
import { parseRetryAfter } from './retry-delay.ts'

/** How an attempt went. After an `internal_error` nothing was sent, and the receiver isn't to blame. */
export type DeliveryAttemptResult =
  | { kind: 'delivered' | 'gone'; statusCode: number }
  | { kind: 'rejected'; statusCode: number; retryAfterMs: number | undefined; error: string }
  | { kind: 'unreachable'; error: string }
  | { kind: 'internal_error'; error: string }

// The response body isn't used. It's read so that the receiver can finish writing it.
const maxResponseBytes = 4096

/** The headers of a delivery besides its signature. */
export const unsignedHeaders = { 'content-type': 'application/json', 'user-agent': `Outdial/${version}` }

/** Posts a delivery once, signed as of `at`. `signal` limits everything: connection, headers, and body. */
export async function attemptDelivery(
  { config, clock, secretBox }: Pick<Deps, 'config' | 'clock' | 'secretBox'>,
  send: GuardedSend,
  delivery: LeasedDelivery,
  at: Date,
  signal: AbortSignal,
): Promise<DeliveryAttemptResult> {
  const issue = findTargetUrlIssue(config, delivery.targetUrl)
  if (issue !== undefined) return { kind: 'unreachable', error: issue }
  const secrets = openSecrets(secretBox, delivery, at)
  if (secrets === undefined)
    return { kind: 'internal_error', error: 'no key of SECRET_KEY opens the signing secret' }

  const { eventId: id, body } = delivery
  const headers = { ...unsignedHeaders, ...signWebhook({ id, at, body, keys: secrets.map(toSigningKey) }) }
  const request = { url: new URL(delivery.targetUrl), method: 'POST', headers, body } as const
  try {
    const response = await send({ ...request, signal, maxBytes: maxResponseBytes })
    return toAttemptResult(
      response.status,
      parseRetryAfter(String(response.headers['retry-after'] ?? ''), clock.now()),
    )
  } catch (error) {
    const message = describeNetworkError(error)
    if (message === undefined) throw error
    return { kind: 'unreachable', error: message }
  }
}

function toAttemptResult(statusCode: number, retryAfterMs: number | undefined): DeliveryAttemptResult {
  if (statusCode >= 200 && statusCode < 300) return { kind: 'delivered', statusCode }
  if (statusCode === 410) return { kind: 'gone', statusCode }
  const isRedirect = statusCode >= 300 && statusCode < 400
  const error = isRedirect
    ? 'the receiver redirects, which is not followed'
    : `the receiver answered ${statusCode}`
  return { kind: 'rejected', statusCode, retryAfterMs, error }
}

/** Decodes a Standard Webhooks secret, which is `whsec_` and the key in base64. */
const toSigningKey = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')

function openSecrets(secretBox: Deps['secretBox'], delivery: LeasedDelivery, at: Date): string[] | undefined {
  const { secret, previousSecret, previousSecretUntil } = delivery
  const overlapSecret = previousSecretUntil !== null && previousSecretUntil > at ? previousSecret : null
  try {
    return overlapSecret === null
      ? [secretBox.open(secret)]
      : [secretBox.open(secret), secretBox.open(overlapSecret)]
  } catch {
    return undefined // sealed under a key that SECRET_KEY no longer lists
  }
}
