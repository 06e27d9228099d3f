import type { Deps } from '../../deps.ts'
import { getOrCreateServerSecret } from '../../platform/secrets/secret-keys.ts'
import { randomToken } from '../../platform/secrets/tokens.ts'

const keyName = 'do_not_call_key'

/** Loads this installation's key for the hashes of the do-not-call list. Creates it at the first start. */
export async function loadDoNotCallKey({ db, secretBox }: Pick<Deps, 'db' | 'secretBox'>): Promise<Buffer> {
  const place = ['server_secret.value', keyName] as const
  const stored = await getOrCreateServerSecret(db, keyName, secretBox.seal(randomToken(), place))
  return Buffer.from(secretBox.open(stored, place), 'base64url')
}
