import path from 'node:path'
import { type Config, ConfigError } from '../config.ts'
import { readOrMake } from '../secret-keys/read-or-make.ts'

/**
 * The secrets of RUNTIME_SECRET; without it that of DATA_DIR, which is made at the first start with the embedded
 * database.
 *
 * @throws {ConfigError} where there is none
 */
export async function loadRuntimeSecrets(config: Config, dataDir: string | undefined): Promise<string[]> {
  if (config.runtimeSecrets.length > 0) return config.runtimeSecrets
  if (dataDir !== undefined) return [await readOrMake(path.join(dataDir, 'runtime-secret'))]
  throw new ConfigError(
    'RUNTIME_SECRET is not set: with DATABASE_URL, set it to at least 32 random characters, the same for every ' +
      'process. The agent runtime shows it to the tool server.',
  )
}
