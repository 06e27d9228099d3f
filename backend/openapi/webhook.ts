import type { OpenAPIV3_1 } from 'openapi-types'
import { eventExample } from '../api/openapi/api-examples.ts'

const requiredHeader = (name: string, description: string): OpenAPIV3_1.ParameterObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

/** What is posted to subscribers and to a `callback_url`, after Standard Webhooks 1.0. */
export const callCompletedWebhook: OpenAPIV3_1.PathItemObject = {
  post: {
    operationId: 'callCompleted',
    summary: 'A call is completed',
    description:
      'Sent at least once, in no particular order. Any 2xx is a receipt; 410 removes the subscription; anything else is tried again for three days.',
    tags: ['Webhooks'],
    security: [],
    parameters: [
      requiredHeader('webhook-id', "The event's id: the same over all tries."),
      requiredHeader('webhook-timestamp', 'When this try was signed, in seconds since 1970.'),
      requiredHeader(
        'webhook-signature',
        '`v1,` and the base64 HMAC-SHA256 of id, timestamp and body, joined by dots.',
      ),
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/CallCompletedEvent' },
          example: eventExample,
        },
      },
    },
    responses: { '2XX': { description: 'Received' }, 410: { description: 'Send no more' } },
  },
}
