import { Scope } from '@outdial/contract'
import { type Configuration, errors, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Deps } from '../../deps.ts'
import { dayMs, hourMs, minuteMs, secondMs } from '../../platform/core/durations.ts'
import { hashToken } from '../../platform/secrets/tokens.ts'
import { createAdapter, untilRevokedSeconds } from './adapters.ts'
import { chosenGrantId, createPolicy } from './interaction-policy.ts'
import { findBinding } from './oauth-store.ts'
import {
  addConnectionToTokenResponse,
  addRevocationBody,
  authorizationPath,
  grantAllScopesByDefault,
  handleServerError,
  rejectUnsupportedResponses,
  serveServerMetadata,
} from './provider-middleware.ts'
import { loadServerKeys } from './server-keys.ts'

/** Renders an error page for an error that can't be sent to an app. */
export type RenderError = NonNullable<Configuration['renderError']>

/**
 * How long an authorization may take. Short, because strangers can start one. If it expires, people start again in the
 * app.
 */
const interactionTtlSeconds = (15 * minuteMs) / secondMs

/**
 * How long an unused refresh token of a public client is valid (RFC 9700, section 4.14.2). Each use replaces the token.
 */
const publicRefreshTokenTtlSeconds = (90 * dayMs) / secondMs

/** Creates an oidc-provider with Outdial's storage, consent pages, and rules. Its issuer is `config.publicUrl`. */
export async function createProvider(
  deps: Pick<Deps, 'config' | 'db' | 'clock' | 'log' | 'secretBox' | 'notify'>,
  renderError: RenderError,
): Promise<Provider> {
  const { jwks, cookieKeys } = await loadServerKeys(deps)
  const provider = new Provider(deps.config.publicUrl, {
    adapter: (model) => createAdapter(deps, model),
    jwks,
    cookies: {
      keys: cookieKeys,
      names: { session: 'oauth_session', interaction: 'oauth_interaction', resume: 'oauth_resume' },
      long: { signed: true, httpOnly: true, sameSite: 'lax' },
      short: { signed: true, httpOnly: true, sameSite: 'lax' },
    },
    scopes: Scope.options,
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    responseTypes: ['code'],
    allowOmittingSingleRegisteredRedirectUri: false,
    routes: {
      authorization: authorizationPath,
      token: '/oauth/token',
      revocation: '/oauth/revoke',
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId,
      },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
    ttl: {
      AccessToken: hourMs / secondMs,
      AuthorizationCode: minuteMs / secondMs,
      Grant: untilRevokedSeconds,
      Interaction: interactionTtlSeconds,
      RefreshToken: (_ctx, _token, client) =>
        client.clientAuthMethod === 'none' ? publicRefreshTokenTtlSeconds : untilRevokedSeconds,
      Session: hourMs / secondMs,
    },
    // RFC 9700, section 4.14.2: rotate for public clients. A confidential client keeps its token, because with
    // rotation, one lost response would end the connection.
    rotateRefreshToken: ({ oidc }) => oidc.client?.clientAuthMethod === 'none',
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    revokeGrantPolicy: () => true,
    pkce: { required: (_ctx, client) => client.clientAuthMethod === 'none' },
    clientBasedCORS: (_ctx, origin, client) =>
      client.clientAuthMethod === 'none' &&
      (client.redirectUris ?? []).some((uri) => new URL(uri).origin === origin),
    interactions: { policy: createPolicy(), url: (_ctx, interaction) => `/connect/${interaction.uid}` },
    loadExistingGrant: loadChosenGrant,
    findAccount: async (ctx, sub, token) => {
      const grantId = token && 'grantId' in token ? token.grantId : chosenGrantId(ctx)
      const binding = grantId ? await findBinding(deps.db, hashToken(grantId)) : undefined
      if (binding === undefined || String(binding.userId) !== sub) return undefined
      return { accountId: sub, claims: async () => ({ sub }) }
    },
    renderError,
  })
  // Trusts the proxy's headers, because `mountProvider` sets them to the scheme and host of PUBLIC_URL.
  provider.proxy = true
  provider.silent = true
  provider.on('server_error', (ctx, error) => handleServerError(deps.log, ctx, error))
  provider.use(grantAllScopesByDefault)
  provider.use(rejectUnsupportedResponses)
  provider.use(serveServerMetadata)
  provider.use(addRevocationBody)
  provider.use(addConnectionToTokenResponse(deps.db))
  return provider
}

async function loadChosenGrant(ctx: KoaContextWithOIDC) {
  const grantId = chosenGrantId(ctx)
  if (grantId === undefined) return undefined
  const grant = await ctx.oidc.provider.Grant.find(grantId)
  // Returning undefined would make the library start another interaction, tied to a session that isn't stored.
  if (!grant) throw new errors.AccessDenied(undefined, 'the authorization was revoked')
  return grant
}
