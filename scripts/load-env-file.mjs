import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const file = fileURLToPath(new URL('../.env', import.meta.url))
const scripts = ['start', 'dev', 'admin', 'support', 'demo']

/**
 * Reads `.env` next to package.json under `npm start` and the like. Variables that are already set win. Tests start the
 * same scripts without npm, and must not get the settings of this machine.
 */
export function loadEnvFile() {
  const { npm_package_json: isNpm, npm_lifecycle_event: script } = process.env
  if (isNpm && scripts.includes(script) && existsSync(file)) process.loadEnvFile(file)
}
