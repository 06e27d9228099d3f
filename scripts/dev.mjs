import { spawn } from 'node:child_process'
import { preflight } from './preflight.mjs'

preflight()
// Watches whole folders, because stylesheets and SQL files aren't imported.
const folders = ['backend', 'contract', 'reading']
const watch = ['--watch', '--watch-preserve-output', ...folders.map((folder) => `--watch-path=${folder}`)]
const child = spawn(process.execPath, [...watch, 'scripts/start.mjs'], { stdio: 'inherit' })
const stop = () => child.kill('SIGTERM')
// The terminal sends Ctrl-C to the child, too. SIGTERM may reach only this process, so it's passed on.
process.on('SIGINT', () => {})
process.on('SIGTERM', stop)
// npm passes signals only to the shell in which it runs this script. So the end of this shell counts as SIGTERM.
const startedBy = process.ppid
setInterval(() => process.ppid !== startedBy && stop(), 500).unref()
child.on('exit', (code) => process.exit(code ?? 1))
