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
  // What tests start, such as Zapier's command line, is read from there, too.
  env: { ...process.env, NODE_COMPILE_CACHE: compileCache },
})
// Jest hears the terminal's Ctrl-C by itself, and a plain kill from here: its database must not outlive it.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => child.kill('SIGTERM'))
child.on('exit', (code) => process.exit(code ?? 1))
