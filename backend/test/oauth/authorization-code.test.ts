// cspell:ignore raed
import { describe, expect, it } from '@jest/globals'
import * as oauth from 'oauth4webapi'
import { createBrowser, signInAndConsent } from '../../../support/browser.ts'
import { hashToken } from '../../platform/secrets/tokens.ts'
import { password } from '../support/factories.ts'
import {
  apiStatus,
  connect,
  consent,
  exchangeCode,
  newFlow,
  readError,
  redirectUri,
  refresh,
  seedApp,
  type TestApp,
  useOAuthWorld,
} from '../support/oauth.ts'

const world = useOAuthWorld()

/** Sends a request for which the service redirects to the app before it shows a page. Returns the `error` parameter. */
async function expectImmediateError(
  app: TestApp,
  paramOverrides: Record<string, string | null>,
): Promise<string | null> {
  const { externalUrl } = await createBrowser().open((await newFlow(app, paramOverrides)).startUrl)
  return externalUrl && new URL(externalUrl).searchParams.get('error')
}

describe('discovery', () => {
  it('serves RFC 8414 metadata for supported features only', async () => {
    expect(world.zapier.server).toEqual({
      issuer: world.service.url,
      authorization_endpoint: `${world.service.url}/oauth/authorize`,
      token_endpoint: `${world.service.url}/oauth/token`,
      revocation_endpoint: `${world.service.url}/oauth/revoke`,
      scopes_supported: [
        'agents:read',
        'campaigns:read',
        'campaigns:write',
        'phone_numbers:read',
        'contacts:write',
        'calls:read',
        'calls:write',
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

  it('uses PUBLIC_URL in all URLs, whatever host the request names', async () => {
    const response = await fetch(`${world.service.url}/.well-known/oauth-authorization-server`, {
      headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'gopher' },
    })
    expect(await response.json()).toMatchObject({ token_endpoint: `${world.service.url}/oauth/token` })
  })

  it('ignores the offline_access scope, and returns a refresh token anyway', async () => {
    const { tokenResponse } = await connect(world.zapier, world.robin, 'Acme', {
      paramOverrides: { scope: 'calls:read offline_access' },
    })
    expect(tokenResponse.scope).toBe('calls:read')
    expect(tokenResponse.refresh_token).toBeDefined()
  })

  it('rejects the openid scope', async () => {
    expect(await expectImmediateError(world.zapier, { scope: 'openid calls:read' })).toBe('invalid_scope')
  })

  it('accepts URLs with and without a trailing slash', async () => {
    for (const path of ['/oauth/token', '/oauth/token/']) {
      const response = await fetch(`${world.service.url}${path}`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: world.zapier.clientId }),
      })
      expect(await readError(response)).toEqual([401, 'invalid_client'])
    }
  })
})

describe('the authorization request', () => {
  it.each([null, '', 'offline_access'])('grants every scope if the requested scope is %j', async (scope) => {
    const { tokenResponse } = await connect(world.zapier, world.robin, 'Acme', {
      paramOverrides: { scope },
    })
    expect(tokenResponse.scope?.split(' ')).toEqual(world.zapier.server.scopes_supported)
  })

  it('rejects an unknown scope', async () => {
    expect(await expectImmediateError(world.zapier, { scope: 'calls:read calls:raed' })).toBe('invalid_scope')
  })

  it.each<[string, Record<string, string>, string]>([
    ['response mode', { response_mode: 'form_post' }, '?error=unsupported_response_mode'],
    ['response mode', { response_mode: 'fragment' }, '?error=unsupported_response_mode'],
    ['response type', { response_type: 'token' }, '#error=unsupported_response_type'],
    ['response type', { response_type: 'id_token' }, '#error=unsupported_response_type'],
    ['response type', { response_type: 'none' }, '?error=unsupported_response_type'],
    ...['id_token', 'token', 'code token', 'none'].map((type): [string, Record<string, string>, string] => [
      'response type',
      { response_type: type, response_mode: 'query' },
      '?error=unsupported_response_type',
    ]),
    [
      'response type',
      { response_type: 'id_token', response_mode: 'fragment' },
      '#error=unsupported_response_type',
    ],
    [
      'response type',
      { response_type: 'id_token', response_mode: 'form_post' },
      '#error=unsupported_response_type',
    ],
  ])('tells the app that a %s is not supported: %j', async (_, paramOverrides, error) => {
    const { externalUrl } = await createBrowser().open((await newFlow(world.zapier, paramOverrides)).startUrl)
    expect(externalUrl).toContain(`${redirectUri}${error}&`)
  })

  it('requires PKCE for a public client', async () => {
    const paramOverrides = { code_challenge: null, code_challenge_method: null }
    expect(await expectImmediateError(world.phone, paramOverrides)).toBe('invalid_request')
  })

  it('rejects "plain" as the code challenge method', async () => {
    expect(await expectImmediateError(world.phone, { code_challenge_method: 'plain' })).toBe(
      'invalid_request',
    )
  })

  it('returns login_required for prompt=none', async () => {
    expect(await expectImmediateError(world.zapier, { prompt: 'none' })).toBe('login_required')
  })

  it('asks for the workspace in each authorization, even in the same browser', async () => {
    const browser = createBrowser()
    await connect(world.zapier, world.robin, 'Acme', { browser })
    const { page } = await browser.open((await newFlow(world.zapier)).startUrl)
    expect(page.text).toContain('Which workspace?')
    expect(page.html).not.toContain(' checked')
  })
})

describe('the code exchange', () => {
  it('connects an app to the chosen workspace', async () => {
    const tokens = await connect(world.zapier, world.robin, 'Globex')
    expect(tokens.tokenResponse).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      scope: 'contacts:write calls:read',
      workspace_id: world.robin.workspaces.Globex,
      workspace_name: 'Globex',
      user_email: world.robin.email,
    })
    expect(await apiStatus(world.service, tokens.access_token)).toBe(200)
  })

  it.each(['confidential', 'public'] as const)(
    'rejects a wrong code verifier from a %s client',
    async (kind) => {
      const app = kind === 'public' ? world.phone : world.zapier
      const flow = await consent(app, world.robin, 'Acme')
      const wrong = oauth.generateRandomCodeVerifier()
      expect(await readError(await exchangeCode(app, flow, wrong))).toEqual([400, 'invalid_grant'])
    },
  )

  it.each(['confidential', 'public'] as const)(
    'rejects a request without a code verifier from a %s client',
    async (kind) => {
      const app = kind === 'public' ? world.phone : world.zapier
      const flow = await consent(app, world.robin, 'Acme')
      expect(await readError(await exchangeCode(app, flow, oauth.nopkce))).toEqual([400, 'invalid_grant'])
    },
  )

  it("accepts an empty code verifier from a confidential client that doesn't use PKCE", async () => {
    const paramOverrides = { code_challenge: null, code_challenge_method: null }
    const flow = await consent(world.zapier, world.robin, 'Acme', { paramOverrides })
    const response = await fetch(world.zapier.server.token_endpoint ?? '', {
      method: 'POST',
      body: new URLSearchParams({
        client_id: world.zapier.clientId,
        client_secret: world.zapier.secret ?? '',
        grant_type: 'authorization_code',
        code: flow.callback.searchParams.get('code') ?? '',
        redirect_uri: redirectUri,
        code_verifier: '',
      }),
    })
    expect(response.status).toBe(200)
  })

  it('rejects a code if its redirect URI differs from the one in the authorization request', async () => {
    const flow = await consent(world.zapier, world.robin, 'Acme')
    const params = oauth.validateAuthResponse(
      world.zapier.server,
      world.zapier.client,
      flow.callback,
      flow.state,
    )
    const response = await oauth.authorizationCodeGrantRequest(
      world.zapier.server,
      world.zapier.client,
      world.zapier.authenticate,
      params,
      `${redirectUri}/`,
      flow.verifier,
      { [oauth.allowInsecureRequests]: true },
    )
    expect(await readError(response)).toEqual([400, 'invalid_grant'])
  })

  it('rejects a code that is older than a minute', async () => {
    const flow = await consent(world.zapier, world.robin, 'Acme')
    world.service.deps.clock.advance(60_000)
    expect(await readError(await exchangeCode(world.zapier, flow))).toEqual([400, 'invalid_grant'])
  })

  it("rejects another app's code", async () => {
    const flow = await consent(world.zapier, world.robin, 'Acme')
    const other = await seedApp(world.service, 'confidential', 'Other')
    expect(await readError(await exchangeCode({ ...other, client: world.zapier.client }, flow))).toEqual([
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

  it('returns 401 for a wrong client secret', async () => {
    const flow = await consent(world.zapier, world.robin, 'Acme')
    const impostor = { ...world.zapier, authenticate: oauth.ClientSecretPost('wrong') }
    expect(await readError(await exchangeCode(impostor, flow))).toEqual([401, 'invalid_client'])
  })

  it('issues a code for a client that was created while the service was running', async () => {
    const fresh = await seedApp(world.service, 'public', 'Fresh')
    const { startUrl } = await newFlow(fresh)
    const externalUrl = await signInAndConsent({
      startUrl,
      email: world.robin.email,
      password,
      workspaceName: 'Acme',
    })
    expect(new URL(externalUrl).searchParams.get('code')).not.toBeNull()
  })

  it("allows cross-origin requests only from a public client's origin", async () => {
    const requestFrom = (origin: string) =>
      fetch(`${world.service.url}/oauth/token`, {
        method: 'POST',
        headers: { origin },
        body: new URLSearchParams({
          client_id: world.phone.clientId,
          grant_type: 'refresh_token',
          refresh_token: 'none',
        }),
      })
    const allowed = (response: Response) => response.headers.get('access-control-allow-origin')
    expect(allowed(await requestFrom(new URL(redirectUri).origin))).toBe(new URL(redirectUri).origin)
    expect(allowed(await requestFrom('https://evil.example'))).toBeNull()
  })
})

describe('tokens', () => {
  it('binds the access token to the user, the app, the workspace, and the scopes', async () => {
    const { access_token } = await connect(world.zapier, world.robin, 'Acme', {
      paramOverrides: { scope: 'calls:read' },
    })
    const row = await world.db
      .selectFrom('credential')
      .selectAll()
      .where('token_hash', '=', hashToken(access_token))
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      workspace_id: world.robin.workspaces.Acme,
      user_id: world.robin.userId,
      client_id: world.zapier.clientId,
      api_key_id: null,
      scopes: ['calls:read'],
      expires_at: new Date(world.service.deps.clock.now().getTime() + 3_600_000),
    })
  })

  it('returns 401 for an access token that is older than an hour', async () => {
    const { access_token } = await connect(world.zapier, world.robin, 'Acme')
    world.service.deps.clock.advance(3_600_000)
    expect(await apiStatus(world.service, access_token)).toBe(401)
  })

  it('rejects a replayed code, and revokes the tokens that it was exchanged for', async () => {
    const first = await connect(world.zapier, world.robin, 'Acme')
    expect(await readError(await exchangeCode(world.zapier, first.flow))).toEqual([400, 'invalid_grant'])
    expect(await apiStatus(world.service, first.access_token)).toBe(401)
  })

  it('rejects a code that is replayed a week later, and ends its connection', async () => {
    const first = await connect(world.zapier, world.robin, 'Acme')
    world.service.deps.clock.advance(7 * 86_400_000)
    expect(await readError(await exchangeCode(world.zapier, first.flow))).toEqual([400, 'invalid_grant'])
    expect(await readError(await refresh(world.zapier, first.refresh_token))).toEqual([400, 'invalid_grant'])
  })

  it('accepts at most one of several simultaneous exchanges of the same code', async () => {
    const flow = await consent(world.zapier, world.robin, 'Acme')
    const responses = await Promise.all([
      exchangeCode(world.zapier, flow),
      exchangeCode(world.zapier, flow),
      exchangeCode(world.zapier, flow),
    ])
    const statuses = responses.map((response) => response.status)
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(1)
    expect(statuses.every((status) => status === 200 || status === 400)).toBe(true)
  })

  it("when a code is replayed, ends only that code's connection, even if the same browser connected another workspace", async () => {
    const browser = createBrowser()
    const acme = await connect(world.zapier, world.robin, 'Acme', { browser })
    const globex = await connect(world.zapier, world.robin, 'Globex', { browser })
    expect(acme.tokenResponse.workspace_id).toBe(world.robin.workspaces.Acme)
    expect(globex.tokenResponse.workspace_id).toBe(world.robin.workspaces.Globex)
    await exchangeCode(world.zapier, acme.flow)
    expect(await apiStatus(world.service, acme.access_token)).toBe(401)
    expect(await apiStatus(world.service, globex.access_token)).toBe(200)
  })
})
