import { exampleEvent } from '../backend/api/openapi/document-frame.ts'
import { hourMs } from '../backend/platform/core/durations.ts'
import { maxUrlLength } from '../backend/platform/outbound/target-url.ts'
import { formatPlural } from '../backend/platform/views/format.ts'
import { maxCallbacks } from '../backend/webhooks/callbacks.ts'
import { maxFailingMs } from '../backend/webhooks/finish-delivery.ts'
import { maxJitter, maxRetryAfterMs, retrySchedule } from '../backend/webhooks/retry-delay.ts'
import { deliveryTimeoutMs } from '../backend/webhooks/sender.ts'
import { secretOverlapMs } from '../backend/webhooks/signing-secrets.ts'
import { endedTtlMs } from '../backend/webhooks/subscriptions.ts'
import { formatDuration } from './format-limits.ts'
import { fillPage, table } from './page-tables.ts'

export const webhooksPage = new URL('../docs/reference/webhooks.md', import.meta.url)

/** Returns docs/reference/webhooks.md with the retry schedule, limits, and example from the code. */
export async function generateWebhooksPage(): Promise<string> {
  const schedule = ['as soon as the event exists', ...retrySchedule.map(toRetry)]
  const hours = retrySchedule.reduce((sum, delay) => sum + delay, 0) / hourMs
  const maxHours = hours * (1 + maxJitter)
  return fillPage(webhooksPage, {
    'Example event': `\`\`\`json\n${JSON.stringify(exampleEvent, null, 2)}\n\`\`\``,
    'Retry schedule': [
      ...schedule.map((when, index) => `${index + 1}. ${when}`),
      '',
      `The last attempt is about ${Math.round(hours)} to ${Math.round(maxHours)} hours after the first one.`,
    ].join('\n'),
    'Limits of deliveries': table(
      ['Limit', 'Value'],
      [
        ['time for your response, including the connection', formatDuration(deliveryTimeoutMs)],
        ['delivery attempts for one event and URL', String(retrySchedule.length + 1)],
        ['longest delay that a `Retry-After` header can ask for', formatDuration(maxRetryAfterMs)],
        ['time of uninterrupted failures until a subscription is disabled', formatDuration(maxFailingMs)],
        ['time after a rotation during which the old secret also signs', formatDuration(secretOverlapMs)],
        ['time for which ended subscriptions and their deliveries stay listed', formatDuration(endedTtlMs)],
        ['callback URLs of one call', String(maxCallbacks)],
        ['length of a URL', formatPlural(maxUrlLength, 'character')],
      ],
    ),
  })
}

const toRetry = (delay: number, index: number): string =>
  index === 0 ? `${formatDuration(delay)} after the first failure` : `${formatDuration(delay)} later`
