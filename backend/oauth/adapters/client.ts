import { Scope } from '@outdial/contract'
import type { Adapter } from 'oidc-provider'
import type { Deps } from '../../deps.ts'
import { findClient } from '../oauth-store.ts'
import { noopAdapter } from './keeps-nothing.ts'

/** Apps, read from their table at each request: a new one, or a new secret, needs no restart. */
export const clientAdapter = ({ db, secretBox }: Pick<Deps, 'db' | 'secretBox'>): Adapter => ({
  ...noopAdapter,
  find: async (id) => {
    // PostgreSQL keeps no NUL in text, and so knows no such client.
    const client = id.includes('\0') ? undefined : await findClient(db, id)
    if (!client) return undefined
    return {
      client_id: client.id,
      client_name: client.name,
      ...(client.secret !== null && { client_secret: secretBox.open(client.secret) }),
      token_endpoint_auth_method: client.secret === null ? 'none' : 'client_secret_basic',
      redirect_uris: client.redirect_uris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      response_modes: ['query'],
      // Exact redirect match: `native` would let any loopback port through.
      application_type: 'web',
      scope: Scope.options.join(' '),
    }
  },
})
