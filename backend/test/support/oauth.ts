import { beforeAll } from '@jest/globals'
import * as oauth from 'oauth4webapi'
import { type Browser, createBrowser, signInAndConsent } from '../../../support/browser.ts'
import { addMember } from '../../accounts/identity/members.ts'
import { createOauthClient } from '../../accounts/oauth/create-oauth-client.ts'
import type { Db } from '../../platform/db/schema.ts'
import { createWorkspace } from '../../tools/onboarding/onboarding.ts'
import type { TestDeps } from './deps.ts'
import { password, seedUser } from './factories.ts'
import { type Service, useServiceWorld } from './service.ts'

/** The apps' redirect URI. Nothing listens there, because the test browser doesn't follow a redirect to another site. */
export const redirectUri = 'http://127.0.0.1:9/callback'

export interface TestUser {
  userId: number
  email: string
  /** The IDs of the user's workspaces, by name. */
  workspaces: Record<string, number>
}

/** Creates a user who can sign in and owns new workspaces with these names. */
export async function seedUserWithWorkspaces(deps: TestDeps, ...names: string[]): Promise<TestUser> {
  const { userId, email } = await seedUser(deps)
  const workspaces: Record<string, number> = {}
  for (const name of names) {
    const { id } = await createWorkspace(deps, {
      name,
      country: 'US',
      timeZone: 'America/New_York',
      ownerId: userId,
    })
    await addMember(deps, id, userId, 'owner')
    workspaces[name] = id
  }
  return { userId, email, workspaces }
}

/** An app that uses oauth4webapi. It reaches the service only over HTTP. */
export interface TestApp {
  server: oauth.AuthorizationServer
  client: oauth.Client
  clientId: string
  secret: string | null
  authenticate: oauth.ClientAuth
}

export const insecure = { [oauth.allowInsecureRequests]: true }

export async function seedApp(
  service: Service,
  kind: 'confidential' | 'public',
  name = 'Zapier',
): Promise<TestApp> {
  const { clientId, clientSecret } = await createOauthClient(service.deps, {
    name,
    redirect_uris: [redirectUri],
    confidential: kind === 'confidential',
  })
  return {
    server: await discover(service),
    client: { client_id: clientId },
    clientId,
    secret: clientSecret,
    authenticate: clientSecret === null ? oauth.None() : oauth.ClientSecretPost(clientSecret),
  }
}

export async function discover({ url }: Service): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(url)
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
  return oauth.processDiscoveryResponse(issuer, response)
}

export interface Flow {
  startUrl: string
  verifier: string
  state: string
}

interface OAuthWorld {
  readonly service: Service
  readonly db: Db
  /** The owner of the workspaces Acme and Globex. */
  readonly robin: TestUser
  /** A confidential client. */
  readonly zapier: TestApp
  /** A public client. */
  readonly phone: TestApp
  /** Replaces the service with a new one on the same address and database. */
  restartService(): Promise<void>
}

/** Gives a test file a service with its own database, a user, and two apps. */
export function useOAuthWorld(): OAuthWorld {
  const world = useServiceWorld()
  let robin: TestUser
  let zapier: TestApp
  let phone: TestApp
  beforeAll(async () => {
    robin = await seedUserWithWorkspaces(world.service.deps, 'Acme', 'Globex')
    zapier = await seedApp(world.service, 'confidential')
    phone = await seedApp(world.service, 'public', 'Phone')
  })
  return {
    get service() {
      return world.service
    },
    get db() {
      return world.database.db
    },
    get robin() {
      return robin
    },
    get zapier() {
      return zapier
    },
    get phone() {
      return phone
    },
    restartService: world.restart,
  }
}

/** Creates an authorization request with PKCE. `paramOverrides` sets parameters, or removes them with null. */
export async function newFlow(
  { server, clientId }: TestApp,
  paramOverrides: Record<string, string | null> = {},
): Promise<Flow> {
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const url = new URL(server.authorization_endpoint ?? '')
  const params: Record<string, string | null> = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'calls:read contacts:write',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...paramOverrides,
  }
  for (const [name, value] of Object.entries(params)) if (value !== null) url.searchParams.set(name, value)
  return { startUrl: url.href, verifier, state }
}

/** Signs in and consents through the pages. Returns the flow with the callback URL to which the browser was redirected. */
export async function consent(
  app: TestApp,
  user: TestUser,
  workspaceName: string,
  options: { browser?: Browser; paramOverrides?: Record<string, string | null> } = {},
): Promise<Flow & { callback: URL }> {
  const flow = await newFlow(app, options.paramOverrides)
  const browser = options.browser ?? createBrowser()
  const { email } = user
  const externalUrl = await signInAndConsent({
    startUrl: flow.startUrl,
    email,
    password,
    workspaceName,
    browser,
  })
  return { ...flow, callback: new URL(externalUrl) }
}

/** Exchanges the code in a callback URL. Returns the raw response, because some tests check errors. */
export function exchangeCode(
  app: TestApp,
  flow: Flow & { callback: URL },
  verifier: string | typeof oauth.nopkce = flow.verifier,
): Promise<Response> {
  const params = oauth.validateAuthResponse(app.server, app.client, flow.callback, flow.state)
  return oauth.authorizationCodeGrantRequest(
    app.server,
    app.client,
    app.authenticate,
    params,
    redirectUri,
    verifier,
    insecure,
  )
}

interface Tokens {
  access_token: string
  refresh_token: string
  /** The whole response of the token endpoint. */
  tokenResponse: oauth.TokenEndpointResponse
  flow: Flow & { callback: URL }
}

/** Connects an app to a workspace: signs in, consents, and exchanges the code. Returns the tokens. */
export async function connect(
  app: TestApp,
  user: TestUser,
  workspaceName: string,
  options: { browser?: Browser; paramOverrides?: Record<string, string | null> } = {},
): Promise<Tokens> {
  const flow = await consent(app, user, workspaceName, options)
  return { ...(await parseTokens(app, await exchangeCode(app, flow))), flow }
}

/** Returns the tokens in a successful response to an exchange or a refresh. */
export async function parseTokens(app: TestApp, response: Response): Promise<Omit<Tokens, 'flow'>> {
  const tokenResponse = await oauth.processGenericTokenEndpointResponse(app.server, app.client, response)
  if (tokenResponse.refresh_token === undefined) throw new Error('no refresh token')
  return {
    access_token: tokenResponse.access_token,
    refresh_token: tokenResponse.refresh_token,
    tokenResponse,
  }
}

export const refresh = (app: TestApp, token: string, extra: Record<string, string> = {}): Promise<Response> =>
  oauth.refreshTokenGrantRequest(app.server, app.client, app.authenticate, token, {
    additionalParameters: extra,
    ...insecure,
  })

/** Returns the status and error code of an error response (RFC 6749, section 5.2). */
export async function readError(response: Response): Promise<[number, unknown]> {
  const body: unknown = await response.json()
  return [response.status, typeof body === 'object' && body !== null && 'error' in body ? body.error : body]
}

/** Returns the status of a request to the API with this token. */
export async function apiStatus({ url }: Service, token: string): Promise<number> {
  const response = await fetch(`${url}/api/public/v1/calls/`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await response.body?.cancel()
  return response.status
}
