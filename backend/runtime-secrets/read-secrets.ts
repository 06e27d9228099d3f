import { readFile } from 'node:fs/promises'
import { ConfigError } from '../config.ts'
import { errorCode } from '../error-code.ts'
import { minSecretLength } from '../secrets/secret-keys.ts'

/**
 * The secrets of a file, by lines or commas.
 *
 * @throws {ConfigError} where there is none, one can be guessed, or the file cannot be read
 */
export async function readRuntimeSecrets(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new ConfigError(`${file} cannot be read (${errorCode(error)}): it is to hold the runtime secrets.`)
  })
  const secrets = text
    .split(/[\n,]/)
    .map((secret) => secret.trim())
    .filter(Boolean)
  if (secrets.length > 0 && secrets.every((secret) => secret.length >= minSecretLength)) return secrets
  throw new ConfigError(
    `${file} must hold one or more runtime secrets, by lines or commas, each of at least ${minSecretLength} characters.`,
  )
}
