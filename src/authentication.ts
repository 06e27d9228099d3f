import type { Scope, TokenResponse } from '@outdial/contract'
import type { Authentication, Bundle, HttpResponse, ZObject } from 'zapier-platform-core'
import { baseUrl, postForm, readList } from './client.ts'
import { toZapierError, unreadableResponse, withoutContext } from './errors.ts'
import { campaigns } from './lists.ts'
import { isObject, toText } from './values.ts'

/** The access that the triggers and actions need, and that the consent page asks for. */
const scopes: Scope[] = [
  'agents:read',
  'campaigns:read',
  'campaigns:write',
  'phone_numbers:read',
  'contacts:write',
  'calls:read',
  'calls:write',
  'webhooks:write',
]

const scope = scopes.join(' ')

const requireSetting = (z: ZObject, name: 'CLIENT_ID' | 'CLIENT_SECRET'): string => {
  const value = process.env[name]
  if (!value)
    throw new z.errors.Error(
      `Outdial's Zapier integration isn't set up. Contact Outdial support. (For the developer: create an OAuth client in Outdial and set the environment variable ${name}.)`,
    )
  return value
}

const clientCredentials = (z: ZObject) => ({
  client_id: requireSetting(z, 'CLIENT_ID'),
  client_secret: requireSetting(z, 'CLIENT_SECRET'),
})

const authorizeUrl = async (z: ZObject, bundle: Bundle): Promise<string> => {
  const params = new URLSearchParams({
    response_type: 'code',
    client_id: requireSetting(z, 'CLIENT_ID'),
    redirect_uri: toText(bundle.inputData.redirect_uri),
    state: toText(bundle.inputData.state),
    scope,
  })
  return `${baseUrl(z)}/oauth/authorize?${params.toString()}`
}

const getAccessToken = async (z: ZObject, bundle: Bundle) => {
  const { code, redirect_uri, code_verifier } = bundle.inputData
  const response = await postForm(z, '/oauth/token', {
    grant_type: 'authorization_code',
    code: toText(code),
    redirect_uri: toText(redirect_uri),
    ...clientCredentials(z),
    // Zapier sends a verifier. The CLI's `invoke auth start` has none, and an empty one would be rejected.
    ...(code_verifier ? { code_verifier: toText(code_verifier) } : {}),
  })
  return parseTokens(
    z,
    response,
    'This sign-in has expired or was already completed. Close this window and connect Outdial again.',
  )
}

const refreshAccessToken = async (z: ZObject, bundle: Bundle) => {
  const { refresh_token = '' } = bundle.authData
  const form = { grant_type: 'refresh_token', refresh_token, ...clientCredentials(z) }
  const response = await postForm(z, '/oauth/token', form)
  return { refresh_token, ...parseTokens(z, response, reconnectMessage) }
}

const reconnectMessage = 'Outdial no longer accepts this connection. Reconnect your Outdial account.'

function parseTokens(z: ZObject, response: HttpResponse, invalidGrantMessage: string): TokenResponse {
  const { status } = response
  const data: unknown = response.data
  const body = isObject(data) ? data : {}
  if (status < 300 && typeof body.access_token === 'string') return response.data as TokenResponse
  if (status < 400) throw unreadableResponse(z, response)
  const { error, error_description } = body
  if (error === 'invalid_grant') {
    throw withoutContext(new z.errors.ExpiredAuthError(invalidGrantMessage))
  }
  if (typeof error !== 'string') throw toZapierError(z, response)
  const reason = typeof error_description === 'string' ? error_description : error
  const message = `Outdial couldn't connect your account: ${reason}. Try again, or contact Outdial support.`
  throw new z.errors.Error(message, error, status)
}

/** Checks that the token works, and returns the values for the connection label. */
const testConnection = async (z: ZObject, bundle: Bundle) => {
  await readList(z, campaigns, { limit: 1 })
  const { workspace_id, workspace_name = '', user_email } = bundle.authData
  // Connections that were made before Outdial returned the email don't have it.
  const detail = user_email ?? `workspace ${workspace_id}`
  return { workspace_id, workspace_name, user_email, account: `${workspace_name} (${detail})`.trim() }
}

export const authentication = {
  type: 'oauth2',
  test: testConnection,
  fields: [
    { key: 'workspace_id', label: 'Workspace ID', required: false, computed: true },
    { key: 'workspace_name', label: 'Workspace', required: false, computed: true },
    { key: 'user_email', label: 'Email', required: false, computed: true },
  ],
  // The label is a field of the test's result.
  connectionLabel: '{{account}}',
  oauth2Config: {
    authorizeUrl,
    getAccessToken,
    refreshAccessToken,
    scope,
    autoRefresh: true,
    enablePkce: true,
  },
} satisfies Authentication
