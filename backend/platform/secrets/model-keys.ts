import type { Logger } from 'pino'
import type { ModelServer } from '../../config.ts'
import { fixedSecrets, openSecretFile, type SecretKind, type SecretSource } from './secret-file.ts'

const modelKey: SecretKind = {
  name: 'API keys of a language model',
  form: 'without spaces',
  // The key becomes part of a header, so it has only visible ASCII characters.
  isValid: (secret) => /^[\x21-\x7e]+$/.test(secret),
}

/**
 * Reads the API keys of a server with language models. Requests send the first key. If none is configured, the list is empty.
 *
 * @throws {ConfigError} if the file can't be read, or has no key
 */
export async function openModelKey(
  { apiKey, apiKeyFile }: Pick<ModelServer, 'apiKey' | 'apiKeyFile'>,
  log: Pick<Logger, 'info' | 'error'>,
): Promise<SecretSource> {
  if (apiKeyFile !== undefined) return openSecretFile(apiKeyFile, modelKey, log)
  return fixedSecrets(apiKey === undefined ? [] : [apiKey])
}
