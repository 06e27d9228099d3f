import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const file = fileURLToPath(new URL('../.env', import.meta.url))
const scripts = ['start', 'dev', 'admin', 'support', 'demo']

/**
 * Loads `.env` next to package.json if npm runs one of the listed scripts, such as `npm start`. Variables that are already set
 * stay unchanged. Tests start these scripts without npm, because they must not use this machine's settings.
 */
export function loadEnvFile() {
  const { npm_package_json: isNpm, npm_lifecycle_event: script } = process.env
  if (isNpm && scripts.includes(script) && existsSync(file)) process.loadEnvFile(file)
}
