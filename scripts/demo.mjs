import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { loadEnvFile } from './load-env-file.mjs'
import { preflight } from './preflight.mjs'

preflight()
loadEnvFile()
const root = path.resolve(import.meta.dirname, '..')
const changed = (file) => statSync(path.join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
const sources = readdirSync(path.join(root, 'src'), { recursive: true }).map((name) => path.join('src', name))
if (Math.max(...['index.ts', ...sources].map(changed)) > changed('dist/index.js')) {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}
const { main } = await import('../demo/main.ts')
await main()
