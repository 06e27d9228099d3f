import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { root } from '../support/docs.ts'
import { commandRunBy, withoutNpm } from '../support/documented-commands.ts'

/** Runs the demo with the command in README.md, and returns its output. */
export async function runDemo(dataDir: string): Promise<{ status: unknown; stdout: string; stderr: string }> {
  const command = commandRunBy('test/journey/zap-to-trigger.test.ts', 'README.md', /^npm run demo$/)
  const env = { ...process.env, DATA_DIR: dataDir }
  const child = spawn('sh', ['-c', withoutNpm(command)], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[unknown]>,
  ])
  return { status, stdout, stderr }
}
