import path from 'node:path'
import type { Logger } from 'pino'
import { type Config, ConfigError } from '../config.ts'
import { describeError } from '../describe-error.ts'
import { readOrMake, shortest } from './secret-keys.ts'
import { followFile } from '../runtime-secrets/follow-file.ts'
import { readSecrets } from '../runtime-secrets/read-secrets.ts'

/** What agent runtimes show this service. */
export interface RuntimeSecretSource {
  /** Those that are valid now; the first is what this service itself shows. */
  list(): readonly string[]
  /** Tells of each change, until it is stopped. Those of the environment stay as they are. */
  follow(onChanged: () => void): { stop(): void }
}

/**
 * The secrets of RUNTIME_SECRET; else those of RUNTIME_SECRET_FILE, or of the file of DATA_DIR, which is made at the
 * first start with the embedded database. Files are followed: what is taken out of one ends while the service runs.
 *
 * @throws {ConfigError} where there is none, or one can be guessed
 */
export async function openRuntimeSecrets(
  config: Config,
  dataDir: string | undefined,
  log: Pick<Logger, 'info' | 'error'>,
): Promise<RuntimeSecretSource> {
  const { runtimeSecrets, runtimeSecretFile } = config
  if (runtimeSecrets.length > 0) return unchanging(runtimeSecrets)
  if (runtimeSecretFile !== undefined) return inFile(runtimeSecretFile, log)
  if (dataDir === undefined) throw notSet()
  const file = path.join(dataDir, 'runtime-secret')
  await readOrMake(file)
  return inFile(file, log)
}

function unchanging(secrets: string[]): RuntimeSecretSource {
  if (secrets.some((secret) => secret.length < shortest)) {
    throw new ConfigError(
      `RUNTIME_SECRET must have at least ${shortest} characters, each secret of the list for itself.`,
    )
  }
  return { list: () => secrets, follow: () => ({ stop: () => {} }) }
}

async function inFile(file: string, log: Pick<Logger, 'info' | 'error'>): Promise<RuntimeSecretSource> {
  let secrets = await readSecrets(file)
  return {
    list: () => secrets,
    follow: (onChanged) =>
      followFile(file, async () => {
        try {
          const read = await readSecrets(file)
          if (read.join() === secrets.join()) return
          secrets = read
          log.info({ count: read.length }, 'the runtime secrets were read anew')
          onChanged()
        } catch (error) {
          log.error({ error: describeError(error) }, 'the runtime secrets stay as they were')
        }
      }),
  }
}

const notSet = () =>
  new ConfigError(
    `RUNTIME_SECRET is not set: with DATABASE_URL, set it to at least ${shortest} random characters, the same for ` +
      'every process, or RUNTIME_SECRET_FILE to a file that holds them. The agent runtime shows it to the tool server.',
  )
