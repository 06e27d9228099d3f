import { invalidField } from '../core/errors.ts'
import type { Deps } from '../deps.ts'
import { randomToken } from '../secrets/tokens.ts'
import { insertClient } from './oauth-store.ts'

interface NewClient {
  name: string
  redirectUris: string[]
  /**
   * True for an app that can keep a secret: a server such as Zapier. False for one in a browser or on a
   * phone.
   */
  confidential: boolean
}

/**
 * Makes an app known. The secret is shown this once; the database keeps it sealed.
 * @throws {ApiError} `validation_failed` for a redirect URI that is neither https nor http on loopback
 */
export async function createOauthClient(
  deps: Pick<Deps, 'db' | 'secretBox'>,
  input: NewClient,
): Promise<{ clientId: string; clientSecret: string | null }> {
  const name = input.name.trim()
  if (name === '') throw invalidField('name', 'required', 'The app needs a name.')
  if (input.redirectUris.length === 0) {
    throw invalidField('redirect_uris', 'required', 'The app needs at least one redirect URI.')
  }
  input.redirectUris.forEach(checkRedirectUri)
  const clientId = `odc_${randomToken(16)}`
  const clientSecret = input.confidential ? `ods_${randomToken()}` : null
  await insertClient(deps.db, {
    id: clientId,
    name,
    sealedSecret: clientSecret && deps.secretBox.seal(clientSecret),
    redirectUris: input.redirectUris,
  })
  return { clientId, clientSecret }
}

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * RFC 6749, section 3.1.2, and RFC 9700, section 2.6: absolute, without a fragment, http on loopback only.
 */
function checkRedirectUri(uri: string): void {
  const url = URL.parse(uri)
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && loopbackHosts.has(url.hostname))
  if (isSafe && !uri.includes('#')) return
  throw invalidField(
    'redirect_uris',
    'invalid_redirect_uri',
    `"${uri}" cannot be a redirect URI: use https, or http on localhost, without a # part.`,
  )
}
