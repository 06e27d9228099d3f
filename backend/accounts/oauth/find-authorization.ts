import type { Scope } from '@outdial/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { errors, type Provider } from 'oidc-provider'
import * as z from 'zod'
import { authorizationExpiredError } from '../../platform/views/page-error.ts'
import { formTarget } from '../../platform/views/page-headers.ts'
import type { ConnectingApp } from '../../platform/views/pages/consent.ts'
import { knownScopes } from './scopes.ts'

/** An authorization that's waiting for the user's decision. */
export interface Authorization {
  uid: string
  clientId: string
  app: ConnectingApp
  scopes: Scope[]
  /** The `form-action` source in the Content-Security-Policy of the authorization's pages. */
  formTarget: string
  loginHint: string
  /** Returns whether the app requires a new sign-in (`prompt=login`) that the user hasn't completed yet. */
  requiresSignIn(userId: number): boolean
}

// The library has already validated the parameters.
const Params = z.object({
  client_id: z.string(),
  redirect_uri: z.string(),
  scope: z.string(),
  prompt: z.string().default(''),
  login_hint: z.string().max(254).catch(''),
})
const Path = z.object({ uid: z.string() })

/**
 * Returns the authorization that the URL and the browser's signed cookie agree on.
 * @throws {PageError} if it has ended or belongs to another browser
 */
export async function findAuthorization(
  provider: Provider,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Authorization> {
  const { uid } = Path.parse(request.params)
  const interaction = await provider.interactionDetails(request.raw, reply.raw).catch(throwAuthorizationGone)
  if (interaction.uid !== uid) throw authorizationExpiredError()
  const params = Params.parse(interaction.params)
  const client = await provider.Client.find(params.client_id)
  if (!client) throw authorizationExpiredError()
  const signedIn = interaction.result?.login?.accountId
  return {
    uid,
    clientId: params.client_id,
    app: {
      name: client.clientName ?? params.client_id,
      host: new URL(params.redirect_uri).host,
      cancelPath: `/connect/${uid}/cancel`,
    },
    scopes: knownScopes(params.scope),
    formTarget: formTarget(params.redirect_uri),
    loginHint: params.login_hint,
    requiresSignIn: (userId) => params.prompt.split(' ').includes('login') && signedIn !== String(userId),
  }
}

function throwAuthorizationGone(error: unknown): never {
  throw error instanceof errors.SessionNotFound ? authorizationExpiredError() : error
}
