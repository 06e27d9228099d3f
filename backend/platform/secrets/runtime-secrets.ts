import path from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { ConfigError } from '../core/errors.ts'
import { minSecretLength, readOrCreateSecret } from '../core/secret-on-disk.ts'
import { fixedSecrets, openSecretFile, type SecretKind, type SecretSource } from './secret-file.ts'

const runtimeSecret: SecretKind = {
  name: 'runtime secrets',
  form: `of at least ${minSecretLength} characters`,
  isValid: (secret) => secret.length >= minSecretLength,
}

/**
 * Reads the secrets that agent runtimes authenticate with from RUNTIME_SECRET, RUNTIME_SECRET_FILE, or a file in
 * DATA_DIR, which is created at the first start with the embedded database. The service itself authenticates with the
 * first secret. Files are watched, so a secret that's removed from a file stops working without a restart.
 *
 * @throws {ConfigError} if there's no secret, or one is too short
 */
export async function openRuntimeSecrets(
  config: Config,
  dataDir: string | undefined,
  log: Pick<Logger, 'info' | 'error'>,
): Promise<SecretSource> {
  const { runtimeSecrets, runtimeSecretFile } = config
  if (!runtimeSecrets.every(runtimeSecret.isValid)) throw secretTooShort()
  if (runtimeSecrets.length > 0) return fixedSecrets(runtimeSecrets)
  if (runtimeSecretFile !== undefined) return openSecretFile(runtimeSecretFile, runtimeSecret, log)
  if (dataDir === undefined) throw secretMissing()
  const file = path.join(dataDir, 'runtime-secret')
  await readOrCreateSecret(file)
  return openSecretFile(file, runtimeSecret, log)
}

const secretTooShort = () =>
  new ConfigError(
    `RUNTIME_SECRET must have at least ${minSecretLength} characters. In a list, this applies to each secret.`,
  )

const secretMissing = () =>
  new ConfigError(
    "RUNTIME_SECRET is not set. It's required when DATABASE_URL is set. The agent runtime authenticates with it. " +
      `Set it to at least ${minSecretLength} random characters, with the same value for every process. Or set ` +
      'RUNTIME_SECRET_FILE to a file that contains the secret.',
  )
