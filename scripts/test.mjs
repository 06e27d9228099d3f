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
  // Programs that tests start, such as Zapier's CLI, share this cache.
  env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
})
// The terminal sends Ctrl-C to Jest, too. SIGTERM may reach only this process, so it's passed on, and Jest can stop its
// database.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill('SIGTERM'))
child.on('exit', (code) => process.exit(code ?? 1))
