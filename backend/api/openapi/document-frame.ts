// cspell:ignore JTDQ
import { type CallCompletedEvent, exampleCall, type Scope } from '@outdial/contract'
import type { OpenAPIV3_1 } from 'openapi-types'
import type { Config } from '../../config.ts'

const scopes: Record<Scope, string> = {
  'agents:read': 'List Live agents',
  'campaigns:read': 'List campaigns',
  'campaigns:write': 'Create campaigns',
  'phone_numbers:read': 'List phone numbers',
  'contacts:write': 'Save contacts and queue calls to them',
  'calls:read': 'Read calls with their summaries and transcripts',
  'calls:write': 'Cancel waiting calls and add numbers to the do-not-call list',
  'webhooks:write': 'Subscribe to completed calls and unsubscribe',
}

const apiDescription = `
Place outbound calls with AI voice agents from your automations: after a form submission, a CRM update, or a chat message.

- A credential belongs to one workspace. Resources in other workspaces return 404.
- Every path works with or without a trailing slash. There are no redirects.
- Unknown fields and parameters are rejected, and the error names them. An omitted field stays unchanged, \`null\` clears it, and \`""\` counts as omitted.
- Times are ISO 8601 with a time zone and are returned in UTC. Durations are whole seconds.
- Every error has the shape of \`ErrorAnswer\`. Every response has an \`X-Request-Id\`: include it when you contact support.
- Some operations say what they're for. In the OpenAPI document, that's their \`x-addition\`.
- Apps in a browser can send requests from any origin. Don't put an API key in one: use OAuth with a public client.
- Changes to version 1 only add optional inputs and new output fields.
`.trim()

const tags: OpenAPIV3_1.TagObject[] = [
  { name: 'Contacts', description: 'The people that your agents call' },
  { name: 'Campaigns', description: 'Which agent calls, from which phone number, and when' },
  { name: 'Calls', description: 'Calls with their outcome, summary, and transcript' },
  { name: 'Do-not-call list', description: 'Numbers that are never called' },
  { name: 'Agents', description: 'The AI voice agents of the workspace' },
  { name: 'Phone numbers', description: 'The numbers that calls are placed from' },
  { name: 'Webhooks', description: 'Events that Outdial sends to your URLs' },
]

/** Returns the parts of the document that describe the API as a whole. */
export const documentFrame = ({ publicUrl }: Pick<Config, 'publicUrl'>): Partial<OpenAPIV3_1.Document> => ({
  openapi: '3.1.0',
  info: {
    title: 'Outdial API',
    version: '1.0.0',
    description: apiDescription,
    license: { name: 'MIT License', identifier: 'MIT' },
  },
  servers: [{ url: publicUrl }],
  tags,
  components: {
    securitySchemes: {
      apiKey: {
        type: 'http',
        scheme: 'bearer',
        description:
          'A personal API key (`odk_…`) from the dashboard: Settings → API keys. It has every scope.',
      },
      oauth2: {
        type: 'oauth2',
        description:
          'Lets an app act for a user in the workspace that the user chose on the consent page. Token responses also contain `workspace_id`, `workspace_name`, and `user_email`. An operation that needs a scope that the connection lacks returns 403 `insufficient_scope`: the user must reconnect. Redirects back to the app have the parameter `iss` (RFC 9207), so a client that asks for an issuer, such as Auth.js, needs the base URL of this service as its `issuer`. `/.well-known/oauth-authorization-server` has all endpoints (RFC 8414).',
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

const verifyingWebhooks = `
Sent at least once, in no particular order. Any 2xx response confirms the delivery, and 410 removes the subscription. After any other response, the delivery is retried for three days.

Each delivery is signed as in [Standard Webhooks](https://www.standardwebhooks.com) 1.0. To verify it, use one of its [libraries](https://github.com/standard-webhooks/standard-webhooks/tree/main/libraries) with the subscription's or callback URL's \`secret\`, the three headers, and the unchanged body. The secret of a callback URL isn't that of a subscription: the URLs of an origin share one, which Outdial shows under Integrations → Webhooks → Callback URLs. Or do it yourself:

1. Reject the request if \`webhook-timestamp\` differs from the current time by more than 5 minutes.
2. Base64-decode the part of the secret after \`whsec_\`. The result is the key.
3. Compute the HMAC-SHA256 of \`webhook-id\`, \`webhook-timestamp\`, and the body as received, joined by dots, and base64-encode it.
4. Split \`webhook-signature\` at spaces. Accept the request if one of its parts is \`v1,\` followed by your result. Compare in constant time. There are two parts for 24 hours after the secret is rotated.
5. Do nothing if you have already handled this \`webhook-id\`.
`.trim()

const requiredHeader = (name: string, description: string): OpenAPIV3_1.ParameterObject => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

export const exampleEvent: CallCompletedEvent = {
  id: 'evt_01JTDQ3V8W9GZ0Y6C2R4K7M5XN',
  type: 'call.completed',
  timestamp: '2026-05-04T13:59:23.000Z',
  workspace_id: 3,
  data: exampleCall,
}

/** The request to subscribers and callback URLs (Standard Webhooks 1.0). */
export const callCompletedWebhook: OpenAPIV3_1.PathItemObject = {
  post: {
    operationId: 'callCompleted',
    summary: 'A call is completed',
    description: verifyingWebhooks,
    tags: ['Webhooks'],
    security: [],
    parameters: [
      requiredHeader('webhook-id', "The event's ID. It is the same for all delivery attempts."),
      requiredHeader(
        'webhook-timestamp',
        'The time of this delivery attempt, in seconds since 1970-01-01 UTC.',
      ),
      requiredHeader(
        'webhook-signature',
        'One or more signatures, separated by spaces. Each is `v1,` followed by the base64-encoded HMAC-SHA256 of the ID, timestamp, and body, joined by dots. The key is the base64-decoded part of the secret after `whsec_`.',
      ),
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/CallCompletedEvent' },
          example: exampleEvent,
        },
      },
    },
    responses: { '2XX': { description: 'Received' }, 410: { description: 'Removes the subscription' } },
  },
}
