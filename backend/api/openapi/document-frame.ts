import type { Scope } from '@outdial/contract'
import type { OpenAPIV3_1 } from 'openapi-types'
import type { Config } from '../../config.ts'
import { eventExample } from './api-examples.ts'

const scopes: Record<Scope, string> = {
  'agents:read': 'List Live agents',
  'campaigns:read': 'List campaigns',
  'campaigns:write': 'Create campaigns',
  'phone_numbers:read': 'List phone numbers',
  'contacts:write': 'Save contacts and queue calls to them',
  'calls:read': 'Read calls, with their summaries and transcripts',
  'webhooks:write': 'Subscribe to completed calls, and unsubscribe',
}

const apiDescription = `
Drives outbound calls by voice agents from an automation: a form that was sent, a deal that moved, a message in a chat.

- A credential acts on one workspace. What belongs to another is answered with 404.
- Every path answers with and without its trailing slash, and nothing redirects.
- An unknown field or parameter is refused by name. Left out means unchanged, \`null\` clears, and \`""\` counts as left out.
- Times are ISO 8601 with a zone and come back in UTC; durations are whole seconds.
- Every error has the one shape of \`ErrorAnswer\`, and every answer an \`X-Request-Id\` that support can find it by.
- Version 1 only ever adds optional inputs and output fields.
`.trim()

/** What the document says of the API as a whole. */
export const documentFrame = ({ publicUrl }: Pick<Config, 'publicUrl'>): Partial<OpenAPIV3_1.Document> => ({
  openapi: '3.1.0',
  info: { title: 'Outdial API', version: '1.0.0', description: apiDescription },
  servers: [{ url: publicUrl }],
  tags: ['Contacts', 'Campaigns', 'Calls', 'Agents', 'Phone numbers', 'Webhooks'].map((name) => ({ name })),
  components: {
    securitySchemes: {
      apiKey: {
        type: 'http',
        scheme: 'bearer',
        description: 'A personal API key, `odk_…`, made in the dashboard. It carries every scope.',
      },
      oauth2: {
        type: 'oauth2',
        description: 'An app acts for a user in the workspace that was picked at consent.',
        flows: {
          authorizationCode: {
            authorizationUrl: `${publicUrl}/oauth/authorize`,
            tokenUrl: `${publicUrl}/oauth/token`,
            refreshUrl: `${publicUrl}/oauth/token`,
            scopes,
          },
        },
      },
    },
  },
})

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
