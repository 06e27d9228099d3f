import type { AdapterFactory } from 'oidc-provider'
import type { Deps } from '../../deps.ts'
import { accessTokenAdapter } from './access-token.ts'
import { clientAdapter } from './client.ts'
import { noopAdapter } from './keeps-nothing.ts'
import { payloadAdapter } from '../adapters.ts'

/** Where oidc-provider keeps what it makes, by the name of its model. */
export const createAdapters =
  (deps: Pick<Deps, 'db' | 'clock' | 'secretBox'>): AdapterFactory =>
  (model) => {
    switch (model) {
      case 'Client':
        return clientAdapter(deps)
      case 'AccessToken':
        return accessTokenAdapter(deps)
      case 'AuthorizationCode':
      case 'RefreshToken':
      case 'Grant':
      case 'Interaction':
        return payloadAdapter(deps, model)
      default:
        // The library's own Session too: who is signed in, our session says, at each authorization anew.
        return noopAdapter
    }
  }
