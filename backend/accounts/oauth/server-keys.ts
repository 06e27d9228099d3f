import { generateKeyPairSync } from 'node:crypto'
import type { JWKS } from 'oidc-provider'
import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { getOrCreateServerSecret } from '../../platform/secrets/secret-keys.ts'
import { randomToken } from '../../platform/secrets/tokens.ts'

interface ServerKeys {
  jwks: JWKS
  /** Keys for the cookies of an authorization in progress. The first one signs; all of them verify. */
  cookieKeys: string[]
}

const Jwks = z.object({ keys: z.array(z.record(z.string(), z.string())) })
const CookieKeys = z.array(z.string())

/** Loads this installation's keys, or creates them. Processes that start at the same time get the same keys. */
export async function loadServerKeys(deps: Pick<Deps, 'db' | 'secretBox'>): Promise<ServerKeys> {
  const loadOrCreate = async (name: string, create: () => object): Promise<unknown> => {
    const place = ['server_secret.value', name] as const
    const created = deps.secretBox.seal(JSON.stringify(create()), place)
    return JSON.parse(deps.secretBox.open(await getOrCreateServerSecret(deps.db, name, created), place))
  }
  return {
    jwks: Jwks.parse(await loadOrCreate('oauth_signing_keys', newJwks)),
    cookieKeys: CookieKeys.parse(await loadOrCreate('oauth_cookie_keys', () => [randomToken()])),
  }
}

const newJwks = () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] }
}
