import { unwatchFile, watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { secondMs } from '../core/durations.ts'
import { ConfigError, describeError, errorCode } from '../core/errors.ts'
import { minSecretLength, readOrCreateSecret } from './secret-keys.ts'

/** The secrets that agent runtimes authenticate with. */
export interface RuntimeSecretSource {
  /** Returns the valid secrets. The service itself authenticates with the first one. */
  list(): readonly string[]
  /** Calls `onChanged` after each change, until it's stopped. Secrets from the environment don't change. */
  watch(onChanged: () => void): { stop(): void }
}

/**
 * Reads the secrets from RUNTIME_SECRET, RUNTIME_SECRET_FILE, or a file in DATA_DIR, which is created at the first
 * start with the embedded database. Files are watched, so that a removed secret stops working while the service runs.
 *
 * @throws {ConfigError} if there's no secret, or one is too short
 */
export async function openRuntimeSecrets(
  config: Config,
  dataDir: string | undefined,
  log: Pick<Logger, 'info' | 'error'>,
): Promise<RuntimeSecretSource> {
  const { runtimeSecrets, runtimeSecretFile } = config
  if (runtimeSecrets.length > 0) return fixedSecrets(runtimeSecrets)
  if (runtimeSecretFile !== undefined) return secretsInFile(runtimeSecretFile, log)
  if (dataDir === undefined) throw secretMissing()
  const file = path.join(dataDir, 'runtime-secret')
  await readOrCreateSecret(file)
  return secretsInFile(file, log)
}

function fixedSecrets(secrets: string[]): RuntimeSecretSource {
  if (secrets.some((secret) => secret.length < minSecretLength)) {
    throw new ConfigError(
      `RUNTIME_SECRET must have at least ${minSecretLength} characters. In a list, this applies to each secret.`,
    )
  }
  return { list: () => secrets, watch: () => ({ stop: () => {} }) }
}

async function secretsInFile(
  file: string,
  log: Pick<Logger, 'info' | 'error'>,
): Promise<RuntimeSecretSource> {
  let secrets = await readRuntimeSecrets(file)
  return {
    list: () => secrets,
    watch: (onChanged) =>
      watchSecretFile(file, async () => {
        try {
          const changed = await readRuntimeSecrets(file)
          if (changed.join() === secrets.join()) return
          secrets = changed
          log.info({ count: changed.length }, 'runtime secrets reloaded')
          onChanged()
        } catch (error) {
          log.error(
            { error: describeError(error) },
            'failed to reload the runtime secrets; the previous ones stay valid',
          )
        }
      }),
  }
}

const secretMissing = () =>
  new ConfigError(
    "RUNTIME_SECRET is not set. It's required when DATABASE_URL is set. The agent runtime authenticates with it. " +
      `Set it to at least ${minSecretLength} random characters, with the same value for every process. Or set ` +
      'RUNTIME_SECRET_FILE to a file that contains the secret.',
  )

const pollIntervalMs = secondMs

/**
 * Calls `onChanged` now and after each change of a file, one call at a time. Polls the file, because secrets are
 * mounted as links to folders that are swapped, and file systems report such a swap in different ways.
 */
function watchSecretFile(file: string, onChanged: () => Promise<void>): { stop(): void } {
  let queue = Promise.resolve()
  const listener = () => {
    queue = queue.then(onChanged)
  }
  watchFile(file, { interval: pollIntervalMs, persistent: false }, listener)
  // The file may have changed since it was first read.
  listener()
  return { stop: () => unwatchFile(file, listener) }
}

/**
 * Reads the secrets in a file, which are separated by line breaks or commas.
 *
 * @throws {ConfigError} if there's no secret, one is too short, or the file can't be read
 */
async function readRuntimeSecrets(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new ConfigError(`${file} can't be read (${errorCode(error)}). It must contain the runtime secrets.`)
  })
  const secrets = text
    .split(/[\n,]/)
    .map((secret) => secret.trim())
    .filter(Boolean)
  if (secrets.length > 0 && secrets.every((secret) => secret.length >= minSecretLength)) return secrets
  throw new ConfigError(
    `${file} must contain runtime secrets of at least ${minSecretLength} characters, separated by line breaks or commas.`,
  )
}
