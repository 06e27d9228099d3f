import { spawn } from 'node:child_process'
import { preflight } from './preflight.mjs'

preflight()
// Templates and stylesheets are not imported, so whole folders are watched.
const watch = ['--watch', '--watch-preserve-output', '--watch-path=backend', '--watch-path=contract']
const child = spawn(process.execPath, [...watch, 'scripts/start.mjs'], { stdio: 'inherit' })
const stop = () => child.kill('SIGTERM')
// Ctrl-C reaches the child from the terminal; a signal to this process alone has to be passed on.
process.on('SIGINT', () => {})
process.on('SIGTERM', stop)
// npm passes a signal to its shell only, so the shell's end is the signal.
const startedBy = process.ppid
setInterval(() => process.ppid !== startedBy && stop(), 500).unref()
child.on('exit', (code) => process.exit(code ?? 1))
