import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compileCache, preflight } from './preflight.mjs'

preflight()
const jest = fileURLToPath(new URL('../node_modules/jest/bin/jest.js', import.meta.url))
const flags = [
  '--experimental-vm-modules',
  '--experimental-import-meta-resolve',
  '--disable-warning=ExperimentalWarning',
]
const child = spawn(process.execPath, [...flags, jest, ...process.argv.slice(2)], {
  stdio: 'inherit',
  // Programs that tests start, such as Zapier's CLI, also use this cache.
  env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
})
// The terminal also sends Ctrl-C to Jest. SIGTERM is passed on, so that Jest can stop its database.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill('SIGTERM'))
child.on('exit', (code) => process.exit(code ?? 1))
