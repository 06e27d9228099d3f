import { unwatchFile, watchFile } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { secondMs } from '../core/durations.ts'
import { ConfigError, describeError, errorCode } from '../core/errors.ts'

/** Secrets from the settings or a file, newest first. */
export interface SecretSource {
  /** Returns the secrets that are valid now. */
  list(): readonly string[]
  /** Calls `onChanged` after each change, until `stop` is called. Secrets from the environment never change. */
  watch(onChanged: () => void): { stop(): void }
}

/** A kind of secrets that a file can contain. */
export interface SecretKind {
  /** The plural name of the secrets, for errors and the log. */
  name: string
  /** The required form of each secret, for errors, for example "of at least 32 characters". */
  form: string
  isValid: (secret: string) => boolean
}

/** Returns a source of secrets that never change. */
export const fixedSecrets = (secrets: readonly string[]): SecretSource => ({
  list: () => secrets,
  watch: () => ({ stop: () => {} }),
})

/**
 * Reads the secrets in a file. While `watch` is active, changes of the file take effect; if a change is invalid, the
 * previous secrets stay valid.
 *
 * @throws {ConfigError} if there's no secret, one is invalid, or the file can't be read
 */
export async function openSecretFile(
  file: string,
  kind: SecretKind,
  log: Pick<Logger, 'info' | 'error'>,
): Promise<SecretSource> {
  let secrets = await readSecrets(file, kind)
  return {
    list: () => secrets,
    watch: (onChanged) =>
      watchSecretFile(file, async () => {
        try {
          const changed = await readSecrets(file, kind)
          if (changed.join() === secrets.join()) return
          secrets = changed
          log.info({ count: changed.length }, `${kind.name} reloaded`)
          onChanged()
        } catch (error) {
          log.error(
            { error: describeError(error) },
            `failed to reload the ${kind.name}; the previous ones stay valid`,
          )
        }
      }),
  }
}

const pollIntervalMs = secondMs

/**
 * Calls `onChanged` now and after each change of a file, one call at a time. Polls the file: orchestrators mount a secret as
 * a link into a folder and then swap the folder, and file systems report such a swap in different ways.
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

/** Reads the secrets in a file, which are separated by line breaks or commas. */
async function readSecrets(file: string, { name, form, isValid }: SecretKind): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new ConfigError(`${file} can't be read (${errorCode(error)}). It must contain the ${name}.`)
  })
  const secrets = text
    .split(/[\n,]/)
    .map((secret) => secret.trim())
    .filter(Boolean)
  if (secrets.length > 0 && secrets.every(isValid)) return secrets
  throw new ConfigError(`${file} must contain ${name} ${form}, separated by line breaks or commas.`)
}
