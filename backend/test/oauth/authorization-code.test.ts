import { afterAll, beforeAll, expect, it } from '@jest/globals'
import * as oauth from 'oauth4webapi'
import { createBrowser, signInAndConsent } from '../../../support/browser.ts'
import { hashToken } from '../../secrets/tokens.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import {
  apiStatus,
  connect,
  consent,
  exchangeCode,
  newFlow,
  password,
  readError,
  redirectUri,
  refresh,
  seedApp,
  seedUser,
  type TestApp,
  type TestUser,
} from '../support/oauth.ts'
import { type Service, startService } from '../support/service.ts'

let database: TestDatabase
let service: Service
let robin: TestUser
let zapier: TestApp
let phone: TestApp
beforeAll(async () => {
  database = await createTestDatabase()
  service = await startService(database.db)
  robin = await seedUser(service.deps, 'Acme', 'Globex')
  zapier = await seedApp(service, 'confidential')
  phone = await seedApp(service, 'public', 'Phone')
})
afterAll(async () => {
  await service.close()
  await database.close()
})

/** Where an authorization request ends without a person: back at the app, with an error. */
async function expectImmediateError(
  app: TestApp,
  paramOverrides: Record<string, string | null>,
): Promise<string | null> {
  const { externalUrl } = await createBrowser().open((await newFlow(app, paramOverrides)).startUrl)
  return externalUrl && new URL(externalUrl).searchParams.get('error')
}

it('describes itself after RFC 8414, and no more than it serves', async () => {
  expect(zapier.server).toEqual({
    issuer: service.url,
    authorization_endpoint: `${service.url}/oauth/authorize`,
    token_endpoint: `${service.url}/oauth/token`,
    revocation_endpoint: `${service.url}/oauth/revoke`,
    scopes_supported: [
      'agents:read',
      'campaigns:read',
      'campaigns:write',
      'phone_numbers:read',
      'contacts:write',
      'calls:read',
      'webhooks:write',
    ],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  })
})

it('says the addresses of PUBLIC_URL whatever the request calls its host', async () => {
  const response = await fetch(`${service.url}/.well-known/oauth-authorization-server`, {
    headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'gopher' },
  })
  expect(await response.json()).toMatchObject({ token_endpoint: `${service.url}/oauth/token` })
})

it('connects an app to the workspace that was chosen', async () => {
  const tokens = await connect(zapier, robin, 'Globex')
  expect(tokens.tokenResponse).toMatchObject({
    token_type: 'bearer',
    expires_in: 3600,
    scope: 'contacts:write calls:read',
    workspace_id: robin.workspaces.Globex,
    workspace_name: 'Globex',
  })
  expect(await apiStatus(service, tokens.access_token)).toBe(200)
})

it('binds the access token to the user, the app, the workspace and the scopes', async () => {
  const { access_token } = await connect(zapier, robin, 'Acme', { paramOverrides: { scope: 'calls:read' } })
  const row = await database.db
    .selectFrom('credential')
    .selectAll()
    .where('token_hash', '=', hashToken(access_token))
    .executeTakeFirstOrThrow()
  expect(row).toMatchObject({
    workspace_id: robin.workspaces.Acme,
    user_id: robin.userId,
    client_id: zapier.clientId,
    api_key_id: null,
    scopes: ['calls:read'],
    expires_at: new Date(service.deps.clock.now().getTime() + 3_600_000),
  })
})

it('refuses with 401 an access token that is older than an hour', async () => {
  const { access_token } = await connect(zapier, robin, 'Acme')
  service.deps.clock.advance(3_600_000)
  expect(await apiStatus(service, access_token)).toBe(401)
})

it.each([null, '', 'offline_access'])(
  'shows and grants every scope where the app asks for %j',
  async (scope) => {
    const { tokenResponse } = await connect(zapier, robin, 'Acme', { paramOverrides: { scope } })
    expect(tokenResponse.scope?.split(' ')).toEqual(zapier.server.scopes_supported)
  },
)

