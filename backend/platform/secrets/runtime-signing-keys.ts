import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { ConfigError } from '../core/errors.ts'
import { fixedSecrets, openSecretFile, type SecretKind, type SecretSource } from './secret-file.ts'

/** Returns true for a secret as Standard Webhooks 1.0 defines it: `whsec_` and the base64 of 24 to 64 bytes. */
function isSigningKey(key: string): boolean {
  if (!/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(key)) return false
  const { length } = Buffer.from(key.slice('whsec_'.length), 'base64')
  return length >= 24 && length <= 64
}

const signingKey: SecretKind = {
  name: 'runtime signing keys',
  form: 'that start with whsec_ and continue with 24 to 64 random bytes in base64',
  isValid: isSigningKey,
}

/**
 * Reads the keys that sign requests to the agent runtime from RUNTIME_SIGNING_KEY or RUNTIME_SIGNING_KEY_FILE, which is
 * watched. Returns no keys unless TELEPHONY is `http`.
 *
 * @throws {ConfigError} if there's no key, or one is invalid
 */
export async function openRuntimeSigningKeys(
  config: Config,
  log: Pick<Logger, 'info' | 'error'>,
): Promise<SecretSource> {
  const { telephony, runtimeSigningKeys, runtimeSigningKeyFile } = config
  if (telephony !== 'http') return fixedSecrets([])
  if (!runtimeSigningKeys.every(isSigningKey)) {
    throw new ConfigError(
      'RUNTIME_SIGNING_KEY must start with whsec_ and continue with 24 to 64 random bytes in base64. In a list, this ' +
        'applies to each key. To create a key, run: echo "whsec_$(openssl rand -base64 32)"',
    )
  }
  if (runtimeSigningKeys.length > 0) return fixedSecrets(runtimeSigningKeys)
  if (runtimeSigningKeyFile !== undefined) return openSecretFile(runtimeSigningKeyFile, signingKey, log)
  throw new ConfigError(
    'TELEPHONY=http needs RUNTIME_SIGNING_KEY: the key that signs requests to the agent runtime, which verifies them. ' +
      'To create a key, run: echo "whsec_$(openssl rand -base64 32)". Set it in the agent runtime too. Or set ' +
      'RUNTIME_SIGNING_KEY_FILE to a file that contains the key.',
  )
}
