import * as z from 'zod'
import type { Deps } from '../../deps.ts'
import { loopbackHosts } from '../../platform/core/loopback.ts'
import { rule, validateByRules } from '../../platform/core/validate-rules.ts'
import { randomToken } from '../../platform/secrets/tokens.ts'
import { insertClient } from './oauth-store.ts'

/**
 * Returns whether a redirect URI is absolute, has no fragment, and uses https, or http on loopback (RFC 6749, section
 * 3.1.2, and RFC 9700, section 2.6).
 */
function isSafeRedirectUri(uri: string): boolean {
  const url = URL.parse(uri)
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && loopbackHosts.has(url.hostname))
  return isSafe && !uri.includes('#')
}

const NewClient = z.object({
  name: z
    .string()
    .trim()
    .refine((name) => name !== '', rule('required', 'The app needs a name. Send one in client_name.')),
  redirect_uris: z
    .array(
      z.string().refine(
        isSafeRedirectUri,
        rule(
          'invalid_redirect_uri',
          (uri) =>
            `"${uri}" isn't a valid redirect URI. Use https, or http on localhost, without a fragment (#).`,
        ),
      ),
    )
    .refine(
      (uris) => uris.length > 0,
      rule('required', 'The app needs at least one redirect URI. Send it in redirect_uris.'),
    ),
  /** True for an app that can keep a secret, such as Zapier's servers. False for one in a browser or on a phone. */
  confidential: z.boolean(),
})

/**
 * Registers an app. The returned secret is shown only once; the database stores it encrypted.
 * @throws {ApiError} `validation_failed` for a redirect URI that is neither https nor http on loopback
 */
export async function createOauthClient(
  deps: Pick<Deps, 'db' | 'secretBox'>,
  input: z.input<typeof NewClient>,
): Promise<{ clientId: string; clientSecret: string | null }> {
  const { name, redirect_uris: redirectUris, confidential } = validateByRules(NewClient, input)
  const clientId = `odc_${randomToken(16)}`
  const clientSecret = confidential ? `ods_${randomToken()}` : null
  await insertClient(deps.db, {
    id: clientId,
    name,
    sealedSecret: clientSecret && deps.secretBox.seal(clientSecret, ['oauth_client.secret', clientId]),
    redirectUris,
  })
  return { clientId, clientSecret }
}