it('refuses a scope that does not exist', async () => {
  expect(await expectImmediateError(zapier, { scope: 'calls:read calls:raed' })).toBe('invalid_scope')
})

it('does without offline_access, and does not mind it', async () => {
  const { tokenResponse } = await connect(zapier, robin, 'Acme', {
    paramOverrides: { scope: 'calls:read offline_access' },
  })
  expect(tokenResponse.scope).toBe('calls:read')
  expect(tokenResponse.refresh_token).toBeDefined()
})

it('is no OpenID provider', async () => {
  expect(await expectImmediateError(zapier, { scope: 'openid calls:read' })).toBe('invalid_scope')
})

it('demands PKCE of a public client', async () => {
  const paramOverrides = { code_challenge: null, code_challenge_method: null }
  expect(await expectImmediateError(phone, paramOverrides)).toBe('invalid_request')
})

it('takes no challenge but S256', async () => {
  expect(await expectImmediateError(phone, { code_challenge_method: 'plain' })).toBe('invalid_request')
})

it('answers an app that may not ask anybody that it must', async () => {
  expect(await expectImmediateError(zapier, { prompt: 'none' })).toBe('login_required')
})

it.each(['confidential', 'public'] as const)('refuses a wrong verifier of a %s client', async (kind) => {
  const app = kind === 'public' ? phone : zapier
  const flow = await consent(app, robin, 'Acme')
  const wrong = oauth.generateRandomCodeVerifier()
  expect(await readError(await exchangeCode(app, flow, wrong))).toEqual([400, 'invalid_grant'])
})

it.each(['confidential', 'public'] as const)('refuses a missing verifier of a %s client', async (kind) => {
  const app = kind === 'public' ? phone : zapier
  const flow = await consent(app, robin, 'Acme')
  expect(await readError(await exchangeCode(app, flow, oauth.nopkce))).toEqual([400, 'invalid_grant'])
})

it('does without PKCE for a confidential client, and takes its empty verifier', async () => {
  const paramOverrides = { code_challenge: null, code_challenge_method: null }
  const flow = await consent(zapier, robin, 'Acme', { paramOverrides })
  const response = await fetch(zapier.server.token_endpoint ?? '', {
    method: 'POST',
    body: new URLSearchParams({
      client_id: zapier.clientId,
      client_secret: zapier.secret ?? '',
      grant_type: 'authorization_code',
      code: flow.callback.searchParams.get('code') ?? '',
      redirect_uri: redirectUri,
      code_verifier: '',
    }),
  })
  expect(response.status).toBe(200)
})

it('refuses a code at another redirect URI than it was asked for', async () => {
  const flow = await consent(zapier, robin, 'Acme')
  const params = oauth.validateAuthResponse(zapier.server, zapier.client, flow.callback, flow.state)
  const response = await oauth.authorizationCodeGrantRequest(
    zapier.server,
    zapier.client,
    zapier.authenticate,
    params,
    `${redirectUri}/`,
    flow.verifier,
    { [oauth.allowInsecureRequests]: true },
  )
  expect(await readError(response)).toEqual([400, 'invalid_grant'])
})

it('refuses a code that is older than a minute', async () => {
  const flow = await consent(zapier, robin, 'Acme')
  service.deps.clock.advance(60_000)
  expect(await readError(await exchangeCode(zapier, flow))).toEqual([400, 'invalid_grant'])
})

it('refuses the code of another app', async () => {
  const flow = await consent(zapier, robin, 'Acme')
  const other = await seedApp(service, 'confidential', 'Other')
  expect(await readError(await exchangeCode({ ...other, client: zapier.client }, flow))).toEqual([
    401,
    'invalid_client',
  ])
  const params = new URLSearchParams(flow.callback.searchParams)
  const response = await oauth.authorizationCodeGrantRequest(
    other.server,
    other.client,
    other.authenticate,
    oauth.validateAuthResponse(other.server, other.client, params, flow.state),
    redirectUri,
    flow.verifier,
    { [oauth.allowInsecureRequests]: true },
  )
  expect(await readError(response)).toEqual([400, 'invalid_grant'])
})

