import { Scope } from '@outdial/contract'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Logger } from 'pino'
import { describeError } from '../../platform/core/errors.ts'
import { isOutage } from '../../platform/db/outage.ts'
import type { Db } from '../../platform/db/schema.ts'
import { hashToken } from '../../platform/secrets/tokens.ts'
import { findBinding } from './oauth-store.ts'
import { hasNoScopes } from './scopes.ts'

type Next = () => Promise<void>

export const authorizationPath = '/oauth/authorize'

const allScopes = Scope.options.join(' ')

/** Requests all scopes if an app sends no `scope` (RFC 6749, section 3.3). The consent page lists them. */
export async function grantAllScopesByDefault(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  const isEmpty = ctx.path === authorizationPath && hasNoScopes(String(ctx.query.scope ?? ''))
  if (isEmpty) ctx.query = { ...ctx.query, scope: allScopes }
  await next()
}

/**
 * Makes the library reject response types other than `code`, and then response modes other than `query`, with an error in the
 * redirect to the app. Otherwise, it would respond to `form_post` with a page whose script and form the Content-Security-Policy
 * blocks, so the app would never learn of the error. For some unsupported types, it would report the mode as invalid instead of
 * the type.
 */
export async function rejectUnsupportedResponses(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  const { response_type: type, response_mode: mode } = ctx.query
  if (ctx.path === authorizationPath && typeof mode === 'string')
    ctx.query = { ...ctx.query, ...toRejected(type, mode) }
  await next()
}

/** Returns the parameters to replace, so that the library's error gives the actual reason. It rejects a missing type itself. */
function toRejected(type: unknown, mode: string) {
  const isSupported = typeof type !== 'string' || ['', 'code'].includes(type)
  if (mode === 'query') return isSupported ? {} : { response_type: 'unsupported' }
  return { response_mode: isSupported ? 'unsupported' : undefined }
}

const metadataFields = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'revocation_endpoint',
  'scopes_supported',
  'response_types_supported',
  'grant_types_supported',
  'token_endpoint_auth_methods_supported',
  'code_challenge_methods_supported',
  'authorization_response_iss_parameter_supported',
]

/** Serves metadata (RFC 8414) of what Outdial supports. The library's own metadata includes OpenID Connect. */
export async function serveServerMetadata(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  await next()
  if (getRoute(ctx) !== 'discovery' || !isRecord(ctx.body)) return
  const body = ctx.body
  ctx.body = {
    ...Object.fromEntries(metadataFields.map((name) => [name, body[name]])),
    scopes_supported: Scope.options,
    response_modes_supported: ['query'],
    revocation_endpoint_auth_methods_supported: body.token_endpoint_auth_methods_supported,
  }
}

/** Gives the response to a revocation a JSON body. RFC 7009 doesn't require a body, but clients parse one. */
export async function addRevocationBody(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  await next()
  if (getRoute(ctx) === 'revocation' && ctx.status === 200) ctx.body = {}
}

/** Adds the connection's workspace and the user's email to every token response. */
export const addConnectionToTokenResponse = (db: Db) =>
  async function addConnection(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
    await next()
    const grantId = getRoute(ctx) === 'token' && ctx.status === 200 ? ctx.oidc.entities.Grant?.jti : undefined
    if (grantId === undefined || !isRecord(ctx.body)) return
    const binding = await findBinding(db, hashToken(grantId))
    if (!binding) return
    const { workspaceId, workspaceName, userEmail } = binding
    ctx.body = {
      ...ctx.body,
      workspace_id: workspaceId,
      workspace_name: workspaceName,
      user_email: userEmail,
    }
  }

/**
 * Logs a server error. Responds with 503 and Retry-After if it's a database outage, so that the app tries again.
 */
export function handleServerError(log: Logger, ctx: KoaContextWithOIDC, error: Error): void {
  const isDatabaseAway = isOutage(error)
  const logFields = { request_id: ctx.response.get('x-request-id'), error: describeError(error) }
  log[isDatabaseAway ? 'warn' : 'error'](logFields, 'failed to handle an OAuth request')
  if (!isDatabaseAway) return
  ctx.status = 503
  ctx.set('Retry-After', '5')
}

/** Returns the matched route's name. `ctx.oidc` is set only if a route of the library matched. */
const getRoute = (ctx: Partial<KoaContextWithOIDC>): string | undefined => ctx.oidc?.route

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
