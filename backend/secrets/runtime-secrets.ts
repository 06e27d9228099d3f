import { unwatchFile, watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { secondMs } from '../core/durations.ts'
import { ConfigError, describeError, errorCode } from '../core/errors.ts'
import { minSecretLength, readOrCreateSecret } from './secret-keys.ts'

/** What agent runtimes show this service. */
export interface RuntimeSecretSource {
  /** Those that are valid now; the first is what this service itself shows. */
  list(): readonly string[]
  /** Tells of each change, until it is stopped. Those of the environment stay as they are. */
  watch(onChanged: () => void): { stop(): void }
}

/**
 * The secrets of RUNTIME_SECRET; else those of RUNTIME_SECRET_FILE, or of the file of DATA_DIR, which is made
 * at the first start with the embedded database. Files are followed: what is taken out of one ends while the
 * service runs.
 *
 * @throws {ConfigError} where there is none, or one can be guessed
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
      `RUNTIME_SECRET must have at least ${minSecretLength} characters, each secret of the list for itself.`,
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
          log.error({ error: describeError(error) }, 'the runtime secrets stay as they were')
        }
      }),
  }
}

const secretMissing = () =>
  new ConfigError(
    `RUNTIME_SECRET is not set: with DATABASE_URL, set it to at least ${minSecretLength} random characters, the same for ` +
      'every process, or RUNTIME_SECRET_FILE to a file that holds them. The agent runtime shows it to the tool server.',
  )

/** Milliseconds between two looks. */
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
  // It may have changed between its first reading and now.
  listener()
  return { stop: () => unwatchFile(file, listener) }
}

/**
 * The secrets of a file, by lines or commas.
 *
 * @throws {ConfigError} where there is none, one can be guessed, or the file cannot be read
 */
async function readRuntimeSecrets(file: string): Promise<string[]> {
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
