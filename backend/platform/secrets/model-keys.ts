import type { Logger } from 'pino'
import type { ModelServer } from '../../config.ts'
import { fixedSecrets, openSecretFile, type SecretKind, type SecretSource } from './secret-file.ts'

const modelKey: SecretKind = {
  name: 'API keys of a language model',
  form: 'without spaces',
  // It becomes part of a header.
  isValid: (secret) => /^[\x21-\x7e]+$/.test(secret),
}

/**
 * Reads the API key of a server with language models. The first one is sent. Without a key, the list is empty.
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
