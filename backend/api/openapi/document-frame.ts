import type { Scope } from '@outdial/contract'
import type { OpenAPIV3_1 } from 'openapi-types'
import type { Config } from '../../config.ts'

const scopes: Record<Scope, string> = {
  'agents:read': 'List Live agents',
  'campaigns:read': 'List campaigns',
  'campaigns:write': 'Create campaigns',
  'phone_numbers:read': 'List phone numbers',
  'contacts:write': 'Save contacts and queue calls to them',
  'calls:read': 'Read calls, with their summaries and transcripts',
  'webhooks:write': 'Subscribe to completed calls, and unsubscribe',
}

const description = `
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
  info: { title: 'Outdial API', version: '1.0.0', description },
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