it('refuses a wrong client secret with 401', async () => {
  const flow = await consent(zapier, robin, 'Acme')
  const impostor = { ...zapier, authenticate: oauth.ClientSecretPost('wrong') }
  expect(await readError(await exchangeCode(impostor, flow))).toEqual([401, 'invalid_client'])
})

it('gives a replayed code nothing, and revokes what it gave', async () => {
  const first = await connect(zapier, robin, 'Acme')
  expect(await readError(await exchangeCode(zapier, first.flow))).toEqual([400, 'invalid_grant'])
  expect(await apiStatus(service, first.access_token)).toBe(401)
})

it('notices a replay days later', async () => {
  const first = await connect(zapier, robin, 'Acme')
  service.deps.clock.advance(7 * 86_400_000)
  expect(await readError(await exchangeCode(zapier, first.flow))).toEqual([400, 'invalid_grant'])
  expect(await readError(await refresh(zapier, first.refresh_token))).toEqual([400, 'invalid_grant'])
})

it('gives of two simultaneous exchanges of one code at most one tokens that live', async () => {
  const flow = await consent(zapier, robin, 'Acme')
  const responses = await Promise.all([
    exchangeCode(zapier, flow),
    exchangeCode(zapier, flow),
    exchangeCode(zapier, flow),
  ])
  const statuses = responses.map((response) => response.status)
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(1)
  expect(statuses.every((status) => status === 200 || status === 400)).toBe(true)
})

it('keeps two workspaces connected from one browser apart: a replay ends its own connection only', async () => {
  const browser = createBrowser()
  const acme = await connect(zapier, robin, 'Acme', { browser })
  const globex = await connect(zapier, robin, 'Globex', { browser })
  expect(acme.tokenResponse.workspace_id).toBe(robin.workspaces.Acme)
  expect(globex.tokenResponse.workspace_id).toBe(robin.workspaces.Globex)
  await exchangeCode(zapier, acme.flow)
  expect(await apiStatus(service, acme.access_token)).toBe(401)
  expect(await apiStatus(service, globex.access_token)).toBe(200)
})

it('asks which workspace again, though it was answered before in this browser', async () => {
  const browser = createBrowser()
  await connect(zapier, robin, 'Acme', { browser })
  const { page } = await browser.open((await newFlow(zapier)).startUrl)
  expect(page.text).toContain('Which workspace?')
  expect(page.html).not.toContain(' checked')
})

it('takes a client that was made while it runs', async () => {
  const fresh = await seedApp(service, 'public', 'Fresh')
  const { startUrl } = await newFlow(fresh)
  const externalUrl = await signInAndConsent({
    startUrl,
    email: robin.email,
    password,
    workspaceName: 'Acme',
  })
  expect(new URL(externalUrl).searchParams.get('code')).not.toBeNull()
})

it('answers a page of a public client across origins, and no other page', async () => {
  const requestFrom = (origin: string) =>
    fetch(`${service.url}/oauth/token`, {
      method: 'POST',
      headers: { origin },
      body: new URLSearchParams({
        client_id: phone.clientId,
        grant_type: 'refresh_token',
        refresh_token: 'none',
      }),
    })
  const allowed = (response: Response) => response.headers.get('access-control-allow-origin')
  expect(allowed(await requestFrom(new URL(redirectUri).origin))).toBe(new URL(redirectUri).origin)
  expect(allowed(await requestFrom('https://evil.example'))).toBeNull()
})

it('answers with and without the trailing slash alike', async () => {
  for (const path of ['/oauth/token', '/oauth/token/']) {
    const response = await fetch(`${service.url}${path}`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: zapier.clientId }),
    })
    expect(await readError(response)).toEqual([401, 'invalid_client'])
  }
})
