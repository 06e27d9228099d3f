import { spawn } from 'node:child_process'
import { preflight } from './preflight.mjs'

preflight()
// Watches whole folders, because stylesheets and SQL aren't imported.
const folders = ['backend', 'contract', 'reading']
const watch = ['--watch', '--watch-preserve-output', ...folders.map((folder) => `--watch-path=${folder}`)]
const child = spawn(process.execPath, [...watch, 'scripts/start.mjs'], { stdio: 'inherit' })
const stop = () => child.kill('SIGTERM')
// The terminal also sends Ctrl-C to the child. A signal that only this process gets has to be passed on.
process.on('SIGINT', () => {})
process.on('SIGTERM', stop)
// npm passes signals only to its shell, so the end of the shell counts as a signal.
const startedBy = process.ppid
setInterval(() => process.ppid !== startedBy && stop(), 500).unref()
child.on('exit', (code) => process.exit(code ?? 1))
